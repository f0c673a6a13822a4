package definition

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// object is a JSON object whose members keep their order. Values are objects,
// lists, strings, integers and booleans.
type object []member

type member struct {
	key string
	val any
}

// list is a JSON array.
type list []any

// strs returns a list of strings.
func strs[S ~string](ss ...S) list {
	var l list
	for _, s := range ss {
		l = append(l, string(s))
	}
	return l
}

// ref returns a schema that refers to a definition of the same file.
func ref(def string) object { return object{{"$ref", "#/$defs/" + def}} }

// with returns o with the members of more after its own. Members that o has
// already are replaced in place.
func (o object) with(more ...member) object {
	o = slices.Clone(o)
	for _, m := range more {
		if i := slices.IndexFunc(o, func(have member) bool { return have.key == m.key }); i >= 0 {
			o[i] = m
		} else {
			o = append(o, m)
		}
	}
	return o
}

// width is the greatest length of a line in bytes. A value that fits is written on
// one line, so that a list of parameters looks like a table.
const width = 120

// text returns v as indented JSON.
func text(v any) []byte {
	var b bytes.Buffer
	write(&b, v, 0, 0)
	b.WriteByte('\n')
	return b.Bytes()
}

// write writes v after the first before bytes of a line that is indented by indent
// steps.
func write(b *bytes.Buffer, v any, indent, before int) {
	flat := oneLine(v)
	if before+len(flat) <= width {
		b.WriteString(flat)
		return
	}
	var brackets string
	var keys []string
	var vals []any
	switch v := v.(type) {
	case object:
		brackets = "{}"
		for _, m := range v {
			keys, vals = append(keys, quote(m.key)+": "), append(vals, m.val)
		}
	case list:
		if plain(v) {
			fill(b, v, indent)
			return
		}
		brackets = "[]"
		keys, vals = make([]string, len(v)), v
	default:
		b.WriteString(flat)
		return
	}
	b.WriteByte(brackets[0])
	for i := range vals {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.WriteString(strings.Repeat("  ", indent+1))
		b.WriteString(keys[i])
		write(b, vals[i], indent+1, 2*(indent+1)+len(keys[i])+len(","))
	}
	b.WriteByte('\n')
	b.WriteString(strings.Repeat("  ", indent))
	b.WriteByte(brackets[1])
}

// plain reports whether l holds neither objects nor lists.
func plain(l list) bool {
	return !slices.ContainsFunc(l, func(e any) bool {
		switch e.(type) {
		case object, list:
			return true
		}
		return false
	})
}

// fill writes a plain list over as many lines as it needs.
func fill(b *bytes.Buffer, l list, indent int) {
	b.WriteByte('[')
	col := width
	for i, e := range l {
		s := oneLine(e)
		if i < len(l)-1 {
			s += ","
		}
		if col+len(" ")+len(s) > width {
			b.WriteByte('\n')
			b.WriteString(strings.Repeat("  ", indent+1))
			col = 2 * (indent + 1)
		} else {
			b.WriteByte(' ')
			col++
		}
		b.WriteString(s)
		col += len(s)
	}
	b.WriteByte('\n')
	b.WriteString(strings.Repeat("  ", indent))
	b.WriteByte(']')
}

// oneLine returns v as JSON on one line.
func oneLine(v any) string {
	var parts []string
	switch v := v.(type) {
	case object:
		for _, m := range v {
			parts = append(parts, quote(m.key)+": "+oneLine(m.val))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case list:
		for _, e := range v {
			parts = append(parts, oneLine(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		return quote(v)
	case int, bool:
		return fmt.Sprint(v)
	}
	panic(fmt.Sprintf("definition: internal error: a schema holds a %T", v))
}

// quote returns s as a JSON string.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("definition: internal error: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}
