// Package parasol reads, checks, changes and prints machine files of
// Parasol I (CAMAS-TR-2.1.1.4, March 1994, sections 2 and 3, grammar in
// appendix A), and gives the machines that they describe.
//
//  1. [Parse] reads a text into a [File], which keeps every statement and
//     comment in its place, and reports all errors. [File.String] prints it
//     in canonical form; parsing that gives the same machine.
//  2. [File.Machine] is the model: processor types with timings and cache,
//     topologies of links, and the software overheads of the programming
//     models. Expressions are kept and evaluated when they are needed
//     ([Machine.Eval], [Machine.EvalAll]).
//  3. [Machine.Target] is what programs are simulated on: one topology as a
//     machine.Machine whose processors have powers and whose links, with the
//     overheads of one programming model, are its Network.
//  4. [File.Apply] changes parameters, singly and in the groups
//     of section 3.2.
//  5. [Machine.Estimate] gives the time of a number of operations.
//
// # The language
//
//	file    = { nl } "begin" "machine" nl { statement } "end" "machine" { nl } .
//	section = "begin" name nl { statement } "end" name nl .
//	statement = section | field "=" value nl .
//
// Which sections and fields a section may hold is said by one table
// (grammar.go). nl is one or more of newline, vertical tab and ";"; "//"
// begins a comment that runs to the end of the line. Words are lower-case.
//
// # Limits
//
// A file has at most [MaxFile] bytes and [MaxStatements] statements and
// comments, a topology at most [MaxProcessors] processors, a link as many
// ends. Time and memory are proportional to the size of the file.
package parasol

const (
	// MaxFile is the largest size of a file in bytes.
	MaxFile = 64 << 20
	// MaxStatements is the largest number of statements, comments and empty
	// lines of a file.
	MaxStatements = 2_000_000
	// MaxProcessors is the largest number of processors of a topology.
	MaxProcessors = 1_000_000
	// MaxReports is how many diagnostics of one call are kept. diag.List
	// prints the first 20 of them.
	MaxReports = 200
)
