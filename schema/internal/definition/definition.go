// Package definition builds the JSON Schemas (2020-12) of the records that
// the commands exchange (schema/README.md).
//
//  1. The fields of a record, their order and types, and which of them may be
//     absent come from the Go types that are written (package call, interval,
//     search, machine, report). Those of a call are listed here, as its codec has no
//     type with JSON tags.
//  2. The parameters of a function come from the table (package libdvm).
//  3. The descriptions of the characteristics of an interval come from the
//     figures of the report. Descriptions of other fields, and what types
//     cannot express, come from the notes in this package. A field without a
//     note, or a note without a field, makes the generator panic.
//
// The schemas describe what is written, not what is read: they allow no field
// that no command writes, while readers ignore such fields.
package definition

import "dvmtools/schema"

// File is a schema with the name of its file.
type File struct {
	Name string
	Text []byte
}

// Files returns all schemas, the same text every time.
func Files() []File {
	return []File{
		{schema.Calls, text(calls())},
		{schema.Intervals, text(intervals())},
		{schema.Search, text(searches())},
		{schema.Parts, text(parts())},
		{schema.Report, text(reports())},
	}
}
