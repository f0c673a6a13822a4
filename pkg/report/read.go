package report

import (
	"io"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
)

// Read reads an interval stream to its end and returns its tree down to
// level, or [AllLevels]. The name is used in messages. Every error in the
// stream is a [diag.Error]; that of a stream that was cut wraps
// [diag.ErrTruncated]. Spans of a timeline are left out.
func Read(name string, r io.Reader, level int) (*Tree, error) {
	in, err := interval.NewReader(name, r)
	if err != nil {
		return nil, err
	}
	b := NewBuilder(*in.Header(), level)
	at := diag.Pos{File: name}
	for {
		rec, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		at = rec.Pos
		switch {
		case rec.Interval != nil:
			err = b.Interval(rec.Pos, rec.Interval)
		case rec.Processor != nil:
			err = b.Processor(rec.Pos, rec.Processor)
		case rec.Line != nil:
			err = b.Line(rec.Pos, rec.Line)
		case rec.Exchange != nil:
			b.Exchange(rec.Exchange)
		case rec.Span != nil:
			err = b.Span(rec.Pos, rec.Span)
		}
		if err != nil {
			return nil, err
		}
	}
	t, err := b.Tree(at)
	if err != nil {
		return nil, err
	}
	t.Warnings = in.End().Warnings
	return t, nil
}
