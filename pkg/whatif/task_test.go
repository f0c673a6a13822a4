package whatif_test

import (
	"context"
	"encoding/json"
	"testing"

	"dvmtools/pkg/whatif"
)

// A task gives the answer that the engine gives at once, in many turns when these
// are short, in one when they are long; and the engine has its next task behind it.
func TestTask(t *testing.T) {
	b := base(t, "cluster.par", 2, 2)
	e := engineOf(t, "compute/jac.ptr.zst", b)
	for _, request := range []string{requestOf(t, whatif.Request{Page: &b.Setting}), requestOf(t, whatif.Request{Time: &b.Setting}), `{`} {
		e.Begin(b)
		want := string(e.Answer(context.Background(), []byte(request)))
		for short, least := range map[bool]int{true: 3, false: 1} {
			e.Begin(b)
			task, turns := e.Start([]byte(request), func() bool { return short }), 1
			answer := task.Run()
			for ; answer == nil; turns++ {
				answer = task.Run()
			}
			if string(answer) != want {
				t.Errorf("in %d turns:\n%.500s\nexpected\n%.500s", turns, answer, want)
			}
			if request != `{` && turns < least || least == 1 && turns != 1 {
				t.Errorf("%.20s: %d turns, expected at least %d", request, turns, least)
			}
		}
	}
}

// A task that is stopped says so, whenever that happens, and the engine goes on.
func TestTaskStopped(t *testing.T) {
	b := base(t, "cluster.par", 2, 2)
	e := engineOf(t, "compute/jac.ptr.zst", b)
	request := []byte(requestOf(t, whatif.Request{Page: &b.Setting}))
	for turns := range 5 {
		e.Begin(b)
		task := e.Start(request, func() bool { return true })
		for range turns {
			if task.Run() != nil {
				t.Fatalf("an answer after %d turns", turns)
			}
		}
		var a whatif.Answer
		if err := json.Unmarshal(task.Stop(), &a); err != nil || !a.Stopped || a.Error == "" || a.Update != nil {
			t.Errorf("stopped after %d turns: %+v, error %v", turns, a, err)
		}
		if a := ask(t, e, string(request)); a.Error != "" || a.Stopped || a.Time <= 0 {
			t.Errorf("behind a task that was stopped: %+v", a)
		}
	}
	task := e.Start([]byte(`{`), func() bool { return true })
	answer := string(task.Run())
	if s := string(task.Stop()); s != answer || s == "" {
		t.Errorf("stopped when it was over: %s, expected %s", s, answer)
	}
}

// What is to blame for an error is named where it is known.
func TestCauses(t *testing.T) {
	b := base(t, "cluster.par", 2, 2)
	e := engineOf(t, "single/f02_heat3d.ptr.zst", b)
	for request, want := range map[string]string{
		`{"time":{"grid":[2,2],"set":["hpc.TStart=7","hpc.TByte=fast"]}}`: "set hpc.TByte",
		`{"time":{"grid":[2,2],"set":["hpc.TStart=7","hpc.TByte=1e99"]}}`: "set hpc.TByte",
		`{"time":{"grid":[2,2],"scale":["power=2","TByte=-1"]}}`:          "scale TByte",
		`{"time":{"grid":[2,2],"scale":["power=2","TBit=1"]}}`:            "scale TBit",
		`{"time":{"grid":[4096,4096]}}`:                                   "grid",
		`{"time":{"grid":[64,1]}}`:                                        "",
		`{"time":{"grid":[2,2],"order":"last"}}`:                          "order",
		`{"time":{"grid":[2,2],"options":{"balance":"odd"}}}`:             "balance",
	} {
		if a := ask(t, e, request); a.Error == "" || a.Cause != want {
			t.Errorf("%s: cause %q of %q, expected %q", request, a.Cause, a.Error, want)
		}
	}
}
