// Package libdvm holds the table of the functions of Lib-DVM, the run-time
// system whose calls a trace consists of.
//
// One row says a function's name, its class (what the simulation does with
// it) and its parameters with their kinds. The table drives the parsing of
// traces, the records, the schema, the dispatch of the simulation and the
// documentation; no other package knows a function by the spelling of its
// name. Sources: real traces, R 3.2 to 3.10 and R appendix 5.
package libdvm

import (
	"bytes"
	"fmt"
	"strings"
)

// Kind is the kind of a parameter's value.
type Kind uint8

const (
	// Decimal is an integer in decimal.
	Decimal Kind = iota
	// Handle is a reference or address in bare hexadecimal; the null
	// reference prints as 0.
	Handle
	// Pointer is an address in bare hexadecimal; the null pointer prints
	// as NULL and is "0" in records.
	Pointer
	// Real is a decimal fraction.
	Real
	// Word is text that ends at the next semicolon.
	Word
	// Text is text that runs to the end of the parameter block, over line
	// breaks.
	Text
	// TextSemicolon is [Text] with one closing semicolon that is not part
	// of the value.
	TextSemicolon
	// Note is a word in parentheses behind the value of the parameter
	// before it, as in `PatternRef=55e0 (AMView);`.
	Note
)

// String returns the kind's name as the documentation spells it.
func (k Kind) String() string {
	return [...]string{"decimal", "handle", "pointer", "real", "word", "text", "text", "note"}[k]
}

// Shape says whether a parameter is one value or an array of them.
type Shape uint8

const (
	// Scalar is one value.
	Scalar Shape = iota
	// Vector is Name[i]=value for i = 0, 1, ...
	Vector
	// Runs is a vector written in several runs that each begin at index 0
	// again; the record holds them one after the other.
	Runs
	// Matrix is Name[i][j]=value.
	Matrix
)

// String returns "", "[]" or "[][]", what follows the kind in a row.
func (s Shape) String() string { return [...]string{"", "[]", "[]", "[][]"}[s] }

// Param is a parameter of a function. Key is its name in records; Name is
// its name in traces. They differ only where a trace uses one name both for a
// value and for an array: the array's key ends in "[]".
type Param struct {
	Key   string
	Name  string
	Kind  Kind
	Shape Shape
	// Optional marks what a complete call may lack: one of several sources,
	// an array that may have no elements, what some versions of Lib-DVM or
	// some settings leave out (seen in real traces).
	Optional bool
}

// Time says how the times of one call by several processes become one
// (docs/trace-format.md#merged-times).
type Time uint8

const (
	// TimeMean is the mean over the processes.
	TimeMean Time = iota
	// TimeWait replaces a ret_ time that the simulation predicts itself by
	// one microsecond.
	TimeWait
	// TimeMax is the longest, for functions that only the I/O processor
	// carries out.
	TimeMax
)

// Func is a row of the table.
type Func struct {
	// Name as in traces, without call_ or ret_.
	Name string
	// Class selects the handler of the simulation.
	Class Class
	// Args and Ret are the parameters of the call_ and the ret_ block.
	Args, Ret []Param
	// Open marks a function that no known trace contains: parameters
	// beside Args and Ret are kept under their own names.
	Open bool
	// NoReturn marks functions that write no ret_ line.
	NoReturn bool
	// RetTime says how ret_ times are merged.
	RetTime Time
	// Reads marks I/O functions that bring an array in.
	Reads bool
	// Result is what an I/O function makes known to all processors.
	Result Result
	// Unlisted marks the row that functions share which the table does not
	// name; see [RowOf].
	Unlisted bool
	// Doc says in a few words what the function does.
	Doc string
}

// Result says what an I/O function returns to the program and hence
// broadcasts (docs/model.md#5-input-and-output).
type Result uint8

const (
	// ResultNone is a void function: nothing is broadcast.
	ResultNone Result = iota
	// ResultStatus is a 4-byte status.
	ResultStatus
	// ResultBuffer is a status and Size*Count bytes (dvm_fread).
	ResultBuffer
	// ResultString is a status and the N bytes of dvm_fgets.
	ResultString
	// ResultItems is a status and 8 bytes for each item scanned.
	ResultItems
)

// Lookup returns the row of the function name, or nil.
func Lookup(name string) *Func { return byName[name] }

