package ndjson

import (
	"fmt"
	"strconv"
)

// A Field is one field of a record of type T: its name, how it is written
// and how it is read.
type Field[T any] struct {
	name     string
	optional bool
	absent   func(v *T) bool // leaves the field out when writing
	append   func(dst []byte, v *T) ([]byte, error)
	scan     func(s *Scanner, v *T) bool
}

// Record is the table of the fields of a record, or of an object inside of
// one.
type Record[T any] struct {
	what     string
	fields   []Field[T]
	names    []string
	required uint64
	others   func(v *T) *[]byte // nil when other fields are not kept
}

// NewRecord returns the table of fields, at most 63, in the order in which
// they are written. what names the object in messages ("a call"). A field
// must be in every object that is read unless it is [Field.Optional].
func NewRecord[T any](what string, fields ...Field[T]) *Record[T] {
	if len(fields) > 63 {
		panic("ndjson: internal error: " + what + " has more than 63 fields")
	}
	r := &Record[T]{what: what, fields: fields}
	for i, f := range fields {
		r.names = append(r.names, f.name)
		if !f.optional {
			r.required |= 1 << i
		}
	}
	return r
}

// KeepOthers makes r keep the fields that are not in its table, other than
// "record". at returns where a value stores them. They are written after its own
// fields, as they were read.
func (r *Record[T]) KeepOthers(at func(v *T) *[]byte) *Record[T] {
	r.others = at
	return r
}

// AppendRecord appends v as one line: the field "record" with the value kind,
// then the fields. The error names a field whose value JSON cannot represent.
func (r *Record[T]) AppendRecord(dst []byte, kind string, v *T) ([]byte, error) {
	dst = append(dst, `{"record":"`...)
	dst = append(dst, kind...)
	dst = append(dst, '"')
	dst, err := r.members(dst, true, v)
	return append(dst, '}', '\n'), err
}

// Append appends v as an object.
func (r *Record[T]) Append(dst []byte, v *T) ([]byte, error) {
	dst, err := r.members(append(dst, '{'), false, v)
	return append(dst, '}'), err
}

