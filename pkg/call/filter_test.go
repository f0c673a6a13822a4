package call_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/pkg/call"
)

// copied reads a stream and writes it again, as a filter does, read ahead or
// not.
func copied(t *testing.T, text string, ahead bool) string {
	t.Helper()
	r, err := call.NewReader("x", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	src := call.Source(r)
	if ahead {
		src = call.Ahead(t.Context(), src, 2)
	}
	var out bytes.Buffer
	w := call.NewWriter(&out)
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(w.Header(src.Header()))
	for exited := false; ; {
		c, err := src.Next()
		if src.Exit().Found && !exited {
			exited = true
			check(w.Exit(src.Exit()))
		}
		if errors.Is(err, io.EOF) {
			break
		}
		check(err)
		check(w.Call(c))
	}
	check(w.Rest(call.RestOf(src)))
	check(w.End(src.Warnings()))
	return out.String()
}

// What a later version or somebody else put into a stream stays there: fields
// in every record and object, also the text of their values, and whole
// records. What was noticed in the trace stays as well.
func TestFiltersKeepWhatTheyDoNotKnow(t *testing.T) {
	text := strings.Join([]string{
		`{"record":"trace","version":1,"source":["a.ptr"],"runtime":{"rts_version":2889,"processors":1,"grid":[1],"io_processor":0,"time_digits":8,"host":"n1"},"run":{"by":["me", 1e3]}}`,
		`{"record":"call","seq":1,"func":"tstio_","line":4,"file":"a","call_time":1,"ret_time":2,"args":{},"ret":{"Res":1},"note":"x","weight":1.50}`,
		`{"record":"remark","about":1,"text":"late"}`,
		`{"record":"remark","about":2}`,
		`{"record":"call","seq":2,"func":"crtamv_","line":5,"file":"a","call_time":1,"ret_time":2,"args":{"AMRefPtr":"0","AMRef":"0","Rank":1,"StaticSign":0,"SizeArray":[4]},"ret":{"AMViewRef":"a1"},"nested":[{"func":"f_","line":1,"file":"b","call_time":0,"ret_time":0,"args":{},"ret":{},"record2":null}],"\u00e4":[{"record":"call"}]}`,
		`{"record":"exit","time":0.5,"rc":0,"line":9,"file":"a","signal":0}`,
		`{"record":"remark","about":"all"}`,
		`{"record":"end","calls":2,"warnings":1,"noticed":[{"file":"a.ptr","line":3,"col":0,"code":"ptr/no-ret","message":"no ret_"}],"took":2}`,
	}, "\n") + "\n"
	for _, ahead := range []bool{false, true} {
		if d := cmp.Diff(text, copied(t, text, ahead)); d != "" {
			t.Errorf("ahead %v (-read +written)\n%s", ahead, d)
		}
	}
}

// warnings returns what a reader of the stream notices.
func warnings(t *testing.T, text string) []string {
	t.Helper()
	r, err := call.NewReader("x", strings.NewReader(text))
	for err == nil {
		_, err = r.Next()
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	var list []string
	for _, w := range r.Warnings() {
		list = append(list, w.Error())
	}
	return list
}

// A stream says what was noticed in its trace; one without its exit record, or
// that counts warnings it does not hold, is not passed over in silence, and
// filters do not add to that.
func TestWarningsOfStreams(t *testing.T) {
	const head = `{"record":"trace","version":1,"source":[],"runtime":{"processors":1,"grid":[1]}}` + "\n"
	const exit = `{"record":"exit","time":0,"rc":0}` + "\n"
	const noExit = "x:2:1: warning: the stream has no exit record, so that the time before the program's end and its exit code are not known; did a filter remove it?"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"whole", head + exit + `{"record":"end","calls":0}`, nil},
		{"noticed", head + exit + `{"record":"end","calls":0,"warnings":1,"noticed":[{"file":"a.ptr","line":7,"col":2,"code":"ptr/no-ret","message":"no ret_"}]}`,
			[]string{"a.ptr:7:2: warning: no ret_"}},
		{"only counted", head + exit + `{"record":"end","calls":0,"warnings":3}`,
			[]string{"x:3:1: warning: the end record counts 3 warnings about the trace that it does not hold; parse the trace again to see them"}},
		{"without an exit", head + `{"record":"end","calls":0}`, []string{noExit}},
	} {
		text := c.text + "\n"
		for range 3 {
			if d := cmp.Diff(c.want, warnings(t, text)); d != "" {
				t.Errorf("%s (-want +got)\n%s", c.name, d)
			}
			text = copied(t, text, false)
		}
	}
}
