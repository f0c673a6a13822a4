package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"dvmtools/cmd/internal/cli"
	"dvmtools/cmd/internal/open"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/expr"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/parasol"
	"dvmtools/pkg/stream"
)

func queryCommand() cli.Command {
	return cli.Command{
		Name: "query", Usage: "answer requests about a Parasol machine", ArgsUsage: "FILE",
		Description: `Reads requests from standard input, one JSON object a line, and answers each at
once (Parasol I, 3.2.5):

    {"get":"pt(1).ila"}           {"record":"value",...}: any field or expression
    {"list":"pt(1)."}             {"record":"field",...} for each field that begins so
    {"set":"pt(1).ila=2e-8"}      {"record":"changed",...} for each value that moved,
    {"scale":"all=0.5"}           those of expressions too

Every answer ends with {"record":"done"} or {"record":"error"}; the stream ends
with {"record":"end"}. The file itself is never changed.`,
		Flags: open.ChangeFlags(),
		Run:   runQuery,
	}
}

// request is a line of the input. One of the members is set.
type request struct {
	Get   *string `json:"get"`
	List  *string `json:"list"`
	Set   *string `json:"set"`
	Scale *string `json:"scale"`
}

// session answers requests about one machine.
type session struct {
	env *cli.Env
	d   *open.Description
	out *stream.Writer
	enc *json.Encoder
}

const maxRequest = 1 << 20

func runQuery(e *cli.Env) error {
	if len(e.Args) != 1 || e.Args[0] == "-" {
		return cli.Usagef("found %d operands, expected one machine file; the requests come from standard input", len(e.Args))
	}
	d, err := openChanged(e, e.Args[0])
	if err != nil {
		return err
	}
	if d.Parasol == nil {
		return diag.New(diag.Pos{File: d.Name, Line: 1, Col: 1}, "machine/language", "found a Predictor.par, expected a machine file of Parasol I; convert --to parasol makes one")
	}
	in, err := e.Open("-")
	if err != nil {
		return err
	}
	s := &session{env: e, d: d}
	if s.out, err = e.Out(); err != nil {
		return err
	}
	s.enc = json.NewEncoder(s.out)
	s.enc.SetEscapeHTML(false)
	lines := bufio.NewReaderSize(in, maxRequest)
	requests := 0
	for n := 1; ; n++ {
		line, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return diag.New(diag.Pos{File: in.Name(), Line: n}, "query/limit", "found a request of more than %d bytes, expected a shorter one", maxRequest)
		case err != nil && !errors.Is(err, io.EOF):
			return err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			requests++
			if bad := s.answer(line); bad != nil {
				var refused *refusal
				if !errors.As(bad, &refused) {
					return bad
				}
				e.Report(diag.New(diag.Pos{File: in.Name(), Line: n}, "query/request", "%s", strings.ReplaceAll(refused.msg, "\n", " ")))
			}
			if err := s.out.Flush(); err != nil {
				return err
			}
		}
		if err != nil {
			return s.enc.Encode(endRecord{Record: "end", Count: requests})
		}
	}
}

// changedRecord is a value before and after a change, as texts.
type changedRecord struct {
	Record string `json:"record"`
	machine.Changed
}

// errorRecord answers a request that has no other answer.
type errorRecord struct {
	Record  string `json:"record"`
	Message string `json:"message"`
}

// endRecord ends an answer ("done") or a stream ("end"), with the number of its
// records or lines.
type endRecord struct {
	Record string `json:"record"`
	Count  int    `json:"count"`
}

// refusal is a request that has an error for its answer.
type refusal struct{ msg string }

func (r *refusal) Error() string { return r.msg }

// answer answers one request. A refusal is written as an answer too.
func (s *session) answer(line []byte) error {
	count, err := s.do(line)
	if err == nil {
		return s.enc.Encode(endRecord{Record: "done", Count: count})
	}
	var refused *refusal
	if !errors.As(err, &refused) {
		return err
	}
	if err := s.enc.Encode(errorRecord{Record: "error", Message: refused.msg}); err != nil {
		return err
	}
	return refused
}

func (s *session) do(line []byte) (count int, err error) {
	var r request
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil || dec.More() {
		return 0, &refusal{fmt.Sprintf("found %q, expected an object with get, list, set or scale", bytes.TrimSpace(line[:min(len(line), 80)]))}
	}
	set := 0
	for _, p := range []*string{r.Get, r.List, r.Set, r.Scale} {
		if p != nil {
			set++
		}
	}
	if set != 1 {
		return 0, &refusal{fmt.Sprintf("found %d of get, list, set and scale, expected one", set)}
	}
	switch {
	case r.Get != nil:
		return 1, s.get(*r.Get)
	case r.List != nil:
		return s.list(*r.List)
	case r.Set != nil:
		return s.change([]string{*r.Set}, nil)
	}
	return s.change(nil, []string{*r.Scale})
}

// get answers with a field, a name or the value of an expression.
func (s *session) get(text string) error {
	m := s.d.Parasol.Machine()
	if strings.HasSuffix(text, ".name") {
		for _, f := range m.Fields() {
			if f.Name == text {
				return s.enc.Encode(valueRecord{Record: "value", Get: text, Value: strings.Trim(f.Text, `"`)})
			}
		}
	}
	v, d, err := evaluate(s.env, m, text, true)
	if err != nil {
		return &refusal{err.Error()}
	}
	return s.enc.Encode(valueOf(text, v, d))
}

// list answers with the fields whose names begin with prefix.
func (s *session) list(prefix string) (n int, err error) {
	for _, f := range s.d.Parasol.Machine().Fields() {
		if strings.HasPrefix(f.Name, prefix) {
			n++
			if err := s.enc.Encode(fieldOf(f)); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// change makes changes and answers with every value that differs after them,
// including those of expressions.
func (s *session) change(sets, scales []string) (n int, err error) {
	before := fieldValues(s.d.Parasol.Machine())
	made, err := s.d.Apply(sets, scales)
	if err != nil {
		return 0, &refusal{err.Error()}
	}
	// The texts of fields are compared too: a new deviation changes no value.
	told := map[string]machine.Changed{}
	for _, a := range made {
		for _, c := range a.Moved {
			told[c.What] = c
		}
	}
	for _, f := range s.d.Parasol.Machine().Fields() {
		old, now := before[f.Name], fieldValue(f)
		c, direct := told[f.Name]
		if !direct && old == now {
			continue
		}
		record := changedRecord{"changed", machine.Changed{What: f.Name, Old: old, New: now}}
		if direct {
			record.Changed = c
		}
		n++
		if err := s.enc.Encode(record); err != nil {
			return n, err
		}
	}
	return n, nil
}

// fieldValues returns the values of all fields as texts.
func fieldValues(m *parasol.Machine) map[string]string {
	values := map[string]string{}
	for _, f := range m.Fields() {
		values[f.Name] = fieldValue(f)
	}
	return values
}

func fieldValue(f parasol.Field) string {
	switch {
	case f.Err != nil:
		return "no value"
	case f.Known:
		return expr.Value.String(f.Value)
	}
	return f.Text
}