func (r *Record[T]) members(dst []byte, comma bool, v *T) ([]byte, error) {
	for i := range r.fields {
		f := &r.fields[i]
		if f.absent != nil && f.absent(v) {
			continue
		}
		if comma {
			dst = append(dst, ',')
		}
		comma = true
		dst = append(dst, '"')
		dst = append(dst, f.name...)
		dst = append(dst, '"', ':')
		var err error
		if dst, err = f.append(dst, v); err != nil {
			return dst, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if r.others != nil {
		dst = AppendOthers(dst, *r.others(v), comma)
	}
	return dst, nil
}

// Scan reads an object into v, which should be empty: fields that the object
// lacks are not changed. Scan ignores fields that are not in the table, unless
// they are kept ([Record.KeepOthers]).
func (r *Record[T]) Scan(s *Scanner, v *T) bool {
	at := s.Here()
	var others *[]byte
	if r.others != nil {
		others = r.others(v)
	}
	seen, ok := s.MembersAndOthers(r.names, others, func(i int) bool { return r.fields[i].scan(s, v) })
	return ok && s.Require(at, r.what, r.names, r.required, seen)
}

// Optional returns f as a field that need not be there.
func (f Field[T]) Optional() Field[T] {
	f.optional = true
	return f
}

// OmitIf returns f as a field that need not be there and is not written when
// absent returns true.
func (f Field[T]) OmitIf(absent func(v *T) bool) Field[T] {
	f.optional, f.absent = true, absent
	return f
}

// Custom returns a field with its own way of writing and reading.
func Custom[T any](name string, write func(dst []byte, v *T) ([]byte, error), scan func(s *Scanner, v *T) bool) Field[T] {
	return Field[T]{name: name, append: write, scan: scan}
}

// Int returns a field that holds an integer.
func Int[T any, N ~int | ~int64](name string, at func(v *T) *N) Field[T] {
	return Custom(name, func(dst []byte, v *T) ([]byte, error) {
		return strconv.AppendInt(dst, int64(*at(v)), 10), nil
	}, func(s *Scanner, v *T) bool {
		n, ok := ScanInt[N](s)
		*at(v) = n
		return ok
	})
}

// Bool returns a field that holds true or false.
func Bool[T any](name string, at func(v *T) *bool) Field[T] {
	return Custom(name, func(dst []byte, v *T) ([]byte, error) {
		return strconv.AppendBool(dst, *at(v)), nil
	}, func(s *Scanner, v *T) bool {
		b, ok := s.Bool()
		*at(v) = b
		return ok
	})
}

// ScanInt reads an integer of type N.
func ScanInt[N ~int | ~int64](s *Scanner) (N, bool) {
	n, ok := s.Int()
	if ok && int64(N(n)) != n {
		ok = s.Fail("ndjson/value", "found %d, which is too large on this machine, expected an integer of 32 bits", n)
	}
	return N(n), ok
}

// IntOrNull returns a field that holds an integer, or null for nil.
func IntOrNull[T any](name string, at func(v *T) **int64) Field[T] {
	return Custom(name, func(dst []byte, v *T) ([]byte, error) {
		if p := *at(v); p != nil {
			return strconv.AppendInt(dst, *p, 10), nil
		}
		return append(dst, "null"...), nil
	}, func(s *Scanner, v *T) bool {
		if s.Null() {
			*at(v) = nil
			return true
		}
		n, ok := s.Int()
		*at(v) = &n
		return ok
	})
}

// Float returns a field that holds a finite number.
func Float[T any, F ~float64](name string, at func(v *T) *F) Field[T] {
	return Custom(name, func(dst []byte, v *T) ([]byte, error) {
		dst, ok := AppendFloat(dst, *at(v))
		if !ok {
			return dst, fmt.Errorf("%v is no value that a record can hold", float64(*at(v)))
		}
		return dst, nil
	}, func(s *Scanner, v *T) bool {
		x, ok := s.Float()
		*at(v) = F(x)
		return ok
	})
}

// String returns a field that holds any bytes.
func String[T any, S ~string](name string, at func(v *T) *S) Field[T] {
	return Custom(name, func(dst []byte, v *T) ([]byte, error) {
		return AppendString(dst, *at(v)), nil
	}, func(s *Scanner, v *T) bool {
		b, ok := s.Bytes()
		*at(v) = S(s.Intern(b))
		return ok
	})
}

// Strings returns a field that holds an array of strings of any bytes.
func Strings[T any](name string, at func(v *T) *[]string) Field[T] {
	return Custom(name, func(dst []byte, v *T) ([]byte, error) {
		dst = append(dst, '[')
		for i, t := range *at(v) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendString(dst, t)
		}
		return append(dst, ']'), nil
	}, func(s *Scanner, v *T) bool {
		return s.Strings(at(v))
	})
}

// Strings reads an array of strings, written as bytes, and appends them to
// list.
func (s *Scanner) Strings(list *[]string) bool {
	if !s.Array() {
		return false
	}
	for s.Elem() {
		b, ok := s.Bytes()
		if !ok {
			return false
		}
		*list = append(*list, s.Intern(b))
	}
	return s.err == nil
}

// Ints returns a field that holds an array of integers.
func Ints[T any](name string, at func(v *T) *[]int) Field[T] {
	return Custom(name, func(dst []byte, v *T) ([]byte, error) {
		dst = append(dst, '[')
		for i, n := range *at(v) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = strconv.AppendInt(dst, int64(n), 10)
		}
		return append(dst, ']'), nil
	}, func(s *Scanner, v *T) bool {
		if !s.Array() {
			return false
		}
		for s.Elem() {
			n, ok := ScanInt[int](s)
			if !ok {
				return false
			}
			*at(v) = append(*at(v), n)
		}
		return s.err == nil
	})
}

// Nested returns a field that holds an object described by a table of its
// own.
func Nested[T, U any](name string, table *Record[U], at func(v *T) *U) Field[T] {
	return Custom(name, func(dst []byte, v *T) ([]byte, error) {
		return table.Append(dst, at(v))
	}, func(s *Scanner, v *T) bool {
		return table.Scan(s, at(v))
	})
}

// Embed returns fields that hold the fields of a struct within T, written among
// those of T itself.
func Embed[T, U any](table *Record[U], at func(v *T) *U) []Field[T] {
	fields := make([]Field[T], len(table.fields))
	for i, f := range table.fields {
		fields[i] = Field[T]{
			name:     f.name,
			optional: f.optional,
			append:   func(dst []byte, v *T) ([]byte, error) { return f.append(dst, at(v)) },
			scan:     func(s *Scanner, v *T) bool { return f.scan(s, at(v)) },
		}
		if f.absent != nil {
			fields[i].absent = func(v *T) bool { return f.absent(at(v)) }
		}
	}
	return fields
}
