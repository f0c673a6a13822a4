package main

import (
	"encoding/json"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/cmd/internal/open"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/expr"
	"dvmtools/pkg/machine/parasol"
)

func evalCommand() cli.Command {
	return cli.Command{
		Name: "eval", Usage: "print the values of expressions about a Parasol machine", ArgsUsage: "FILE EXPRESSION...",
		Description: `An expression has the operators and functions of C, ** for powers, and references
such as pt(1).ila. Times are in seconds.`,
		Flags: append([]urfave.Flag{
			&urfave.BoolFlag{Name: "sd", Usage: "the standard deviation too, to the first order, over the distinct timings"},
			&urfave.BoolFlag{Name: "json", Usage: "one record per expression"},
		}, open.ChangeFlags()...),
		Examples: []cli.Example{
			{Line: "dvmmachine eval sparc.mach 'pt(1).ila*4 + pt(1).goto' --sd", Text: "four additions and a goto"},
		},
		Run: runEval,
	}
}

func runEval(e *cli.Env) error {
	if len(e.Args) < 2 {
		return cli.Usagef("found %d operands, expected a machine file and at least one expression", len(e.Args))
	}
	m, err := openParasol(e, e.Args[0])
	if err != nil {
		return err
	}
	out, err := e.Out()
	if err != nil {
		return err
	}
	sd := e.Flags.Bool("sd")
	for _, text := range e.Args[1:] {
		r, d, err := evaluate(e, m, text, sd)
		if err != nil {
			return err
		}
		if e.Flags.Bool("json") {
			if err := json.NewEncoder(out).Encode(valueOf(text, r, d)); err != nil {
				return err
			}
		} else if _, err := out.WriteString(parasol.Describe(r, d) + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// openParasol opens a machine file of Parasol I, with the changes of the
// command line.
func openParasol(e *cli.Env, name string) (*parasol.Machine, error) {
	d, err := openChanged(e, name)
	if err != nil {
		return nil, err
	}
	if d.Parasol == nil {
		return nil, diag.New(diag.Pos{File: d.Name, Line: 1, Col: 1}, "machine/language", "found a Predictor.par, expected a machine file of Parasol I; convert --to parasol makes one")
	}
	return d.Parasol.Machine(), nil
}

// evaluate returns the value of an expression, and its deviation when it is
// asked for, and shows the warnings about it.
func evaluate(e *cli.Env, m *parasol.Machine, text string, sd bool) (expr.Value, *expr.Deviation, error) {
	x, list := m.Expression("expression", text)
	if err := list.Err(); err != nil {
		return expr.Value{}, nil, err
	}
	for _, w := range list.Warnings() {
		e.Warn(w)
	}
	ev := m.Evaluator(sd)
	r, fault := ev.Eval(x)
	if fault != nil {
		return expr.Value{}, nil, fault
	}
	if !sd {
		return r.Value, nil, nil
	}
	d := ev.Deviation(r)
	return r.Value, &d, nil
}

// number returns a value for JSON, an integer without a point.
func number(v expr.Value) any {
	if i, ok := v.Int(); ok {
		return i
	}
	return v.Float()
}

// valueRecord is a value as eval --json and query write it. SD is absent when the
// deviation is not known; Unknown then names the fields without one.
type valueRecord struct {
	Record  string   `json:"record"`
	Get     string   `json:"get"`
	Value   any      `json:"value"`
	SD      *float64 `json:"sd,omitempty"`
	Unknown []string `json:"sd_unknown,omitempty"`
}

func valueOf(text string, v expr.Value, d *expr.Deviation) valueRecord {
	r := valueRecord{Record: "value", Get: text, Value: number(v)}
	switch {
	case d == nil:
	case d.Singular:
		r.Unknown = []string{"the derivative"}
	case len(d.Unknown) > 0:
		for _, u := range d.Unknown {
			r.Unknown = append(r.Unknown, u.Name)
		}
	default:
		r.SD = &d.Sigma
	}
	return r
}
