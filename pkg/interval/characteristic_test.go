package interval_test

import (
	"reflect"
	"testing"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/units"
)

// The lists have a row for every field of the types that they describe, in
// the order of the fields and under their names, and each row reaches its own.
func TestListsDescribeTheirTypes(t *testing.T) {
	times := reflect.TypeFor[interval.Times]()
	row := 0
	for i := range times.NumField() {
		name := times.Field(i).Tag.Get("json")
		if times.Field(i).Type.Kind() == reflect.Struct {
			continue // a kind of operation
		}
		if row >= len(interval.Characteristics()) {
			t.Fatalf("%s has no row", name)
		}
		c := &interval.Characteristics()[row]
		row++
		var v interval.Times
		reflect.ValueOf(&v).Elem().Field(i).SetFloat(7)
		if c.Name != name || c.Value(&v) != 7 || (c.Unit == interval.UnitRatio) != (c.At(&v) == nil) {
			t.Errorf("row %s stands for field %s and reads %v of 7", c.Name, name, c.Value(&v))
		}
	}
	if row != len(interval.Characteristics()) {
		t.Errorf("%d rows for %d fields", len(interval.Characteristics()), row)
	}
	kind := reflect.TypeFor[interval.KindTimes]()
	if kind.NumField() != len(interval.KindCharacteristics()) {
		t.Fatalf("%d rows for %d fields of a kind", len(interval.KindCharacteristics()), kind.NumField())
	}
	for i, c := range interval.KindCharacteristics() {
		var v interval.KindTimes
		reflect.ValueOf(&v).Elem().Field(i).SetFloat(7)
		if c.Name != kind.Field(i).Tag.Get("json") || *c.AtKind(&v) != units.Seconds(7) {
			t.Errorf("row %s does not stand for field %s", c.Name, kind.Field(i).Name)
		}
	}
}

// Every counter is the value of one characteristic, and only what sums over
// processors is booked.
func TestCountersAreCharacteristics(t *testing.T) {
	seen := map[interval.Counter]string{}
	note := func(name string, c interval.Counter) {
		if other, ok := seen[c]; ok {
			t.Errorf("%s and %s share a counter", name, other)
		}
		seen[c] = name
	}
	for _, c := range interval.Characteristics() {
		if c.Counter == interval.NoCounter {
			continue
		}
		note(c.Name, c.Counter)
		if c.Over != interval.SumOver || !c.Inner {
			t.Errorf("%s is booked but does not add up", c.Name)
		}
	}
	for k := range interval.NumKinds {
		for _, c := range interval.KindCharacteristics() {
			note(k.String()+"."+c.Name, c.Counter.Of(k))
		}
	}
	if len(seen) != interval.NumCounters-1 {
		t.Errorf("%d characteristics are booked in %d counters", len(seen), interval.NumCounters-1)
	}
	for c := range seen {
		if c == interval.NoCounter || int(c) >= interval.NumCounters {
			t.Errorf("%s has the counter %d of %d", seen[c], c, interval.NumCounters)
		}
	}
}
