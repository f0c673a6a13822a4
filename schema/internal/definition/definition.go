// Package definition builds the JSON Schemas (2020-12) of the records that
// the commands exchange (schema/README.md).
//
//  1. What fields a record has, their order and types, and which of them may
//     be absent comes from the types that are written (package call,
//     interval, search, machine); that of a call from here, as its codec has
//     no type with tags.
//  2. What parameters a function has comes from the table (package libdvm).
//  3. What a characteristic of an interval is comes from the figures of the
//     report; what any other field is, and what the types cannot say of it,
//     from the notes in this package. A field without a note, or a note
//     without a field, is an error of the program.
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
	}
}
