package interval

import (
	"fmt"
	"io"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/ndjson"
)

// Record is a record of an interval stream: exactly one of Interval,
// Processor, Line, Exchange and Span is set.
type Record struct {
	Interval  *Interval
	Processor *Processor
	Line      *Line
	Exchange  *Exchange
	Span      *Span
	// Pos is where the record came from.
	Pos diag.Pos
}

// Reader reads an interval stream from newline-delimited JSON.
//
// The header comes first, the end record last. Fields may come in any order;
// fields and records that are not known are skipped. IDs of intervals count
// up, parents first. They may have gaps, as a filter leaves them; where they
// have none, the end record must state the number of intervals that were
// read, else part of the stream is missing. A stream that breaks off is an
// error that wraps [diag.ErrTruncated], after the records that are complete.
type Reader struct {
	in        *ndjson.Reader
	header    Header
	interval  Interval
	processor Processor
	line      Line
	exchange  Exchange
	span      Span
	end       *End
	intervals int64
	order     order
}

// NewReader returns a reader of the stream r after having read its header;
// name is used in messages.
func NewReader(name string, r io.Reader) (*Reader, error) {
	d := &Reader{in: ndjson.NewReader(name, r, streamOfIntervals)}
	if _, err := d.in.Next(); err != nil {
		return nil, err
	}
	if err := d.in.Done(headerRecord.Scan(d.in.Scanner(), &header{Header: &d.header})); err != nil {
		return nil, err
	}
	return d, nil
}

// Header returns the header of the stream.
func (d *Reader) Header() *Header { return &d.header }

// End returns the end record once Next returned io.EOF, before that nil.
func (d *Reader) End() *End { return d.end }

// Next returns the next record, valid until Next is called again, and io.EOF
// after the end record. Errors are final.
func (d *Reader) Next() (Record, error) {
	for {
		kind, err := d.in.Next()
		if err != nil {
			return Record{}, err
		}
		var rec Record
		switch string(kind) {
		case recInterval:
			d.interval = Interval{}
			rec.Interval = &d.interval
			err = take(d.in, intervalRecord, &d.interval, d.order.interval)
			d.intervals++
		case recProcessor:
			d.processor = Processor{Boxes: d.processor.Boxes[:0]}
			rec.Processor = &d.processor
			err = take(d.in, processorRecord, &d.processor, checkProcessor)
		case recLine:
			d.line = Line{Functions: d.line.Functions[:0]}
			rec.Line = &d.line
			err = take(d.in, lineRecord, &d.line, checkLine)
		case recExchange:
			d.exchange = Exchange{}
			rec.Exchange = &d.exchange
			err = take(d.in, exchangeRecord, &d.exchange, checkExchange)
		case recSpan:
			d.span = Span{}
			rec.Span = &d.span
			err = take(d.in, spanRecord, &d.span, checkSpan)
		case recEnd:
			if err = d.readEnd(); err == nil {
				err = d.in.Finish()
			}
		case recSimulation:
			err = d.in.Refuse("interval/header", "found a second header, expected intervals; are these two streams? read one at a time")
		default:
			if err = d.in.Done(d.in.Scanner().Skip()); err == nil {
				continue
			}
		}
		if err != nil {
			return Record{}, err
		}
		rec.Pos = d.in.Pos()
		return rec, nil
	}
}

// take reads the current record into v and checks it.
func take[T any](in *ndjson.Reader, table *ndjson.Record[T], v *T, check func(*T) error) error {
	if err := in.Done(table.Scan(in.Scanner(), v)); err != nil {
		return err
	}
	if err := check(v); err != nil {
		return in.Refuse("interval/value", "%v", err)
	}
	return nil
}

func (d *Reader) readEnd() error {
	e := new(End)
	if err := d.in.Done(endRecord.Scan(d.in.Scanner(), e)); err != nil {
		return err
	}
	gaps := int64(d.order.last) > d.intervals
	if e.Intervals < d.intervals || e.Intervals > d.intervals && !gaps {
		return d.in.Refuse("interval/count",
			"found %d intervals before the end record, expected %d as it says; part of the stream is missing or was put in twice", d.intervals, e.Intervals)
	}
	d.end = e
	return nil
}

// order checks what holds for the intervals of a stream.
type order struct{ last int }

// interval checks the next interval and returns what is wrong with it.
func (o *order) interval(v *Interval) error {
	switch {
	case v.ID <= o.last:
		return fmt.Errorf("found interval %d after interval %d, expected numbers that count up from 1", v.ID, o.last)
	case v.Parent < 0 || v.Parent >= v.ID:
		return fmt.Errorf("found parent %d of interval %d, expected 0 or an interval before it", v.Parent, v.ID)
	case v.Level < 0 || v.Line < 0 || v.Count < 0 || v.Processors < 0:
		return fmt.Errorf("found level %d, line %d, count %d, processors %d, expected none below 0", v.Level, v.Line, v.Count, v.Processors)
	}
	switch v.Type {
	case Main, User, Sequential, Parallel:
	default:
		return fmt.Errorf("found the type %q, expected %q, %q, %q or %q", v.Type, Main, User, Sequential, Parallel)
	}
	o.last = v.ID
	return nil
}

// checkProcessor returns what is wrong with a class of processors.
func checkProcessor(p *Processor) error {
	if p.Interval < 1 || p.N < 1 {
		return fmt.Errorf("found %d processors of interval %d, expected numbers from 1", p.N, p.Interval)
	}
	return nil
}

// checkSpan returns what is wrong with a span.
func checkSpan(p *Span) error {
	if p.Start < 0 || p.End < p.Start {
		return fmt.Errorf("found a span from %v to %v, expected one that ends after its start, from 0", float64(p.Start), float64(p.End))
	}
	switch p.Kind {
	case SpanCPU, SpanSYS, SpanIO, SpanWait, SpanCommunication:
		return nil
	}
	return fmt.Errorf("found a span of the kind %q, expected %q, %q, %q, %q or %q", p.Kind, SpanCPU, SpanSYS, SpanIO, SpanWait, SpanCommunication)
}
