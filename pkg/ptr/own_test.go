package ptr_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/ptr"
)

const ownTrace = `RTS VERSION = 2889
ProcCount=2;  PSRank=1;  PSSize= 2;
ret_dvm_Init               TIME=0.10000000 LINE=1      FILE=a.fdv
call_getam_                TIME=0.00000150 LINE=7      FILE=a.fdv
OwnTimes: 0.00000100 0.00000200
 
ret_getam_                 TIME=0.00000100 LINE=7      FILE=a.fdv
OwnTimes: 0.00000100*2
AMRef=a1; 
call_dvm_void_printf       TIME=0.00000100 LINE=8      FILE=a.fdv
OwnTimes: 0.00000100 -
Format=OwnTimes: 1
ret_dvm_void_printf        TIME=0.00000400 LINE=8      FILE=a.fdv
OwnTimes: 0.00000400 -
 
Event_dvm_exit             TIME=0.00000100 LINE=9      FILE=a.fdv
OwnTimes: 0.00000100*2
rc=0;
`

// A trace with own times is written as it was read; they are no text of the
// call, and a text that looks like them stays one.
func TestOwnTimes(t *testing.T) {
	for _, remember := range []int{0, -1} {
		r, err := ptr.NewReader("a.ptr", strings.NewReader(ownTrace), ptr.Options{Remember: remember})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		w := ptr.NewWriter(&b)
		if err := w.Header(r.Header()); err != nil {
			t.Fatal(err)
		}
		for {
			c, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Text)+len(c.RetText) > 0 {
				t.Errorf("%s has text %q %q", c.Func, c.Text, c.RetText)
			}
			if c.Func == "dvm_void_printf" && string(c.Args.Get("Format").Val) != "OwnTimes: 1" {
				t.Errorf("the format is %q", c.Args.Get("Format").Val)
			}
			if err := w.Call(c); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Exit(r.Exit()); err != nil {
			t.Fatal(err)
		}
		// A call without parameters ends with a line of a blank.
		if got := strings.Replace(b.String(), "FILE=a.fdv\n \ncall_getam_", "FILE=a.fdv\ncall_getam_", 1); got != ownTrace {
			t.Errorf("read and written:\n%s", got)
		}
	}
}

func TestBadOwnTimes(t *testing.T) {
	for _, bad := range []string{"OwnTimes: x", "OwnTimes:", "OwnTimes: 0.0000010000001", "OwnTimes: 1*0", "OwnTimes: -1"} {
		text := strings.Replace(ownTrace, "OwnTimes: 0.00000100 0.00000200", bad, 1)
		r, err := ptr.NewReader("a.ptr", strings.NewReader(text), ptr.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = r.Next()
		}
		e, ok := errors.AsType[*diag.Error](err)
		if !ok || e.Code != "ptr/own" || e.Pos.Line != 4 || !strings.Contains(e.Msg, "getam_") {
			t.Errorf("%s: error %v", bad, err)
		}
	}
}
