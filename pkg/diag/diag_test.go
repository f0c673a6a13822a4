package diag_test

import (
	"errors"
	"strings"
	"testing"

	"dvmtools/pkg/diag"
)

func TestErrorShowsSourceAndCaret(t *testing.T) {
	e := diag.New(diag.Pos{File: "a.par", Line: 3, Col: 5}, "par/x", "found %q", "mv")
	e.Source = "\tmvs mv"
	want := "a.par:3:5: found \"mv\"\n  \tmvs mv\n  \t   ^"
	if got := e.Error(); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestPosLeavesOutWhatIsUnknown(t *testing.T) {
	for _, c := range []struct {
		pos  diag.Pos
		want string
	}{
		{diag.Pos{}, "<input>"},
		{diag.Pos{File: "f"}, "f"},
		{diag.Pos{File: "f", Line: 2}, "f:2"},
		{diag.Pos{File: "f", Line: 2, Col: 7}, "f:2:7"},
	} {
		if got := c.pos.String(); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.pos, got, c.want)
		}
	}
}

func TestListErr(t *testing.T) {
	var l diag.List
	l.Add(diag.Warn(diag.Pos{File: "f"}, "c", "only a remark"))
	if err := l.Err(); err != nil {
		t.Fatalf("a list of warnings is no error: %v", err)
	}
	for range 25 {
		l.Add(diag.Truncated(diag.Pos{File: "f"}, "c", "cut"))
	}
	err := l.Err()
	if !errors.Is(err, diag.ErrTruncated) {
		t.Errorf("errors.Is does not find the sentinel in %v", err)
	}
	if n := strings.Count(err.Error(), "cut"); n != diag.MaxErrors {
		t.Errorf("%d errors shown, want %d", n, diag.MaxErrors)
	}
	if !strings.Contains(err.Error(), "5 more") {
		t.Errorf("the number left out is not said: %v", err)
	}
}

func TestSuggest(t *testing.T) {
	known := []string{"ethernet", "myrinet", "transputer"}
	for in, want := range map[string]string{
		"ethenret": "ethernet", "Myrinet": "myrinet", "transpueter": "transputer", "token": "", "": "",
	} {
		if got := diag.Suggest(in, known); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", in, got, want)
		}
	}
}
