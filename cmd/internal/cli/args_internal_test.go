package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	urfave "github.com/urfave/cli/v2"
)

// rewrite is the reference of parse: it replaces the first argument by simpler
// ones ("-qT4" by "--quiet" and "-T4", "-T4" by "--threads=4") until it is a
// setting or an operand.
func rewrite(rules map[string]rule, args []string) (settings, operands []string, failed bool) {
	for len(args) > 0 {
		a, rest := args[0], args[1:]
		r := []rune(a)
		switch {
		case a == "--":
			return settings, append(operands, rest...), false
		case len(r) < 2 || r[0] != '-':
			operands = append(operands, a)
			args = rest
		case r[1] == '-':
			name, value, has := strings.Cut(a[2:], "=")
			o, ok := rules[name]
			switch {
			case !ok || len(name) < 2:
				return settings, operands, true
			case has:
			case o.kind == '0':
				value = "true"
			case o.kind == '?':
				value = o.bare
			case len(rest) == 0:
				return settings, operands, true
			default:
				value, rest = rest[0], rest[1:]
			}
			settings = append(settings, "--"+o.long+"="+value)
			args = rest
		default:
			o, ok := rules[string(r[1])]
			if !ok {
				return settings, operands, true
			}
			tail := a[1+len(string(r[1])):]
			long := "--" + o.long
			switch {
			case strings.HasPrefix(tail, "="):
				args = append([]string{long + tail}, rest...)
			case o.kind == '1' && tail == "":
				args = append([]string{long}, rest...)
			case o.kind == '1':
				args = append([]string{long + "=" + tail}, rest...)
			default:
				digits := ""
				for o.kind == '?' && tail != "" && tail[0] >= '0' && tail[0] <= '9' {
					digits, tail = digits+tail[:1], tail[1:]
				}
				if digits != "" {
					long += "=" + digits
				}
				args = []string{long}
				if strings.HasPrefix(tail, "-") {
					return settings, operands, true // no option is called "-"
				}
				if tail != "" {
					args = append(args, "-"+tail)
				}
				args = append(args, rest...)
			}
		}
	}
	return settings, operands, false
}

// A rule is an option: kind 0 has no value, 1 has one, ? may have one.
type rule struct {
	long, bare string
	kind       byte
}

// flagsFrom makes a table of options from bytes: three bits each for the kind
// and whether there is a short name.
func flagsFrom(spec []byte) ([]urfave.Flag, map[string]rule) {
	rules := map[string]rule{}
	var flags []urfave.Flag
	for i, b := range spec[:min(len(spec), 8)] {
		long := []string{"ab", "output", "abc", "x-y", "threads", "é-long", "q1", "no"}[i]
		short := []string{"a", "o", "c", "x", "T", "é", "1", "n"}[i]
		r := rule{long: long, kind: "01?"[b%3], bare: "bare"}
		names := []string{short}
		if b&4 != 0 {
			names = nil
		}
		switch r.kind {
		case '0':
			flags = append(flags, &urfave.BoolFlag{Name: long, Aliases: names})
		case '1':
			flags = append(flags, &urfave.StringFlag{Name: long, Aliases: names})
		case '?':
			flags = append(flags, &OptionalString{Bare: r.bare, StringFlag: urfave.StringFlag{Name: long, Aliases: names}})
		}
		for _, n := range append(names, long) {
			rules[n] = r
		}
	}
	return flags, rules
}

// Property: parse is the reference; and what it makes of a line means the
// same line to itself.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"f\x00--output", "-aT4\x00f\x00-a", "--output\x00x\x00--ab\x00--\x00-o", "-o\x00-", "-c19a\x00-c=5\x00--abc\x00f",
		"-a-b", "-a--ab", "-\xff", "-é\x00-éa", "--é-long", "-a=false\x00--ab=true", "-1o-\x00", "--a", "-a=b=c\x00-oab=c",
	} {
		for _, spec := range []string{"\x00\x01\x02\x00\x01\x00\x02\x01", "\x01\x02\x00\x05\x04\x02", "\x02\x02\x02\x02"} {
			f.Add([]byte(spec), seed)
		}
	}
	f.Fuzz(func(t *testing.T, spec []byte, line string) {
		flags, rules := flagsFrom(spec)
		table := newTable(flags)
		var args []string
		if line != "" {
			args = strings.Split(line, "\x00")
		}
		got, err := table.parse(slices.Clone(args))
		settings, operands, failed := rewrite(rules, args)
		if (err != nil) != failed {
			t.Fatalf("%q: error %v, the reference fails: %v", args, err, failed)
		}
		if err != nil {
			if u, ok := errors.AsType[*UsageError](err); !ok || strings.Contains(u.Msg, "\n") {
				t.Errorf("%q: %v is no usage error of one line", args, err)
			}
			return
		}
		want := append(append(settings, "--"), operands...)
		if !slices.Equal(got.canonical(), want) {
			t.Errorf("%q: got %q, want %q", args, got.canonical(), want)
		}
		again, err := table.parse(got.canonical())
		if err != nil || !slices.Equal(again.canonical(), want) {
			t.Errorf("%q: read again %q, %v", want, again.canonical(), err)
		}
	})
}

// What was meant survives any way of writing it, and urfave/cli agrees.
func TestParseSpellings(t *testing.T) {
	flags := func() []urfave.Flag {
		return []urfave.Flag{
			&urfave.StringFlag{Name: "grid", Aliases: []string{"g"}},
			&urfave.BoolFlag{Name: "quiet", Aliases: []string{"q"}},
			&OptionalString{Bare: "1", StringFlag: urfave.StringFlag{Name: "zstd", Aliases: []string{"z"}}},
		}
	}
	grids := []string{"-g4x4", "-g=4x4", "-g 4x4", "--grid=4x4", "--grid 4x4"}
	quiets := []string{"-q", "--quiet", "--quiet=true", "-q=true"}
	zstds := []string{"-z9", "--zstd=9", "-z=9"}
	for _, g := range grids {
		for _, q := range quiets {
			for _, z := range zstds {
				for _, order := range []string{"%[1]s %[2]s %[3]s f", "f %[3]s %[2]s %[1]s", "%[2]s f %[3]s %[1]s", "%[3]s %[1]s %[2]s -- f"} {
					line := fmt.Sprintf(order, g, q, z)
					p, err := newTable(flags()).parse(strings.Fields(line))
					if err != nil {
						t.Fatalf("%s: %v", line, err)
					}
					var meant string
					app := &urfave.App{Flags: flags(), HideHelp: true, HideHelpCommand: true, Action: func(c *urfave.Context) error {
						meant = fmt.Sprintf("%s %v %s %v", c.String("g"), c.Bool("q"), c.String("z"), c.Args().Slice())
						return nil
					}}
					if err := app.Run(append([]string{"x"}, p.canonical()...)); err != nil || meant != "4x4 true 9 [f]" {
						t.Errorf("%s: means %q, %v", line, meant, err)
					}
				}
			}
		}
	}
	if p, err := newTable(flags()).parse([]string{"-qzg4", "-z", "5"}); err != nil ||
		!slices.Equal(p.canonical(), []string{"--quiet=true", "--zstd=1", "--grid=4", "--zstd=1", "--", "5"}) {
		t.Errorf("%q, %v", p.canonical(), err)
	}
}

func TestDuplicateOptionPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("two options of one name pass")
		}
	}()
	newTable(append(commonFlags(nil), &urfave.BoolFlag{Name: "mine", Aliases: []string{"q"}}))
}
