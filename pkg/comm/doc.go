// Package comm computes what exchanges cost on a machine
// (docs/model.md#7-exchanges; R 4.2, 4.4 and 4.6).
//
//  1. A [Traffic] is a sparse set of messages. Package traffic works out who
//     sends how much to whom.
//  2. A [Network] is a machine restricted to the processors of a root grid,
//     with the times at which the channels of its media are busy.
//     [Network.Exchange], [Network.Reduce] and [Network.Broadcast] place the
//     messages of an operation on the media, none before a given start, and
//     return a [Placement] that says when the last one ends.
//  3. On a medium with channels the longest message is placed first, each on
//     the channel that is free first. Equal messages are placed together: an
//     exchange is a list of sizes and counts, and the work of placing it
//     depends on the length of that list, not on the number of messages.
//     Each kind of medium has a file of its own: channels.go, transputer.go or
//     links.go; medium.go is the interface that they implement.
//  4. On a transputer messages do not queue: an exchange lasts as long as the
//     slowest of its distances ([Pipelined]).
//  5. On links between processors every message takes its own route, link by
//     link (routes.go), and each link carries one message at a time.
//  6. A pipelined loop chooses its quanta ([Across.Quanta]) and runs as a
//     schedule of stages ([Pipe]). It does not wait for other exchanges, and
//     others do not wait for it.
//
// Products that are added are rounded first, float64(x*y), so that the same
// input gives the same bits on every platform. Figures do not depend on
// whether details are asked for ([Network.Explain]).
package comm
