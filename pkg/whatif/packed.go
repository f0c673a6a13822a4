package whatif

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/units"
)

// Packed calls are small, so that pages are: they have the records of the calls that
// differ in more than times and numbers, once each, and of every call which of them
// it is like, its number and its times. Numbers are varints, as follows; what
// compresses them finds them one kind behind the other.
//
//  1. The length of the records, and the records: a stream as of dvmtrace-parse. Its
//     calls are the models of others; their times are 0.
//  2. The number of calls, and how many digits times have.
//  3. Of each call, by how much its number is greater than that before, less 1.
//  4. Of each call its model: 0 for the one that came behind the same model last
//     time, else its number, counted from 1.
//  5. Of each model the times of all calls like it, in their order: before the call,
//     inside it, and the own times of processes. 0 stands for [call.Absent], 1 for
//     a time whose eight bytes follow, n for n-2 units of the last digit.
//
// Left out is what no simulation reads: records of unknown kinds, unknown fields,
// and where in its file a call stands.

const (
	codeAbsent = iota
	codeExact
	codeUnits
)

// model is what calls of the same have in common. Calls with nested ones are models
// of their own, which have the number only.
type model struct {
	fn, file, retFile string
	line, retLine     int
	only              call.Half
	outside           bool
	args, ret         int
	ownCalls, ownRets int
	nested            int
}

// Pack returns calls for [Unpack].
func Pack(r *call.Recording) ([]byte, error) {
	var records bytes.Buffer
	w := call.NewWriter(&records)
	if err := w.Header(plainHeader(r.Header())); err != nil {
		return nil, err
	}
	digits := r.Header().Runtime.TimeDigits
	known := map[model]int{}
	next := []int{0} // by models, counted from 1: which came behind them
	times := [][]byte{nil}
	var seqs, models []byte
	seq, last := int64(0), 0
	for i := range r.Len() {
		c := r.Call(i)
		m := model{c.Func, c.File, c.RetFile, c.Line, c.RetLine, c.Only, c.Outside, 0, 0, len(c.Own.Call), len(c.Own.Ret), 0}
		m.args, m.ret = r.Blocks(i)
		if len(c.Nested) > 0 {
			m.nested = i + 1
		}
		n, ok := known[m]
		if !ok {
			n = len(next)
			known[m] = n
			next, times = append(next, 0), append(times, nil)
			if err := w.Call(plainCall(c, int64(n))); err != nil {
				return nil, err
			}
		}
		seqs = binary.AppendUvarint(seqs, uint64(c.Seq-seq-1))
		seq = c.Seq
		if next[last] == n {
			models = append(models, 0)
		} else {
			models = binary.AppendUvarint(models, uint64(n))
		}
		next[last], last = n, n
		t := appendUnits(appendUnits(times[n], c.CallTime, digits), c.RetTime, digits)
		for _, x := range c.Own.Call {
			t = appendUnits(t, x, digits)
		}
		for _, x := range c.Own.Ret {
			t = appendUnits(t, x, digits)
		}
		times[n] = t
	}
	exit := *r.Exit()
	exit.Others = call.Others{}
	if err := errors.Join(w.Exit(&exit), w.End(nil)); err != nil {
		return nil, err
	}
	out := binary.AppendUvarint(nil, uint64(records.Len()))
	out = append(out, records.Bytes()...)
	out = binary.AppendUvarint(out, uint64(r.Len()))
	out = binary.AppendUvarint(out, uint64(digits))
	out = append(append(out, seqs...), models...)
	return append(out, bytes.Join(times, nil)...), nil
}

// plainHeader returns a header without what is not known.
func plainHeader(h *call.Header) *call.Header {
	p := *h
	p.Others, p.Runtime.Others = call.Others{}, call.Others{}
	return &p
}

// plainCall returns the model of a call: with another number and without its times.
func plainCall(c *call.Call, seq int64) *call.Call {
	p := *c
	p.Seq, p.CallTime, p.RetTime, p.Before, p.Others = seq, 0, 0, nil, call.Others{}
	p.Own = call.Own{Call: make([]units.Seconds, len(c.Own.Call)), Ret: make([]units.Seconds, len(c.Own.Ret))}
	return &p
}

// appendUnits appends a time.
func appendUnits(dst []byte, t units.Seconds, digits int) []byte {
	if t == call.Absent {
		return append(dst, codeAbsent)
	}
	n := math.Round(float64(t) * scaleOf(digits))
	if n >= 0 && n < 1<<53 && n/scaleOf(digits) == float64(t) {
		return binary.AppendUvarint(dst, uint64(n)+codeUnits)
	}
	return binary.LittleEndian.AppendUint64(append(dst, codeExact), math.Float64bits(float64(t)))
}