// RowOf returns the row that holds for the function name: its own, or for any
// other function whose name begins with dvm_ the row of input and output with
// a status (docs/model.md#5-input-and-output), which is Unlisted and must not
// be taken for the function's name or parameters; else nil.
func RowOf(name string) *Func {
	if f := byName[name]; f != nil || !strings.HasPrefix(name, prefixIO) {
		return f
	}
	return &unlistedIO
}

// RowOfBytes is [RowOf] for a name in a buffer; it does not allocate.
func RowOfBytes(name []byte) *Func {
	if f := byName[string(name)]; f != nil || !bytes.HasPrefix(name, []byte(prefixIO)) {
		return f
	}
	return &unlistedIO
}

// prefixIO begins the names of all functions of input and output.
const prefixIO = "dvm_"

// unlistedIO stands for dvm_open, dvm_read, dvm_lseek and whatever else
// Lib-DVM offers for input and output: no known trace shows their lines.
var unlistedIO = Func{
	Name: prefixIO + "*", Class: IO, RetTime: TimeMax, Result: ResultStatus, Open: true, Unlisted: true,
	Doc: "not in the table of functions, taken for input or output that returns a status of 4 bytes",
}

// Arg returns the parameter of the call_ block with the given key, or nil.
func (f *Func) Arg(key string) *Param {
	for i := range f.Args {
		if f.Args[i].Key == key {
			return &f.Args[i]
		}
	}
	return nil
}

// Functions returns the table, sorted by name. It must not be changed.
func Functions() []Func { return table }

// Names returns the names of all functions in order.
func Names() []string {
	names := make([]string, len(table))
	for i := range table {
		names[i] = table[i].Name
	}
	return names
}

// GuessKind returns the kind of a parameter that no row of the table lists,
// from its name: names that end in Ref, Ptr or Header, and Stream and Buffer,
// are handles (schema/README.md); [Word] stands for "see the value".
func GuessKind(key string) Kind {
	switch {
	case strings.HasSuffix(key, "Ptr"):
		return Pointer
	case strings.HasSuffix(key, "Ref"), strings.HasSuffix(key, "Header"), key == "Stream", key == "Buffer":
		return Handle
	}
	return Word
}

var byName = index(table)

func index(t []Func) map[string]*Func {
	m := make(map[string]*Func, len(t))
	for i := range t {
		m[t[i].Name] = &t[i]
	}
	return m
}

// params reads the shorthand of the table: blank-separated NAME:KIND with
// KIND one of d h p f w t s n and an optional [], [+] (runs) or [][]; a ? at
// the end marks a parameter that a call may lack.
func params(short string) []Param {
	var ps []Param
	for word := range strings.FieldsSeq(short) {
		name, kind, ok := strings.Cut(word, ":")
		if !ok || strings.TrimSuffix(kind, "?") == "" {
			panic(fmt.Sprintf("libdvm: internal error: parameter %q has no kind", word))
		}
		p := Param{Key: name, Name: name}
		kind, p.Optional = strings.CutSuffix(kind, "?")
		switch kind[0] {
		case 'd':
			p.Kind = Decimal
		case 'h':
			p.Kind = Handle
		case 'p':
			p.Kind = Pointer
		case 'f':
			p.Kind = Real
		case 'w':
			p.Kind = Word
		case 't':
			p.Kind = Text
		case 's':
			p.Kind = TextSemicolon
		case 'n':
			p.Kind = Note
		default:
			panic(fmt.Sprintf("libdvm: internal error: parameter %q has an unknown kind", word))
		}
		switch kind[1:] {
		case "":
		case "[]":
			p.Shape = Vector
		case "[+]":
			p.Shape = Runs
		case "[][]":
			p.Shape = Matrix
		default:
			panic(fmt.Sprintf("libdvm: internal error: parameter %q has an unknown shape", word))
		}
		for i := range ps {
			if ps[i].Key == p.Key {
				p.Key += "[]"
			}
		}
		ps = append(ps, p)
	}
	return ps
}

// NameOf returns the name of the first function of class c, "" when there is
// none; it is for classes with one function.
func NameOf(c Class) string {
	for i := range table {
		if table[i].Class == c {
			return table[i].Name
		}
	}
	return ""
}
