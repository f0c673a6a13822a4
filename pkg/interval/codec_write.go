package interval

import (
	"fmt"
	"io"

	"dvmtools/pkg/ndjson"
)

// Writer writes an interval stream: Header, then Interval for each interval,
// Processor, Line, Exchange and Span anywhere between, then End. Each record is one Write to
// the destination, which should buffer; there is nothing to flush.
//
// An error of the destination is final. A record with a value that JSON
// cannot hold (NaN, an infinity) or that the reader would refuse is an error
// that names the field; nothing of it is written.
type Writer struct {
	w         io.Writer
	buf       []byte
	intervals int64
	order     order
	err       error
}

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Header writes the header.
func (w *Writer) Header(h *Header) error {
	return w.done("header", put(w, headerRecord, recSimulation, &header{Version, h}))
}

// Interval writes an interval. Numbers of intervals count up, and no count is
// negative.
func (w *Writer) Interval(v *Interval) error {
	next := w.order
	err := next.interval(v)
	if err == nil {
		err = put(w, intervalRecord, recInterval, v)
	}
	if err != nil {
		return w.done(fmt.Sprintf("interval %d (%s:%d)", v.ID, v.File, v.Line), err)
	}
	w.order = next
	w.intervals++
	return nil
}

// Processor writes a class of processors.
func (w *Writer) Processor(p *Processor) error {
	err := checkProcessor(p)
	if err == nil {
		err = put(w, processorRecord, recProcessor, p)
	}
	if err != nil {
		return w.done(fmt.Sprintf("processors of interval %d", p.Interval), err)
	}
	return nil
}

// Line writes a line of the source.
func (w *Writer) Line(l *Line) error {
	err := checkLine(l)
	if err == nil {
		err = put(w, lineRecord, recLine, l)
	}
	if err != nil {
		return w.done(fmt.Sprintf("line %s:%d of interval %d", l.File, l.Line, l.Interval), err)
	}
	return nil
}

// Exchange writes what exchanges cost.
func (w *Writer) Exchange(x *Exchange) error {
	err := checkExchange(x)
	if err == nil {
		err = put(w, exchangeRecord, recExchange, x)
	}
	if err != nil {
		return w.done(fmt.Sprintf("exchanges by %s at %s:%d", x.Func, x.File, x.Line), err)
	}
	return nil
}

// Span writes a span.
func (w *Writer) Span(p *Span) error {
	err := checkSpan(p)
	if err == nil {
		err = put(w, spanRecord, recSpan, p)
	}
	if err != nil {
		return w.done(fmt.Sprintf("span of call %d", p.Seq), err)
	}
	return nil
}

// End writes the end record with the number of intervals written and the
// number of warnings given.
func (w *Writer) End(warnings int64) error {
	return w.done("end", put(w, endRecord, recEnd, &End{Intervals: w.intervals, Warnings: warnings}))
}

// done says which record err is about, unless the destination failed.
func (w *Writer) done(what string, err error) error {
	if err == nil || w.err != nil {
		return w.err
	}
	return fmt.Errorf("%s: %w", what, err)
}

func put[T any](w *Writer, table *ndjson.Record[T], kind string, v *T) error {
	if w.err != nil {
		return w.err
	}
	var err error
	if w.buf, err = table.AppendRecord(w.buf[:0], kind, v); err != nil {
		return err
	}
	_, w.err = w.w.Write(w.buf)
	return w.err
}
