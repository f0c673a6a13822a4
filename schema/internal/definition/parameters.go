package definition

import (
	"fmt"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/libdvm"
)

// parameterDefs returns the definitions of the values of parameters, of parameters
// that no row of the table lists, and of the parameters of every function.
func parameterDefs() object {
	return object{
		{"decimal", object{{"description", "an integer of 64 bits"}, {"type", "integer"}}},
		{"real", object{{"description", "a decimal fraction with the digits of the trace"}, {"type", "number"}}},
		{"handle", object{
			{"description", "a reference or an address in hexadecimal digits; NULL is \"0\""},
			{"type", "string"}, {"pattern", "^(0|[1-9a-f][0-9a-f]{0,15})$"},
		}},
		{"text", object{{"description", "a text" + anyBytes}, {"type", "string"}}},
		{"unlisted", object{
			{"description", "the value of a parameter that the table does not list: a number, a string, an array of either, or a matrix"},
			{"anyOf", list{
				object{{"type", list{"number", "string"}}},
				array(object{{"type", "number"}}), array(object{{"type", "string"}}),
				array(array(object{{"type", "number"}})), array(array(object{{"type", "string"}})),
			}},
		}},
		{"unlisted_parameters", object{
			{"description", "parameters of a function that is not in the table, under their own names"},
			{"type", "object"}, {"additionalProperties", ref("unlisted")},
		}},
		{"parameters", object{
			{"description", "What args and ret of each function must and may hold."},
			{"if", object{{"required", list{"func"}}}},
			{"then", object{{"allOf", functions()}}},
		}},
	}
}

// perGroup is how many functions share an outer condition, so that the name of a
// call is compared with some dozen names instead of all.
const perGroup = 12

// functions returns a condition for every function of the table, in groups,
// and one for those outside of it.
func functions() list {
	var all list
	for group := range slices.Chunk(libdvm.Functions(), perGroup) {
		var names, rules list
		for i := range group {
			f := &group[i]
			names = append(names, f.Name)
			rules = append(rules, object{
				{"if", object{{"properties", object{{"func", object{{"const", f.Name}}}}}}},
				{"then", append(object{
					{"description", f.Doc},
					{"properties", object{{"args", half(f, f.Args)}, {"ret", half(f, f.Ret)}}},
				}, required(f)...)},
			})
		}
		all = append(all, object{
			{"if", object{{"properties", object{{"func", object{{"enum", names}}}}}}},
			{"then", object{{"allOf", rules}}},
		})
	}
	return append(all, object{
		{"if", object{{"properties", object{{"func", object{{"enum", strs(libdvm.Names()...)}}}}}}},
		{"else", object{{"properties", object{{"args", ref("unlisted_parameters")}, {"ret", ref("unlisted_parameters")}}}}},
	})
}

// half returns the schema of the parameters of one half of a call of f.
func half(f *libdvm.Func, params []libdvm.Param) object {
	var others any = false
	if f.Open {
		others = ref("unlisted")
	}
	var s object
	if len(params) > 0 {
		var props object
		for _, p := range params {
			props = append(props, member{p.Key, parameter(p)})
		}
		s = object{{"properties", props}}
	}
	return append(s, member{"additionalProperties", others})
}

// required returns which parameters a call of f must have, in the halves that
// the trace contains. Functions that are in no trace of testdata may lack any.
func required(f *libdvm.Func) object {
	if f.Open {
		return nil
	}
	var rules list
	for _, h := range []struct {
		key     string
		params  []libdvm.Param
		without call.Half
	}{{"args", f.Args, call.OnlyRet}, {"ret", f.Ret, call.OnlyCall}} {
		var names list
		for _, p := range h.params {
			if !p.Optional {
				names = append(names, p.Key)
			}
		}
		if len(names) == 0 {
			continue
		}
		rules = append(rules, object{{"anyOf", list{
			object{{"required", list{"only"}}, {"properties", object{{"only", object{{"const", h.without.String()}}}}}},
			object{{"properties", object{{h.key, object{{"required", names}}}}}},
		}}})
	}
	if rules == nil {
		return nil
	}
	return object{{"allOf", rules}}
}

func parameter(p libdvm.Param) object {
	s := ref(kindDef(p.Kind))
	switch p.Shape {
	case libdvm.Vector, libdvm.Runs:
		s = array(s)
	case libdvm.Matrix:
		s = array(array(s))
	}
	switch {
	case p.Shape == libdvm.Runs:
		s = append(object{{"description", "runs that each begin at index 0, one behind the other"}}, s...)
	case p.Key != p.Name:
		s = append(object{{"description", "the array " + p.Name}}, s...)
	}
	return s
}

func array(items object) object { return object{{"type", "array"}, {"items", items}} }

// kindDef returns the definition of a kind of value.
func kindDef(k libdvm.Kind) string {
	switch k {
	case libdvm.Decimal:
		return "decimal"
	case libdvm.Real:
		return "real"
	case libdvm.Handle, libdvm.Pointer:
		return "handle"
	case libdvm.Word, libdvm.Text, libdvm.TextSemicolon, libdvm.Note:
		return "text"
	}
	panic(fmt.Sprintf("definition: internal error: no definition of the kind %d", k))
}
