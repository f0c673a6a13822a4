// Package par reads and writes Predictor.par, the machine descriptions of the
// Predictor, in both forms: that of the 2010 design, a tree of clusters
// (R 2.4), and that of the 2000 design, one network (E 2.4). [Parse] tells them
// apart by content.
//
// # The 2010 form
//
//	file       = { statement } .
//	statement  = [ "cluster" "=" name | "search" "=" integer | name "=" power
//	             | name "=" "{" item { "," item } "}"
//	             | name "." "CommType" "=" medium
//	             | name "." "TStart" "=" number | name "." "TByte" "=" number ] ";" .
//	item       = [ integer "x" ] name .
//	medium     = "ethernet" | "transputer" | "myrinet" "(" integer ")"
//	             | name "." "CommType" .
//
// # The 2000 form
//
//	statement  = [ "type" "=" ( "network" | "transputer" )
//	             | "start" "time" "=" number | "send" "byte" "time" "=" number
//	             | "power" "=" number
//	             | "topology" "=" "{" integer { "," integer } "}" ] ";" .
//
// Its power is the performance of the machine that the trace was made on divided
// by that of the target (E 2.4), the inverse of the 2010 form: power = 2 is a
// processor half as fast. A note says so when it is not 1.
//
// A name is a letter or "_" followed by letters, digits and "_". A number may
// have a sign, a fraction and an exponent. Statements stand in any order and
// over any number of lines; "//" begins a comment that may hold any bytes.
// Names are case-sensitive, all other words are not. Times are microseconds,
// and microseconds per byte, in the text and seconds in the machine: the
// nearest floating-point number to the decimal that is written.
//
// # Limits
//
// A file has at most [MaxFile] bytes, a name [MaxName], a number [MaxNumber];
// a machine has at most [machine.MaxProcessors] processors and is at most
// [machine.MaxDepth] nodes deep. Time and memory are proportional to the size
// of the files, not to that of the machine.
package par

const (
	// MaxFile is the largest size of a file in bytes.
	MaxFile = 1 << 20
	// MaxName is the largest length of a name in bytes.
	MaxName = 128
	// MaxNumber is the largest length of a number in bytes.
	MaxNumber = 64
	// MaxReports is how many diagnostics of one call are kept. [diag.List]
	// prints the first 20 of them.
	MaxReports = 200
)
