package open

import (
	"bytes"
	"fmt"
	"io"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/machine/parasol"
)

// A Description is a machine description in one of the languages: Parasol is
// set for a machine file of Parasol I, Tree for Predictor.par.
type Description struct {
	Name    string
	Parasol *parasol.File
	Tree    *machine.Machine

	text []byte
}

// OpenDescription reads a machine description, finds its language from the
// content, and shows the warnings about it.
func OpenDescription(e *cli.Env, name string) (*Description, error) {
	in, err := e.Open(name)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(in, parasol.MaxFile+1))
	if err != nil {
		return nil, err
	}
	if err := in.Close(); err != nil {
		return nil, err
	}
	pos := diag.Pos{File: in.Name(), Line: 1, Col: 1}
	switch start := bytes.TrimSpace(bytes.TrimPrefix(text[:min(len(text), 4096)], []byte("\ufeff"))); {
	case len(start) > 0 && start[0] == '{' && bytes.Contains(start, []byte(`"record"`)):
		return nil, diag.New(pos, "machine/stream", "found a stream of records, expected a machine description")
	case bytes.Contains(start, []byte("RTS VERSION")):
		return nil, diag.New(pos, "machine/trace", "found a trace, expected a machine description")
	}
	d := &Description{Name: in.Name(), text: text}
	var list diag.List
	if parasol.Is(text) {
		d.Parasol, list = parasol.Parse(in.Name(), text)
	} else {
		d.Tree, list = par.Parse(in.Name(), text)
	}
	for _, w := range list.Warnings() {
		e.Warn(w)
	}
	for _, n := range list.Notes() {
		e.Note(n)
	}
	return d, list.Err()
}

// ChangeFlags are the options of commands that change a machine before they
// use it.
func ChangeFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringSliceFlag{Name: "set", Usage: "set a parameter of the machine before: `PARAMETER=VALUE`, such as mvs.TStart=5; repeat it for more"},
		&urfave.StringSliceFlag{Name: "scale", Usage: "multiply a parameter of the machine, or a group, before: `GROUP=FACTOR`, such as power=2; repeat it for more"},
	}
}

// Applied is a change that was made, with the parameters that it changed.
type Applied struct {
	Change machine.Change
	Moved  []machine.Changed
}

// Words returns a line that says what a change did, and whether the machine
// became faster or slower.
func (a Applied) Words() string {
	effect := ""
	if len(a.Moved) > 0 {
		if effect = a.Moved[0].Effect(); effect != "" {
			effect = ", " + effect
		}
	}
	if len(a.Moved) == 1 {
		return fmt.Sprintf("%s: from %s to %s%s", a.Moved[0].What, a.Moved[0].Old, a.Moved[0].New, effect)
	}
	return fmt.Sprintf("%s: %d values%s", a.Change, len(a.Moved), effect)
}

// Apply makes changes, those of sets first, each list in its order, and returns
// the parameters that they changed. A change that cannot be parsed is a usage
// error.
func (d *Description) Apply(sets, scales []string) ([]Applied, error) {
	var made []Applied
	for i, s := range append(append([]string{}, sets...), scales...) {
		read := machine.ParseSet
		if i >= len(sets) {
			read = machine.ParseScale
		}
		c, err := read(s)
		if err != nil {
			return nil, cli.Usagef("%v", err)
		}
		m, err := d.change(c)
		if err != nil {
			return nil, err
		}
		made = append(made, Applied{c, m})
	}
	return made, nil
}

// change makes one change and returns the parameters that it changed.
func (d *Description) change(c machine.Change) (m []machine.Changed, err error) {
	if d.Parasol != nil {
		m, err = d.Parasol.Apply(c)
	} else {
		m, err = d.Tree.Apply(c)
	}
	if err != nil {
		return nil, &changeError{err}
	}
	return m, nil
}

// changeError is the error of a change that cannot be made on this machine,
// although the command line and the machine are both valid.
type changeError struct{ err error }

func (e *changeError) Error() string { return e.err.Error() }

// Text returns the description in canonical form, with its comments.
func (d *Description) Text() string {
	if d.Parasol != nil {
		return d.Parasol.String()
	}
	return par.Rewrite(par.Source{Name: d.Name, Text: d.text}, d.Tree)
}

// Comments returns how many comments the description has.
func (d *Description) Comments() int {
	if d.Parasol != nil {
		return d.Parasol.Comments()
	}
	return par.Comments(par.Source{Name: d.Name, Text: d.text})
}
