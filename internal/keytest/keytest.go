// Package keytest tests the keys of caches. Values that differ in anything must
// have different keys; otherwise one gets the results of the other.
package keytest

import (
	"fmt"
	"reflect"
	"testing"
)

// Fields changes what v points to, one field at a time, and fails the test unless
// every variation has a different key. Numbers grow by one, booleans change, and
// slices lose their last element or get it twice; elements of slices and fields of
// structs are changed as well. A pointer is replaced by the one of its type in
// others, which must contain one whose key differs. Slices in v must not be empty.
// When Fields returns, v is as before.
func Fields(t *testing.T, v any, key func() []byte, others ...any) {
	t.Helper()
	w := &walk{t: t, key: key, seen: map[string]string{}, others: map[reflect.Type]reflect.Value{}}
	for _, o := range others {
		w.others[reflect.TypeOf(o)] = reflect.ValueOf(o)
	}
	w.check("no change")
	w.value("", reflect.ValueOf(v).Elem())
	if len(w.seen) < 2 {
		t.Errorf("%T has no fields to change", v)
	}
}

// walk goes over the fields of a value.
type walk struct {
	t      *testing.T
	key    func() []byte
	seen   map[string]string // the change that first gave each key
	others map[reflect.Type]reflect.Value
}

// check fails the test when a change before gave the same key.
func (w *walk) check(change string) {
	w.t.Helper()
	k := string(w.key())
	if before, ok := w.seen[k]; ok {
		w.t.Errorf("%s and %s have the same key %x", before, change, k)
		return
	}
	w.seen[k] = change
}

// try sets v to to, checks the key, and sets v back.
func (w *walk) try(change string, v, to reflect.Value) {
	w.t.Helper()
	old := reflect.New(v.Type()).Elem()
	old.Set(v)
	v.Set(to)
	w.check(change)
	v.Set(old)
}

func (w *walk) value(path string, v reflect.Value) {
	w.t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			w.value(path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Int, reflect.Int64:
		w.try(path+"+1", v, reflect.ValueOf(v.Int()+1).Convert(v.Type()))
	case reflect.Uint8:
		w.try(path+"+1", v, reflect.ValueOf(v.Uint()+1).Convert(v.Type()))
	case reflect.Float64:
		w.try(path+"+1", v, reflect.ValueOf(v.Float()+1))
	case reflect.Bool:
		w.try(path+" changed", v, reflect.ValueOf(!v.Bool()))
	case reflect.Pointer:
		o, ok := w.others[v.Type()]
		if !ok {
			w.t.Errorf("%s is a %v, of which no other was given", path, v.Type())
			return
		}
		w.try(path+" another", v, o)
	case reflect.Slice:
		n := v.Len()
		if n == 0 {
			w.t.Errorf("%s is empty: its elements cannot be changed", path)
			return
		}
		w.try(path+" without its last", v, v.Slice(0, n-1))
		w.try(path+" with its last twice", v, reflect.Append(v.Slice3(0, n, n), v.Index(n-1)))
		for i := range n {
			w.value(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
		}
	default:
		w.t.Errorf("%s is a %v, which cannot be changed", path, v.Type())
	}
}
