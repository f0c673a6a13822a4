package tracescale

import (
	"strings"
	"testing"
)

const trace = `
RTS VERSION = 2889
ret_dvm_Init               TIME=0.10000000 LINE=1      FILE=a.fdv
call_begbl_                TIME=0.00000050 LINE=1      FILE=a TIME=7.fdv
ret_begbl_                 TIME=0.00000200 LINE=1      FILE=a.fdv
call_crtpl_                TIME=0.50000000 LINE=2      FILE=a.fdv
Rank=1; call_dopl_ TIME=1.0
ret_crtpl_                 TIME=0.00000100 LINE=2      FILE=a.fdv
call_dopl_                 TIME=0.00000125 LINE=3      FILE=a.fdv
LoopRef=1;
ret_dopl_                  TIME=0.00000125 LINE=3      FILE=a.fdv
DoPL=1;
call_bsloop_               TIME=0.00000150 LINE=3      FILE=a.fdv
ret_bsloop_                TIME=0.00000175 LINE=3      FILE=a.fdv
NAME=call_dopl_                 TIME=0.125 0.5 LINE=3      FILE=a.fdv
ret_dopl_                  TIME=0.00000125 LINE=3      FILE=a.fdv
DoPL=0;
call_endpl_                TIME=0.00000225 LINE=3      FILE=a.fdv
ret_endpl_                 TIME=0.00000225 LINE=3      FILE=a.fdv
Event_dvm_exit             TIME=0.00011206 LINE=66     FILE=a.fdv
rc=0;`

func TestScale(t *testing.T) {
	run := func(loops float64, noStartup bool) string {
		var b strings.Builder
		if err := Scale(&b, strings.NewReader(trace), loops, noStartup); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := run(1, false); got != trace {
		t.Errorf("nothing asked for, but got\n%s", got)
	}
	want := strings.NewReplacer(
		"TIME=0.00000150", "TIME=0.00015000", "TIME=0.00000175", "TIME=0.00017500",
		"TIME=0.125 0.5", "TIME=12.500 0.5",
	).Replace(trace)
	if got := run(100, false); got != want {
		t.Errorf("loops times 100: got\n%s\nwant\n%s", got, want)
	}
	want = strings.NewReplacer(
		"TIME=0.10000000", "TIME=0.00000100", "ret_begbl_                 TIME=0.00000200", "ret_begbl_                 TIME=0.00000100",
	).Replace(trace)
	if got := run(1, true); got != want {
		t.Errorf("without start-up: got\n%s\nwant\n%s", got, want)
	}
}

func TestScaleRefuses(t *testing.T) {
	bad := "ret_dopl_ TIME=1 LINE=1 FILE=a\nDoPL=1;\ncall_dopl_ TIME=x LINE=1 FILE=\n"
	err := Scale(&strings.Builder{}, strings.NewReader(bad), 2, false)
	if err == nil || err.Error() != `line 3: found TIME="", expected a decimal fraction` {
		t.Errorf("error %v", err)
	}
}
