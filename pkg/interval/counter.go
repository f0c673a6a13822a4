package interval

// Counter is a number that is booked for a processor in an interval; the
// numbers of nested intervals are apart from it.
type Counter uint8

// The counters: those of the processor, then those of each kind of operation
// ([Counter.Of]).
const (
	// NoCounter is none.
	NoCounter Counter = iota
	// BookedCPU and BookedSYS are CPU times, BookedIO is time in input and
	// output.
	BookedCPU
	BookedSYS
	BookedIO
	// BookedCommunication is time in exchanges, waiting included. The four
	// are the parts of a processor's execution time (law L2).
	BookedCommunication
	// BookedInsuffUSR and BookedInsuffSYS are the shares of CPU times that
	// others do as well.
	BookedInsuffUSR
	BookedInsuffSYS
	// BookedRealSynch is waiting for others to start, BookedSynch what could
	// have been.
	BookedRealSynch
	BookedSynch
	// BookedVariation is by how much others completed operations later.
	BookedVariation

	// The counters of the first kind of operation.
	KindCommunication
	KindRealSynch
	KindSynch
	KindVariation
	KindOverlap
	endOfKind

	perKindCounters = endOfKind - KindCommunication
	// NumCounters is the number of counters, NoCounter among them.
	NumCounters = int(KindCommunication) + int(perKindCounters)*int(NumKinds)
)

// Of returns the counter of kind k that c, one of KindCommunication to
// KindOverlap, is for the first kind.
func (c Counter) Of(k Kind) Counter { return c + Counter(k)*perKindCounters }
