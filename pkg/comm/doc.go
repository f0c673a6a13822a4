// Package comm says what exchanges cost on a machine
// (docs/model.md#7-exchanges; R 4.2, 4.4 and 4.6).
//
//  1. A [Traffic] is a sparse set of messages. Who sends how much to whom is
//     not this package's business.
//  2. A [Network] is a machine restricted to the processors of a root grid,
//     with the channels of its media and what they are busy with.
//     [Network.Exchange], [Network.Reduce] and [Network.Broadcast] place the
//     messages of an operation on the media from a start on and say in a
//     [Placement] when the last one ends.
//  3. A medium with channels gives each message, the longest first, the
//     channel that is free first. Equal messages are placed together: an
//     exchange is a list of sizes and counts, and costs what the list costs.
//     What is special about a kind of medium stands in one file, channels.go or
//     transputer.go; medium.go says what a kind has to answer.
//  4. A transputer does not queue: an exchange lasts as long as its slowest
//     distance ([Pipelined]).
//  5. A pipelined loop chooses its quanta ([Quanta]) and runs as a schedule of
//     stages ([Pipe]), neither seeing nor leaving busy channels.
//
// Products that are added are rounded first, float64(x*y), so that the same
// input gives the same bits on every platform. Figures do not depend on
// whether details are asked for ([Network.Explain]).
package comm
