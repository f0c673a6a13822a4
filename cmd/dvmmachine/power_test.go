package main

import "testing"

// TestTraceRatio: the target takes 2 s, the machine traced on 5 s, so that the
// target has 2.5 times the power.
func TestTraceRatio(t *testing.T) {
	target := &computed{name: "a", calls: []string{"x", "y"}, time: 2}
	traced := &computed{name: "b", calls: []string{"x", "y"}, time: 5}
	if r, err := traceRatio(target, traced); err != nil || r.Power != 2.5 {
		t.Errorf("%v, %v: want 2.5", r, err)
	}
	for name, other := range map[string]*computed{
		"another call": {calls: []string{"x", "z"}, time: 1},
		"fewer calls":  {calls: []string{"x"}, time: 1},
		"no time":      {calls: []string{"x", "y"}},
	} {
		if r, err := traceRatio(target, other); err == nil {
			t.Errorf("%s: %v, want an error", name, r)
		}
	}
}
