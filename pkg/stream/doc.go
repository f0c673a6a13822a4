// Package stream reads and writes the byte streams that the commands
// exchange: it decompresses, splits input into lines, tells NDJSON from trace
// text, compresses output and replaces files atomically. It knows nothing of the
// records inside.
//
//  1. A [Reader] looks at the first bytes of an input and decompresses zstd and
//     gzip; any other content passes unchanged. Its errors distinguish three
//     cases: the input could not be read ([IOError]), it ended too early
//     ([diag.ErrTruncated]) or it is damaged ([diag.Error]).
//  2. [Reader.Sniff] looks at the beginning without consuming it.
//  3. [Lines] splits an input into lines up to a maximum length, counts them, and
//     reports whether the last one was complete. [Pieces] splits it into runs of
//     whole lines that can be parsed in parallel.
//  4. A [Writer] buffers, compresses on request and remembers its first error,
//     which Close returns.
//  5. An [AtomicFile] is what "-o FILE" writes to: the file is replaced when it is
//     complete, or not at all.
package stream

// SchemaVersion is the major version of the records that this release writes
// and the only one that it reads.
const SchemaVersion = 1
