package definition

import (
	"fmt"
	"reflect"
	"strings"
)

// note is what the schema says about a field beyond its type.
type note struct {
	// doc is the description, with the unit.
	doc string
	// keys are further keywords, items those of an array's elements.
	keys, items object
}

// notes are the notes of a type's fields, by their names in records. Every field
// must have a note, and every note a field.
type notes map[string]note

// field is a field of an object.
type field struct {
	name     string
	schema   object
	optional bool
}

// closed returns the schema of an object that has the given fields and no
// others.
func closed(title, doc string, fields []field) object {
	var props object
	var required list
	for _, f := range fields {
		props = append(props, member{f.name, f.schema})
		if !f.optional {
			required = append(required, f.name)
		}
	}
	return object{
		{"title", title},
		{"description", doc},
		{"type", "object"},
		{"properties", props},
		{"required", required},
		{"additionalProperties", false},
	}
}

// record returns the schema of a record with the field "record" and then the given
// fields.
func record(kind, title, doc string, fields []field) object {
	return closed(title, doc, append([]field{
		{name: "record", schema: object{{"description", "the type of the record"}, {"const", kind}}},
	}, fields...))
}

// version returns the field of a header with the version of the stream.
func version(n int) field {
	return field{name: "version", schema: object{{"description", "the version of the stream's records; readers refuse a higher one"}, {"const", n}}}
}

// fieldsOf returns the fields of the struct type T and of its embedded structs, by
// the names in their JSON tags, except "record" and "version", which are written by
// hand. A field with omitempty or omitzero is optional.
func fieldsOf[T any](n notes) []field {
	used := map[string]bool{}
	fields := appendFields(nil, reflect.TypeFor[T](), n, used)
	for name := range n {
		if !used[name] {
			panic(fmt.Sprintf("definition: internal error: %v has no field %q", reflect.TypeFor[T](), name))
		}
	}
	return fields
}

func appendFields(fields []field, t reflect.Type, n notes, used map[string]bool) []field {
	for sf := range t.Fields() {
		if sf.Anonymous {
			fields = appendFields(fields, sf.Type, n, used)
			continue
		}
		if !sf.IsExported() {
			continue
		}
		name, opts, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if name == "-" || name == "record" || name == "version" {
			continue
		}
		note, ok := n[name]
		if !ok || note.doc == "" {
			panic(fmt.Sprintf("definition: internal error: nothing says what %s of %v is", name, t))
		}
		used[name] = true
		optional := opts == "omitempty" || opts == "omitzero"
		schema := object{{"description", note.doc}}
		schema = append(schema, schemaOf(sf.Type, !optional, note.items)...)
		fields = append(fields, field{name, schema.with(note.keys...), optional})
	}
	return fields
}

// schemaOf returns the schema of a Go type as encoding/json writes it. items are
// further keywords for the elements of an array. With written, a nil pointer is
// written as null.
func schemaOf(t reflect.Type, written bool, items object) object {
	switch t.Kind() {
	case reflect.Float64:
		return object{{"type", "number"}}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return object{{"type", "integer"}}
	case reflect.String, reflect.Uint8: // all types of uint8 are kinds, written as their names
		return object{{"type", "string"}}
	case reflect.Bool:
		return object{{"type", "boolean"}}
	case reflect.Slice:
		return object{{"type", "array"}, {"items", schemaOf(t.Elem(), true, nil).with(items...)}}
	case reflect.Pointer:
		s := schemaOf(t.Elem(), true, nil)
		if written {
			s = s.with(member{"type", list{s[0].val, "null"}})
		}
		return s
	case reflect.Struct:
		return ref(defName(t))
	}
	panic(fmt.Sprintf("definition: internal error: no schema for %v", t))
}

// defName returns the name of a struct type's definition: NodeDescription is
// node, KindTimes is kind_times.
func defName(t reflect.Type) string {
	name := strings.TrimSuffix(t.Name(), "Description")
	if name != "" && name == strings.ToUpper(name) {
		return strings.ToLower(name)
	}
	if name == "" {
		name = "machine"
	}
	var b strings.Builder
	for i, c := range name {
		if c >= 'A' && c <= 'Z' && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(c)
	}
	return strings.ToLower(b.String())
}

// variants returns the schema of the records of a stream. It selects a type by the
// field "record", so that errors are about that type only.
func variants(id, title, doc string, defs object, kinds ...string) object {
	var all list
	for _, k := range kinds {
		all = append(all, object{
			{"if", object{{"properties", object{{"record", object{{"const", k}}}}}, {"required", list{"record"}}}},
			{"then", ref(k)},
		})
	}
	return object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"$id", id},
		{"title", title},
		{"description", doc},
		{"type", "object"},
		{"properties", object{{"record", object{{"enum", strs(kinds...)}}}}},
		{"required", list{"record"}},
		{"allOf", all},
		{"$defs", defs},
	}
}

// Keywords that are used often.
func atLeast(n int) object { return object{{"minimum", n}} }

func pattern(p string) object { return object{{"pattern", p}} }
func enum(l list) object      { return object{{"enum", l}} }
func notEmpty() object        { return object{{"minItems", 1}} }
func only(v any) object       { return object{{"const", v}} }
