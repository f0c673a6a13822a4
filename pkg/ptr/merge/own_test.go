package merge_test

import (
	"bytes"
	"regexp"
	"testing"

	"dvmtools/pkg/ptr/merge"
)

var ownLines = regexp.MustCompile(`(?m)^OwnTimes: .*\n`)

// Own times are kept beside the merged ones: those of a call that only some
// processes execute, of one without a ret_ line, of an operation that waits, and of the
// end.
func TestOwnTimes(t *testing.T) {
	got := merged(t, merge.Options{KeepOwn: true},
		trace(3, "call_getam_ 0.00000100 5\nret_getam_ 0.00000300 5\ncall_bsynch_ 0.00000100 6\nret_bsynch_ 0.5 6\ncall_tron_ 0.00000700 7"),
		trace(3, "call_getam_ 0.00000200 5\nret_getam_ 0.00000300 5\ncall_begbl_ 0.00000100 5\nret_begbl_ 0.00000100 5\ncall_bsynch_ 0.00000100 6\nret_bsynch_ 0.00000100 6\ncall_tron_ 0.00000700 7"),
		trace(3, "call_getam_ 0.00000300 5\nret_getam_ 0.00000300 5\ncall_bsynch_ 0.00000100 6\nret_bsynch_ 0.25 6\ncall_tron_ 0.00000800 7\nEvent_dvm_exit 0.00000400 99\nrc=0;"))
	same(t, got, `
		call_getam_ 0.00000200 5 OwnTimes: 0.00000100 0.00000200 0.00000300
		ret_getam_ 0.00000300 5 OwnTimes: 0.00000300*3
		call_begbl_ 0.00000100 5 OwnTimes: - 0.00000100 -
		ret_begbl_ 0.00000100 5 OwnTimes: - 0.00000100 -
		call_bsynch_ 0.00000100 6 OwnTimes: 0.00000100*3
		ret_bsynch_ 0.00000100 6 OwnTimes: 0.50000000 0.00000100 0.25000000
		call_tron_ 0.000007333333 7 OwnTimes: 0.00000700*2 0.00000800
		Event_dvm_exit 0.00000200 99 OwnTimes: 0.00000100*2 0.00000400 rc=0;`)
}

// For every run a merged trace without its lines of own times equals the one
// without the option. A single trace is copied unchanged.
func TestOwnTimesChangeNothingElse(t *testing.T) {
	for _, r := range runs(t) {
		plain, own := merged(t, merge.Options{}, r.texts...), merged(t, merge.Options{KeepOwn: true}, r.texts...)
		if bytes.Equal(plain, own) {
			t.Errorf("%s: no own times", r.Name)
		}
		if !bytes.Equal(plain, ownLines.ReplaceAll(own, nil)) {
			t.Errorf("%s: more than own times was added", r.Name)
		}
	}
	one := trace(1, "call_getam_ 0.00000100 5\nret_getam_ 0.00000300 5")
	if got := merged(t, merge.Options{KeepOwn: true}, one); !bytes.Equal(got, one) {
		t.Errorf("a set of one process became\n%s", got)
	}
}
