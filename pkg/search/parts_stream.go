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

// end writes the end record.
func (w *hashedWriter) end(e *PartEnd) error {
	e.Record, e.SHA256 = "end", hex.EncodeToString(w.hash.Sum(nil))
	return w.enc.Encode(e)
}

// WritePlan writes a plan and its cases.
func WritePlan(w io.Writer, p *Plan, cases []Case) error {
	h := newHashedWriter(w)
	if err := h.enc.Encode(p); err != nil {
		return err
	}
	for i := range cases {
		if err := h.enc.Encode(&cases[i]); err != nil {
			return err
		}
	}
	return h.end(&PartEnd{Cases: len(cases)})
}

// records calls add with the kind and the text of every record of a stream but the
// last, and checks that they are those that were written.
func records(name string, r io.Reader, want ndjson.Stream, add func(kind string, raw []byte) error) (end PartEnd, err error) {
	in := ndjson.NewReader(name, r, want)
	sum := sha256.New()
	for {
		kind, err := in.Next()
		if err != nil {
			return end, err
		}
		what := string(kind)
		raw, ok := in.Scanner().Raw()
		if err := in.Done(ok); err != nil {
			return end, err
		}
		if what == "end" {
			if err = json.Unmarshal(raw, &end); err == nil {
				break
			}
		} else {
			sum.Write(raw)
			sum.Write([]byte{'\n'})
			err = add(what, raw)
		}
		if err != nil {
			return end, diag.New(in.Pos(), "search/part", "found a %s record that cannot be used (%v), expected one as dvmsearch writes it", what, err)
		}
	}
	if err := in.Finish(); err != io.EOF {
		return end, err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != end.SHA256 {
		return end, diag.New(diag.Pos{File: name}, "search/damaged", "found records that are not those that were written, expected them unchanged; make the file again")
	}
	return end, nil
}

// ReadPlan reads what [WritePlan] wrote. Every error in it is a [diag.Error].
func ReadPlan(name string, r io.Reader) (*Plan, []Case, error) {
	p := &Plan{}
	var cases []Case
	_, err := records(name, r, ndjson.Stream{Header: "plan", Version: PlanVersion, Content: "a plan", Tool: "dvmsearch --plan"}, func(kind string, raw []byte) error {
		if kind == "plan" {
			return json.Unmarshal(raw, p)
		}
		var c Case
		err := json.Unmarshal(raw, &c)
		cases = append(cases, c)
		return err
	})
	return p, cases, err
}

// A PartWriter writes a part.
type PartWriter struct {
	w   *hashedWriter
	end PartEnd
}

// NewPartWriter begins part i of n of a plan, which has so many cases.
func NewPartWriter(w io.Writer, p *Plan, i, n, cases int) (*PartWriter, error) {
	pw := &PartWriter{newHashedWriter(w), PartEnd{Cases: cases}}
	return pw, pw.w.enc.Encode(PartHeader{"part", PlanVersion, i, n, *p})
}

// Put writes an outcome.
func (w *PartWriter) Put(o *PartOutcome) error {
	w.end.Outcomes++
	return w.w.enc.Encode(o)
}

// End ends the part.
func (w *PartWriter) End() error { return w.w.end(&w.end) }

// ReadPart reads what a [PartWriter] wrote and adds its outcomes to k, if that is
// not nil. Every error in it is a [diag.Error], also that of a part that was changed.
func ReadPart(name string, r io.Reader, k *Known) (*PartHeader, error) {
	h := &PartHeader{}
	_, err := records(name, r, ndjson.Stream{Header: "part", Version: PlanVersion, Content: "a part of a search", Tool: "dvmsearch --run-part"}, func(kind string, raw []byte) error {
		if kind == "part" {
			return json.Unmarshal(raw, h)
		}
		o := &PartOutcome{}
		err := json.Unmarshal(raw, o)
		if k != nil && err == nil {
			k.Add(o)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if h.Part < 1 || h.Part > h.Parts {
		return nil, diag.New(diag.Pos{File: name, Line: 1}, "search/part", "found part %d of %d, expected a part of a plan", h.Part, h.Parts)
	}
	return h, nil
}

// Same reports whether two plans are the same.
func (p *Plan) Same(o *Plan) bool {
	a, err := compact(p)
	b, err2 := compact(o)
	return err == nil && err2 == nil && bytes.Equal(a, b)
}
