// Package stream reads and writes the byte streams that the commands
// exchange: it undoes compression, cuts input into lines, tells NDJSON from
// trace text, compresses output and replaces files atomically. It knows
// nothing of the records inside.
//
//  1. A [Reader] looks at the first bytes of an input and undoes zstd or
//     gzip; any other content passes through unchanged. Its errors say which
//     of three things happened: the input could not be read ([IOError]), it
//     ended too early ([diag.ErrTruncated]) or it is damaged ([diag.Error]).
//  2. [Reader.Sniff] looks at the beginning without consuming it.
//  3. [Lines] cuts any io.Reader into lines of any length up to a stated
//     maximum, counts them, and tells whether the last one was complete.
//  4. A [Writer] buffers, compresses on request and remembers its first
//     error; Close is where the error is reported.
//  5. An [AtomicFile] is what "-o FILE" writes to: the file appears, or
//     changes, all at once when the work is done, or not at all.
package stream

// SchemaVersion is the major version of the records that this release writes
// and the only one that it reads.
const SchemaVersion = 1
