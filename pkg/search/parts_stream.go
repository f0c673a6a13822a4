package search

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/ndjson"
)

// compact returns a value as JSON that an encoder writes as it is.
func compact(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// A hashedWriter writes records and hashes what it wrote.
type hashedWriter struct {
	enc  *json.Encoder
	hash hash.Hash
}

func newHashedWriter(w io.Writer) *hashedWriter {
	h := &hashedWriter{hash: sha256.New()}
	h.enc = json.NewEncoder(io.MultiWriter(w, h.hash))
	h.enc.SetEscapeHTML(false)
	return h
}

// PlanEnd is the last record of a plan.
type PlanEnd struct {
	Record string `json:"record"`
	Cases  int    `json:"cases"`
}

// WritePlan writes a plan and its cases.
func WritePlan(w io.Writer, p *Plan, cases []Case) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		return err
	}
	for i := range cases {
		if err := enc.Encode(&cases[i]); err != nil {
			return err
		}
	}
	return enc.Encode(PlanEnd{"end", len(cases)})
}

// records calls add with the kind and the text of every record of a stream, to its
// end record.
func records(name string, r io.Reader, want ndjson.Stream, add func(kind string, raw []byte) error) error {
	in := ndjson.NewReader(name, r, want)
	for {
		kind, err := in.Next()
		if err != nil {
			return err
		}
		what := string(kind)
		raw, ok := in.Scanner().Raw()
		if err := in.Done(ok); err != nil {
			return err
		}
		if err := add(what, raw); err != nil {
			return diag.New(in.Pos(), "search/part", "found a %s record that cannot be used (%v), expected one as dvmsearch writes it", what, err)
		}
		if what == "end" {
			if err := in.Finish(); err != io.EOF {
				return err
			}
			return nil
		}
	}
}

// ReadPlan reads what [WritePlan] wrote. Every error in it is a [diag.Error].
func ReadPlan(name string, r io.Reader) (*Plan, []Case, error) {
	p := &Plan{}
	var cases []Case
	err := records(name, r, ndjson.Stream{Header: "plan", Version: PlanVersion, Content: "a plan", Tool: "dvmsearch --plan"}, func(kind string, raw []byte) error {
		switch kind {
		case "plan":
			return json.Unmarshal(raw, p)
		case "case":
			var c Case
			err := json.Unmarshal(raw, &c)
			cases = append(cases, c)
			return err
		}
		return nil
	})
	if err == nil && len(cases) != p.Cases {
		err = diag.New(diag.Pos{File: name}, "search/plan", "found %d cases, expected the %d that the plan states; was it filtered?", len(cases), p.Cases)
	}
	return p, cases, err
}

// A PartWriter writes a part.
type PartWriter struct {
	w   *hashedWriter
	end PartEnd
}

// NewPartWriter begins part i of n of a plan, which has so many cases.
func NewPartWriter(w io.Writer, p *Plan, i, n, cases int) (*PartWriter, error) {
	pw := &PartWriter{newHashedWriter(w), PartEnd{Record: "end", Cases: cases}}
	return pw, pw.w.enc.Encode(PartHeader{"part", PlanVersion, i, n, p})
}

// Put writes an outcome.
func (w *PartWriter) Put(o *PartOutcome) error {
	w.end.Outcomes++
	return w.w.enc.Encode(o)
}

// End ends the part.
func (w *PartWriter) End() error {
	w.end.SHA256 = hex.EncodeToString(w.w.hash.Sum(nil))
	return w.w.enc.Encode(w.end)
}

// ReadPart reads what a [PartWriter] wrote and adds its outcomes to k, if that is
// not nil. Every error in it is a [diag.Error], also that of a part that was changed.
func ReadPart(name string, r io.Reader, k *Known) (*PartHeader, error) {
	h := &PartHeader{}
	var end PartEnd
	sum := sha256.New()
	n := 0
	err := records(name, r, ndjson.Stream{Header: "part", Version: PlanVersion, Content: "a part of a search", Tool: "dvmsearch --run-part"}, func(kind string, raw []byte) error {
		if kind == "end" {
			return json.Unmarshal(raw, &end)
		}
		sum.Write(raw)
		sum.Write([]byte{'\n'})
		switch kind {
		case "part":
			return json.Unmarshal(raw, h)
		case "outcome":
			n++
			o := &PartOutcome{}
			err := json.Unmarshal(raw, o)
			if k != nil && err == nil {
				k.Add(o)
			}
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if h.Plan == nil || h.Part < 1 || h.Part > h.Parts {
		return nil, diag.New(diag.Pos{File: name, Line: 1}, "search/part", "found part %d of %d, expected a part of a plan", h.Part, h.Parts)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != end.SHA256 || n != end.Outcomes {
		return nil, diag.New(diag.Pos{File: name}, "search/damaged", "found %d outcomes that are not those that the part was written with; evaluate it again", n)
	}
	return h, nil
}

// Same reports whether two plans are the same.
func (p *Plan) Same(o *Plan) bool {
	a, err := compact(p)
	b, err2 := compact(o)
	return err == nil && err2 == nil && bytes.Equal(a, b)
}
