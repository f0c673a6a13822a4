// Package clock keeps the time of a simulation: the clocks and counters of
// the processors, and the network that exchanges are placed on
// (docs/model.md#2-accounting).
//
// A simulation asks for all that takes time through [Clocks]:
//
//  1. work, by [Clocks.AddAll], [Clocks.AddBy], [Clocks.AddParts] and
//     [Clocks.AddOne]: times on the traced machine, for all processors of a
//     system alike, or by labels of their coordinates;
//  2. waiting for each other, by [Clocks.Sync] and [Clocks.Late], which give
//     the [Instant] that an operation starts at;
//  3. exchanges, by [Clocks.Exchange]: what is demanded of the network is
//     handed over, the instant of its end comes back;
//  4. what becomes of the processors that wait for it, by [Clocks.Delay] and
//     [Clocks.Await];
//  5. pipelines, by [Clocks.Pipeline].
//
// Whoever asks never sees a time and never computes with an instant. What it
// asks depends on the program and the grid only, not on latencies, bandwidths
// or powers. An implementation can therefore write down what it was asked
// and ask it again of the clocks of another machine.
package clock
