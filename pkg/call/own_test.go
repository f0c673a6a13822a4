package call_test

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/pkg/call"
	"dvmtools/pkg/units"
)

const ownHeader = `{"record":"trace","version":1,"source":["a.ptr"],"runtime":{"processors":3,"grid":[3]}}` + "\n"

func ownCall(own string) string {
	return ownHeader + `{"record":"call","seq":1,"func":"getam_","line":7,"file":"a.fdv","call_time":2e-06,"ret_time":1e-06,"args":{},"ret":{},"own":` + own + "}\n" +
		`{"record":"exit","time":0,"rc":0,"own":[0,1e-06,0]}` + "\n" + `{"record":"end","calls":1}` + "\n"
}

// Own times are read from records and written as they were.
func TestOwnTimesOfRecords(t *testing.T) {
	for _, own := range []string{
		`{"call_time":[1e-06,null,3e-06],"ret_time":[0,null,2e-06]}`,
		`{"call_time":[1e-06,2e-06,3e-06]}`,
		`{"ret_time":[null,null,0.5]}`,
	} {
		r, err := call.NewReader("x", strings.NewReader(ownCall(own)))
		if err != nil {
			t.Fatal(err)
		}
		c, err := r.Next()
		if err != nil {
			t.Fatalf("%s: %v", own, err)
		}
		var b bytes.Buffer
		w := call.NewWriter(&b)
		d := c.Clone()
		if err := w.Call(&d); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), `"own":`+own) {
			t.Errorf("%s was written as %s", own, b.String())
		}
		if _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]units.Seconds{0, 1e-6, 0}, r.Exit().Own); diff != "" {
			t.Errorf("own times of the end: %s", diff)
		}
		if err := d.CheckOwn(3); err != nil {
			t.Error(err)
		}
		if err := d.CheckOwn(2); err == nil || !strings.Contains(err.Error(), "own times of 3 processes, expected 2") {
			t.Errorf("3 own times of 2 processes: %v", err)
		}
	}
}

// A call read into the memory of one with own times has only its own.
func TestOwnTimesAreNotKeptFromTheCallBefore(t *testing.T) {
	c := call.Call{Own: call.Own{Call: []units.Seconds{1}, Ret: []units.Seconds{2}}}
	if c.Reset(); !c.Own.Empty() {
		t.Errorf("own times after Reset: %v", c.Own)
	}
}

func TestOwnTimesThatAreNone(t *testing.T) {
	for own, want := range map[string]string{
		`{"call_time":[-1]}`:       "found the time -1",
		`{"call_time":["a"]}`:      "expected",
		`{"call_time":[1e-06`:      "",
		`[1,2,3]`:                  "expected an object",
		`{"call_time":{"0":1}}`:    "expected an array",
		`{"ret_time":[null,nil]}`:  "",
		`{"ret_time":[null],"x":1`: "",
	} {
		r, err := call.NewReader("x", strings.NewReader(ownCall(own)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = r.Next(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", own, err, want)
		}
	}
}

func appendMicros(dst []byte, t units.Seconds) []byte {
	return strconv.AppendFloat(dst, float64(t), 'f', 8, 64)
}

func readFloat(b []byte) (units.Seconds, bool) {
	x, err := strconv.ParseFloat(string(b), 64)
	return units.Seconds(x), err == nil && x >= 0
}

// The line of a trace that holds own times, and what of it is none.
func TestOwnLines(t *testing.T) {
	const a = call.Absent
	for _, c := range []struct {
		times []units.Seconds
		line  string
	}{
		{[]units.Seconds{1e-6, 2e-6}, "OwnTimes: 0.00000100 0.00000200"},
		{[]units.Seconds{1e-6, 1e-6, 1e-6, 0}, "OwnTimes: 0.00000100*3 0.00000000"},
		{[]units.Seconds{a, 1e-6, a, a}, "OwnTimes: - 0.00000100 -*2"},
	} {
		if got := string(call.AppendOwnLine(nil, c.times, appendMicros)); got != c.line {
			t.Errorf("%v: %q, want %q", c.times, got, c.line)
		}
		got, ok := call.ScanOwnLine(nil, []byte(c.line), readFloat)
		if diff := cmp.Diff(c.times, got); !ok || diff != "" {
			t.Errorf("%q: %v %s", c.line, ok, diff)
		}
	}
	for _, line := range []string{"OwnTimes:", "OwnTimes: x", "OwnTimes: 1*0", "OwnTimes: 1*-2", "OwnTimes: 1*", "OwnTimes: -1", "OwnTimes: 1*2000000", "Owntimes: 1", "OwnTimes: 1*9999999999999999999"} {
		if times, ok := call.ScanOwnLine(nil, []byte(line), readFloat); ok {
			t.Errorf("%q was read as %v", line, times)
		}
	}
}

// What is read from a line is written so that it is read again.
func FuzzOwnLine(f *testing.F) {
	f.Add("OwnTimes: 0.00000100*3 - 0.5")
	f.Add("OwnTimes: -*4")
	f.Fuzz(func(t *testing.T, line string) {
		times, ok := call.ScanOwnLine(nil, []byte(line), readFloat)
		if !ok || len(times) > 1000 {
			return
		}
		exact := func(dst []byte, t units.Seconds) []byte { return strconv.AppendFloat(dst, float64(t), 'g', -1, 64) }
		again, ok := call.ScanOwnLine(nil, call.AppendOwnLine(nil, times, exact), readFloat)
		if diff := cmp.Diff(times, again); !ok || diff != "" {
			t.Errorf("%q: read again: %v %s", line, ok, diff)
		}
	})
}
