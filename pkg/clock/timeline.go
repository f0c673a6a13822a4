package clock

import (
	"dvmtools/pkg/interval"
	"dvmtools/pkg/units"
)

// Piece is what processors with equal histories did from Start to End.
type Piece struct {
	// Processors is the number of their set ([Timeline.Processors]).
	Processors int32
	Kind       PieceKind
	// Op is the kind of operation of waiting and of communication.
	Op         interval.Kind
	Account    Account
	Start, End units.Seconds
	// Seq is the number of the call, of several in a row the first.
	Seq int64
}

// PieceKind says what processors do in a piece.
type PieceKind uint8

// The kinds of pieces.
const (
	PieceCPU PieceKind = iota
	PieceSYS
	PieceIO
	PieceWait
	PieceCommunication
)

// MaxPieces bounds the memory of a timeline.
const MaxPieces = 1 << 23

// Timeline takes note of what every processor does when. Work that is put off and
// done at once is one piece for the program and one for the run-time system; so
// is that of a stage of a pipeline, whose waiting comes first and whose exchanges
// come last. Its zero value is ready for use.
type Timeline struct {
	pieces []Piece
	sets   []string
	// last is the last piece of every set.
	last []int
	// number are the sets of the classes when there had been as many splits as
	// splits says.
	number map[int]int32
	splits int
	seq    int64
	full   bool
}

// At says which call comes next.
func (t *Timeline) At(seq int64) { t.seq = seq }

// Pieces returns the pieces in the order in which they were noted, those of a
// processor in the order of time; ok is false when there were more than
// [MaxPieces], of which the rest is missing.
func (t *Timeline) Pieces() (list []Piece, ok bool) { return t.pieces, !t.full }

// Processors returns the linear numbers of the processors of a set: "0,2-4".
func (t *Timeline) Processors(set int32) string { return t.sets[set] }

// add notes what class i of e did; pieces of no length are left out.
func (t *Timeline) add(e *classes, i int, k PieceKind, op interval.Kind, a Account, start, end units.Seconds) {
	if end <= start || t.full {
		return
	}
	if t.splits != e.version || t.number == nil {
		t.number, t.splits = map[int]int32{}, e.version
	}
	set, known := t.number[i]
	if !known {
		set = int32(len(t.sets))
		t.number[i] = set
		t.sets = append(t.sets, coordSet(e.Ranks(i)))
		t.last = append(t.last, -1)
	}
	if n := t.last[set]; n >= 0 {
		if p := &t.pieces[n]; p.Kind == k && p.Op == op && p.Account == a && p.End == start {
			p.End = end
			return
		}
	}
	if len(t.pieces) == MaxPieces {
		t.full = true
		return
	}
	t.last[set] = len(t.pieces)
	t.pieces = append(t.pieces, Piece{Processors: set, Kind: k, Op: op, Account: a, Start: start, End: end, Seq: t.seq})
}

// work notes the work w of class i of e, which begins at start.
func (t *Timeline) work(e *classes, i int, a Account, start units.Seconds, w Amount) units.Seconds {
	p := units.Seconds(e.power[i])
	for _, part := range [...]struct {
		kind PieceKind
		took units.Seconds
	}{{PieceCPU, w.User / p}, {PieceSYS, w.System / p}, {PieceIO, w.IO}} {
		t.add(e, i, part.kind, 0, a, start, start+part.took)
		start += max(0, part.took)
	}
	return start
}

// await notes that class i of e waits for others until ready and for an exchange
// until end.
func (t *Timeline) await(e *classes, i int, k interval.Kind, start, ready, end units.Seconds) {
	ready = min(max(start, ready), max(start, end))
	t.add(e, i, PieceWait, k, e.all, start, ready)
	t.add(e, i, PieceCommunication, k, e.all, ready, end)
}

// stage notes what class i of e does in a stage of a pipeline from start on.
func (t *Timeline) stage(e *classes, i int, p *Pipeline, start units.Seconds, o *Outcome) {
	t.add(e, i, PieceWait, interval.Shadow, e.all, start, start+o.Wait)
	start += o.Wait
	for w, amount := range o.Works {
		start = t.work(e, i, e.partOf(p.Work[w].Account), start, amount)
	}
	t.add(e, i, PieceCommunication, interval.Shadow, e.all, start, o.End)
}
