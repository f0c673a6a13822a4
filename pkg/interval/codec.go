package interval

import (
	"bytes"
	"encoding/json"

	"dvmtools/pkg/ndjson"
	"dvmtools/pkg/options"
	"dvmtools/pkg/units"
)

// The records of an interval stream (schema/README.md): the header
// "simulation"; "interval" for each interval, parents first; "processor" for
// each class of processors in an interval; "line" for each line of the source
// in an interval; "exchange" for what exchanges that are started at a place cost; "span" for each piece of a timeline; "end". [Writer] writes and [Reader] reads them. The tables below
// are the only place that knows how fields are named in records.
const (
	recSimulation = "simulation"
	recInterval   = "interval"
	recProcessor  = "processor"
	recLine       = "line"
	recExchange   = "exchange"
	recSpan       = "span"
	recEnd        = "end"
)

var streamOfIntervals = ndjson.Stream{
	Header: recSimulation, Version: Version, Content: "the intervals of a simulated program", Tool: "dvmsim",
}

// SpanKind says what processors do in a span.
type SpanKind string

// The kinds of spans.
const (
	SpanCPU           SpanKind = "cpu"
	SpanSYS           SpanKind = "sys"
	SpanIO            SpanKind = "io"
	SpanWait          SpanKind = "wait"
	SpanCommunication SpanKind = "communication"
)

// Span is a piece of the timeline: processors that do the same from Start to
// End.
type Span struct {
	// Processors is a set of linear numbers of the form "0,2-4".
	Processors string        `json:"processors"`
	Start      units.Seconds `json:"start"`
	End        units.Seconds `json:"end"`
	Kind       SpanKind      `json:"kind"`
	// Op names the operation, such as "reduction"; "" outside of operations.
	Op string `json:"op,omitempty"`
	// Interval is the ID of the innermost interval.
	Interval int `json:"interval"`
	// Seq is the number of the call that caused the span, 0 for none.
	Seq int64 `json:"seq"`
}

// header is the header record with its version.
type header struct {
	version int64
	*Header
}

var headerRecord = ndjson.NewRecord("a header",
	ndjson.Int("version", func(h *header) *int64 { return &h.version }),
	ndjson.Custom("machine", appendMachine, scanMachine),
	ndjson.Ints("grid", func(h *header) *[]int { return &h.Grid }),
	ndjson.Int("processors", func(h *header) *int64 { return &h.Processors }),
	ndjson.Strings("source", func(h *header) *[]string { return &h.Source }).Optional(),
	ndjson.Float("startup", func(h *header) *units.Seconds { return &h.Startup }).Optional(),
	ndjson.Bool("measured", func(h *header) *bool { return &h.Measured }).OmitIf(func(h *header) bool { return !h.Measured }),
	ndjson.Nested("options", optionsRecord, func(h *header) *Options { return &h.Options }).Optional(),
)

var optionsRecord = ndjson.NewRecord("a set of options", append(choiceFields(),
	ndjson.String("sections", func(o *Options) *string { return &o.Sections }).OmitIf(func(o *Options) bool { return o.Sections == "" }),
	ndjson.Strings("loop_cost", func(o *Options) *[]string { return &o.LoopCost }).OmitIf(func(o *Options) bool { return len(o.LoopCost) == 0 }),
	ndjson.Int("own_times", func(o *Options) *int { return &o.OwnTimes }).OmitIf(func(o *Options) bool { return o.OwnTimes == 0 }),
	ndjson.Int("level", func(o *Options) *int { return &o.Level }))...)

// choiceFields are the fields of the choices of the model.
func choiceFields() []ndjson.Field[Options] {
	var fields []ndjson.Field[Options]
	for _, c := range options.Choices() {
		fields = append(fields, ndjson.Custom(c.Name, func(dst []byte, o *Options) ([]byte, error) {
			return ndjson.AppendString(dst, c.Get(&o.Model)), nil
		}, func(s *ndjson.Scanner, o *Options) bool {
			b, ok := s.Bytes()
			if !ok || len(b) == 0 {
				return ok // a stream without options, read and written again
			}
			if err := c.Set(&o.Model, string(b)); err != nil {
				return s.Fail("interval/options", "%s: %v; was the stream written by another version?", c.Name, err)
			}
			return true
		}))
	}
	return fields
}

// The machine is small and comes once, so that package encoding/json, which
// knows its types, reads and writes it.
func appendMachine(dst []byte, h *header) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(&h.Machine); err != nil {
		return dst, err
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...), nil
}

func scanMachine(s *ndjson.Scanner, h *header) bool {
	raw, ok := s.Raw()
	if !ok {
		return false
	}
	if err := json.Unmarshal(raw, &h.Machine); err != nil {
		return s.Fail("interval/machine", "found a machine that cannot be read (%v), expected one as dvmsim writes it", err)
	}
	return true
}

var kindRecord = ndjson.NewRecord("a kind of operation", kindFields()...)

// kindFields returns the fields of a kind of operation.
func kindFields() []ndjson.Field[KindTimes] {
	var fields []ndjson.Field[KindTimes]
	for _, c := range kindCharacteristics {
		fields = append(fields, ndjson.Float(c.Name, c.kind))
	}
	return fields
}

