package whatif

import (
	"slices"
	"strconv"
	"strings"

	"dvmtools/pkg/options"
)

// unnamed stands in commands for a machine description whose file is not known.
const unnamed = "MACHINE"

// Command returns the command line that gives the same as [Engine.Simulate] with
// a setting, for a POSIX shell. Where the page was made without the machine's
// file, it names MACHINE in its place.
func (e *Engine) Command(s Setting) string {
	b := &e.base
	args := []string{"dvmsim"}
	add := func(list ...string) { args = append(args, list...) }
	if len(b.Machine.Files) == 0 {
		add("-m", unnamed)
	}
	for _, f := range b.Machine.Files {
		add("-m", f.Name)
	}
	for _, o := range []struct{ name, value string }{
		{"--topology-id", b.Machine.Topology}, {"--model", b.Machine.Model}, {"--traced-on", s.TracedOn},
	} {
		if o.value != "" {
			add(o.name, o.value)
		}
	}
	if b.Machine.SmallLoops {
		add("--small-loops")
	}
	for _, c := range s.Set {
		add("--set", c)
	}
	for _, c := range s.Scale {
		add("--scale", c)
	}
	if s.Order != "" {
		add("--order", string(s.Order))
	}
	add("-g", gridText(s.Grid))
	for _, c := range options.Choices() {
		if v := c.Get(&s.Options); v != "" && v != c.Values[0] {
			add("--"+c.Name, v)
		}
	}
	if b.Sections != "" {
		add("--sections", b.Sections)
	}
	for _, c := range b.LoopCost {
		add("--loop-cost", c)
	}
	if b.Level >= 0 {
		add("--level", strconv.Itoa(b.Level))
	}
	if b.Detail != "classes" {
		add("--per-processor", b.Detail)
	}
	if !b.Lines {
		add("--lines=false")
	}
	if b.POP {
		add("--pop")
	}
	if b.Lenient {
		add("--lenient")
	}
	add(b.Calls)
	for i, a := range args {
		args[i] = quoted(a)
	}
	return strings.Join(args, " ")
}

// gridText returns "4x4".
func gridText(grid []int) string {
	var parts []string
	for _, n := range grid {
		parts = append(parts, strconv.Itoa(n))
	}
	return strings.Join(parts, "x")
}

// quoted returns a word as a POSIX shell reads it.
func quoted(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,+@%", r)
	}
	if s != "" && !slices.ContainsFunc([]rune(s), func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
