// Package schema holds the JSON Schemas (2020-12) of the records that the
// commands exchange: one file per stream, each describing one line of it, and one
// for the JSON documents of reports.
// schema/README.md says what they promise and how to use them.
//
// The files are generated from the Go types of the records and from the table of
// Lib-DVM functions; a test compares them with the output of the generator.
package schema

import (
	"embed"
	"io/fs"
)

//go:generate go run ./internal/genschema

// The names of the schemas' files.
const (
	// Calls is the schema of what dvmtrace-parse writes.
	Calls = "calls.schema.json"
	// Intervals is the schema of what dvmsim writes.
	Intervals = "intervals.schema.json"
	// Search is the schema of what dvmsearch writes.
	Search = "search.schema.json"
	// Parts is the schema of the plans and parts of searches, which dvmsearch
	// --plan and --run-part write.
	Parts = "parts.schema.json"
	// Report is the schema of what dvmreport --format json writes, which is one
	// document and no stream.
	Report = "report.schema.json"
)

//go:embed *.schema.json
var files embed.FS

// Files returns the schemas' files, without directories.
func Files() fs.FS { return files }

// Names returns the names of all files in order.
func Names() []string { return []string{Calls, Intervals, Search, Parts, Report} }
