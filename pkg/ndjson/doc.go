// Package ndjson reads and writes the records of the project's streams:
// newline-delimited JSON, one object a line (schema/README.md).
//
//  1. The Append functions append JSON values to a byte slice. A [Scanner]
//     reads the JSON of one line, value after value. Neither uses reflection
//     nor allocates once its buffers have grown.
//  2. A [Record] is the table of a record's fields, from which the record is
//     both written and read, so that each name stands in one place.
//  3. A [Reader] reads a stream record by record: the header is first, the end
//     record last. A stream without an end record is truncated.
//
// What the package writes is valid for every JSON reader. What it accepts is
// valid JSON (RFC 8259) and means the same to package encoding/json; it
// refuses more than that package: strings that are not valid UTF-8, single
// halves of surrogate pairs, more than [MaxDepth] nested values, a field of a
// record given twice, and anything behind a value but blanks.
//
// # Bytes in strings
//
// Texts of traces may hold any bytes, JSON strings only characters. A byte
// that is not part of valid UTF-8 is written as the character U+F700 plus the
// byte, and so is each of the three bytes of a character U+F700 to U+F7FF
// that is itself part of the text. [Scanner.Bytes] reverses it and so restores
// every byte string exactly.
package ndjson