var timesRecord = ndjson.NewRecord("a set of characteristics", timesFields(func(*Characteristic) bool { return true })...)

// timesFields returns the fields of a set of characteristics: its own as far
// as they are wanted, then an object for each kind of operation.
func timesFields(wanted func(*Characteristic) bool) []ndjson.Field[Times] {
	var fields []ndjson.Field[Times]
	for _, c := range characteristics {
		if !wanted(&c) {
			continue
		}
		if c.ratio != nil {
			fields = append(fields, ndjson.Float(c.Name, c.ratio))
		} else {
			fields = append(fields, ndjson.Float(c.Name, c.times))
		}
	}
	return append(fields, perKind(func(k Kind) ndjson.Field[Times] {
		return ndjson.Nested(k.String(), kindRecord, func(t *Times) *KindTimes { return t.Kind(k) })
	})...)
}

var operationsRecord = ndjson.NewRecord("a set of counters", perKind(func(k Kind) ndjson.Field[Operations] {
	return ndjson.Int(k.String(), func(o *Operations) *int64 { return o.Kind(k) })
})...)

// perKind returns a field for each kind of operation.
func perKind[T any](field func(k Kind) ndjson.Field[T]) []ndjson.Field[T] {
	var fields []ndjson.Field[T]
	for k := range NumKinds {
		fields = append(fields, field(k))
	}
	return fields
}

var intervalRecord = ndjson.NewRecord("an interval", append([]ndjson.Field[Interval]{
	ndjson.Int("id", func(v *Interval) *int { return &v.ID }),
	ndjson.Int("parent", func(v *Interval) *int { return &v.Parent }),
	ndjson.Int("level", func(v *Interval) *int { return &v.Level }),
	ndjson.String("type", func(v *Interval) *Type { return &v.Type }),
	ndjson.String("file", func(v *Interval) *string { return &v.File }),
	ndjson.Int("line", func(v *Interval) *int { return &v.Line }),
	ndjson.IntOrNull("expr", func(v *Interval) **int64 { return &v.Expr }),
	ndjson.Int("count", func(v *Interval) *int64 { return &v.Count }),
	ndjson.Int("processors", func(v *Interval) *int64 { return &v.Processors }),
	ndjson.Nested("operations", operationsRecord, func(v *Interval) *Operations { return &v.Operations }),
}, append(ndjson.Embed(timesRecord, func(v *Interval) *Times { return &v.Times }),
	ndjson.Nested("pop", popRecord, popOf).OmitIf(func(v *Interval) bool { return v.POP == nil }))...)...)

var processorRecord = ndjson.NewRecord("a class of processors", append([]ndjson.Field[Processor]{
	ndjson.Int("interval", func(p *Processor) *int { return &p.Interval }),
	ndjson.Custom("boxes", appendBoxes, scanBoxes).OmitIf(func(p *Processor) bool { return len(p.Boxes) == 0 }),
	ndjson.IntOrNull("rank", func(p *Processor) **int64 { return &p.Rank }).OmitIf(func(p *Processor) bool { return p.Rank == nil }),
	ndjson.Int("n", func(p *Processor) *int64 { return &p.N }),
}, ndjson.Embed(timesRecord, func(p *Processor) *Times { return &p.Times })...)...)

func appendBoxes(dst []byte, p *Processor) ([]byte, error) {
	dst = append(dst, '[')
	for i, box := range p.Boxes {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '[')
		for j, set := range box {
			if j > 0 {
				dst = append(dst, ',')
			}
			dst = ndjson.AppendString(dst, set)
		}
		dst = append(dst, ']')
	}
	return append(dst, ']'), nil
}

func scanBoxes(s *ndjson.Scanner, p *Processor) bool {
	if !s.Array() {
		return false
	}
	for s.Elem() {
		// A box that an earlier record left behind lends its memory.
		n := len(p.Boxes)
		if n < cap(p.Boxes) {
			p.Boxes = p.Boxes[:n+1]
			p.Boxes[n] = p.Boxes[n][:0]
		} else {
			p.Boxes = append(p.Boxes, nil)
		}
		if !s.Strings(&p.Boxes[n]) {
			return false
		}
	}
	return s.Err() == nil
}

var spanRecord = ndjson.NewRecord("a span",
	ndjson.String("processors", func(p *Span) *string { return &p.Processors }),
	ndjson.Float("start", func(p *Span) *units.Seconds { return &p.Start }),
	ndjson.Float("end", func(p *Span) *units.Seconds { return &p.End }),
	ndjson.String("kind", func(p *Span) *SpanKind { return &p.Kind }),
	ndjson.String("op", func(p *Span) *string { return &p.Op }).OmitIf(func(p *Span) bool { return p.Op == "" }),
	ndjson.Int("interval", func(p *Span) *int { return &p.Interval }),
	ndjson.Int("seq", func(p *Span) *int64 { return &p.Seq }),
)

var endRecord = ndjson.NewRecord("an end",
	ndjson.Int("intervals", func(e *End) *int64 { return &e.Intervals }),
	ndjson.Int("warnings", func(e *End) *int64 { return &e.Warnings }).Optional(),
)
