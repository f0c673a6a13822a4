package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/cmd/internal/open"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/parasol"
)

func checkCommand() cli.Command {
	return cli.Command{
		Name: "check", Usage: "find all errors of machine descriptions, and evaluate every expression",
		Run: func(e *cli.Env) error {
			out, err := e.Out()
			if err != nil {
				return err
			}
			for _, name := range e.Inputs() {
				d, err := open.OpenDescription(e, name)
				if err != nil {
					e.Report(err)
					continue
				}
				if err := check(out, e, d); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func check(out io.Writer, e *cli.Env, d *open.Description) error {
	if d.Tree != nil {
		_, err := fmt.Fprintf(out, "%s: in order: %s\n", d.Name, treeWords(d.Tree))
		return err
	}
	m := d.Parasol.Machine()
	if list := m.Check(); list.Err() != nil {
		e.Report(list.Err())
		return nil
	}
	text := fmt.Sprintf("%s: in order: %s\n", d.Name, m.Summary())
	if u := m.Unused(); len(u) > 0 {
		text += fmt.Sprintf("%s: used by no simulation: %s\n", d.Name, strings.Join(u, ", "))
	}
	_, err := io.WriteString(out, text)
	return err
}

func treeWords(m *machine.Machine) string {
	if m.Unbounded {
		return "Predictor.par, form of 2000"
	}
	return fmt.Sprintf("Predictor.par, %d processors", m.Processors())
}

func fmtCommand() cli.Command {
	return cli.Command{
		Name: "fmt", Usage: "print a machine description in canonical form", ArgsUsage: "[FILE]",
		Description: `Comments and statements stay in their order, also those that the simulated
cluster does not use.`,
		Run: func(e *cli.Env) error {
			name, err := open.One(e, "one machine description")
			if err != nil {
				return err
			}
			d, err := open.OpenDescription(e, name)
			if err != nil {
				return err
			}
			return write(e, d.Text())
		},
	}
}

// write sends a text to the output.
func write(e *cli.Env, text string) error {
	out, err := e.Out()
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, text)
	return err
}

func showCommand() cli.Command {
	return cli.Command{
		Name: "show", Usage: "print a machine as a tree, with totals and links", ArgsUsage: "[FILE]",
		Flags: append([]urfave.Flag{
			&urfave.BoolFlag{Name: "timings", Usage: "list every timing and what it measures (Parasol)"},
			&urfave.BoolFlag{Name: "all", Usage: "list all links and processors (Parasol)"},
			&urfave.BoolFlag{Name: "json", Usage: "print records: one per field of a Parasol machine, or the machine of the header of results"},
		}, open.ChangeFlags()...),
		Run: func(e *cli.Env) error {
			name, err := open.One(e, "one machine description")
			if err != nil {
				return err
			}
			d, err := open.OpenDescription(e, name)
			if err != nil {
				return err
			}
			made, err := d.Apply(e.Values("set"), e.Values("scale"))
			if err != nil {
				return err
			}
			out, err := e.Out()
			if err != nil {
				return err
			}
			asJSON := e.Flags.Bool("json")
			for _, a := range made {
				if !asJSON {
					fmt.Fprintf(out, "changed %s\n", a.Words())
				}
			}
			switch {
			case d.Tree != nil && asJSON:
				return json.NewEncoder(out).Encode(d.Tree)
			case d.Tree != nil:
				return d.Tree.Show(out)
			case asJSON:
				return writeFields(out, d.Parasol.Machine())
			}
			return d.Parasol.Machine().Show(out, parasol.ShowOptions{Timings: e.Flags.Bool("timings"), All: e.Flags.Bool("all")})
		},
	}
}

// openChanged opens a description and makes the changes of the command line.
func openChanged(e *cli.Env, name string) (*open.Description, error) {
	d, err := open.OpenDescription(e, name)
	if err != nil {
		return nil, err
	}
	_, err = d.Apply(e.Values("set"), e.Values("scale"))
	return d, err
}

// fieldRecord is a field of a machine as show --json and query write it.
type fieldRecord struct {
	Record string `json:"record"`
	Name   string `json:"name"`
	Value  any    `json:"value"`
	Text   string `json:"text,omitempty"`
	Error  string `json:"error,omitempty"`
}

func writeFields(out io.Writer, m *parasol.Machine) error {
	enc := json.NewEncoder(out)
	fields := m.Fields()
	for _, f := range fields {
		if err := enc.Encode(fieldOf(f)); err != nil {
			return err
		}
	}
	return enc.Encode(endRecord{Record: "end", Count: len(fields)})
}

func fieldOf(f parasol.Field) fieldRecord {
	r := fieldRecord{Record: "field", Name: f.Name, Text: f.Text}
	switch {
	case f.Known:
		r.Value = number(f.Value)
	case f.List != nil:
		r.Value = f.List
	case f.Err != nil:
		r.Error = f.Err.Error()
	default:
		r.Value = strings.Trim(f.Text, `"`)
	}
	return r
}