// maxDigits is how many digits of times a power of ten is exact for.
const maxDigits = 22

// scaleOf returns the units of the last digit that a second has.
func scaleOf(digits int) float64 { return math.Pow10(min(max(0, digits), maxDigits)) }

// errPacked is the error of what [Pack] did not write.
var errPacked = errors.New("the calls of the page are damaged")

// Unpack returns the calls that [Pack] was given, but for what it leaves out.
func Unpack(packed []byte) (*call.Recording, error) {
	u := &unpacker{in: packed}
	records := u.bytes(u.number())
	in, err := call.NewReader("", bytes.NewReader(records))
	if err != nil {
		return nil, err
	}
	u.Reader = in
	for {
		c, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		m := c.Clone()
		// Copies share the memory of a model, and are known to be equal.
		if m.Row != nil {
			m.Args.Fix(m.Row.Args, m.Text)
			m.Ret.Fix(m.Row.Ret, m.RetText)
		}
		u.models = append(u.models, m)
	}
	if err := u.read(); err != nil {
		return nil, err
	}
	return call.Record(u)
}

// unpacker is the source of packed calls.
type unpacker struct {
	*call.Reader // of the models
	models       []call.Call
	in           []byte // what is not read yet
	bad          bool
	scale        float64
	// Of each call the number and the model; of each model the times that are left.
	seqs, like []int
	times      [][]units.Seconds
	at         int
	now        call.Call
	seq        int64
	exit       call.Exit
}

// number reads a number.
func (u *unpacker) number() uint64 {
	x, n := binary.Uvarint(u.in)
	if n <= 0 {
		u.bad, u.in = true, nil
		return 0
	}
	u.in = u.in[n:]
	return x
}

// count reads a number of at most most.
func (u *unpacker) count(most int) int {
	x := u.number()
	if x > uint64(most) {
		u.bad = true
		return 0
	}
	return int(x)
}

// bytes reads n bytes.
func (u *unpacker) bytes(n uint64) []byte {
	if n > uint64(len(u.in)) {
		u.bad, u.in = true, nil
		return nil
	}
	b := u.in[:n]
	u.in = u.in[n:]
	return b
}

// time reads a time.
func (u *unpacker) time() units.Seconds {
	switch n := u.number(); n {
	case codeAbsent:
		return call.Absent
	case codeExact:
		b := u.bytes(8)
		if b == nil {
			return 0
		}
		return units.Seconds(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	default:
		return units.Seconds(float64(n-codeUnits) / u.scale)
	}
}

// read reads what stands behind the records.
func (u *unpacker) read() error {
	n := u.count(len(u.in))
	u.scale = scaleOf(u.count(math.MaxInt32))
	u.seqs, u.like = make([]int, n), make([]int, n)
	for i := range u.seqs {
		u.seqs[i] = u.count(math.MaxInt32)
	}
	next, last := make([]int, len(u.models)+1), 0
	counts := make([]int, len(u.models))
	for i := range u.like {
		m := u.count(len(u.models))
		if m == 0 {
			m = next[last]
		}
		if m == 0 {
			return errPacked
		}
		next[last], last = m, m
		u.like[i] = m - 1
		counts[m-1]++
	}
	u.times = make([][]units.Seconds, len(u.models))
	for i := range u.models {
		all := counts[i] * (2 + len(u.models[i].Own.Call) + len(u.models[i].Own.Ret))
		if all > len(u.in) {
			return errPacked
		}
		u.times[i] = make([]units.Seconds, all)
		for k := range u.times[i] {
			u.times[i][k] = u.time()
		}
	}
	if u.bad || len(u.in) > 0 {
		return errPacked
	}
	return nil
}

// Len returns the number of calls.
func (u *unpacker) Len() int { return len(u.like) }

// Exit is part of [call.Source].
func (u *unpacker) Exit() *call.Exit { return &u.exit }

// Next is part of [call.Source].
func (u *unpacker) Next() (*call.Call, error) {
	if u.at == len(u.like) {
		u.exit = *u.Reader.Exit()
		return nil, io.EOF
	}
	m := u.like[u.at]
	u.now = u.models[m]
	c := &u.now
	u.seq += int64(u.seqs[u.at]) + 1
	c.Seq = u.seq
	t := u.times[m]
	c.CallTime, c.RetTime, t = t[0], t[1], t[2:]
	a, b := len(c.Own.Call), len(c.Own.Call)+len(c.Own.Ret)
	c.Own = call.Own{}
	if b > 0 {
		c.Own = call.Own{Call: slices.Clip(t[:a]), Ret: slices.Clip(t[a:b])}
	}
	u.times[m] = t[b:]
	u.at++
	return c, nil
}
