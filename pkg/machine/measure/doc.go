// Package measure has the method for measuring the timings of a processor
// (Parasol I, section 3.1): the programs to run, and how timings are computed
// from their run times. It does not run programs itself.
//
//  1. [Sources] gives two Fortran programs for a timing parameter. Both make
//     the same array references in a loop whose body is longer than the
//     instruction cache; the second executes one operation more in each
//     statement group.
//  2. [Difference] runs both in turn through a [Runner] and gives the time of
//     the operation with its standard deviation, or says why there is none.
//     [Series] spreads the samples over time and over processes.
//  3. [Speedup] compares a program with itself in a shorter loop: the
//     small-loop speed-up (2.3).
//  4. [Report.File] writes a machine file with what was measured, and lists
//     what could not be.
//
// Messages between processes are measured in the same way apart: [PingPong] is
// the program, [ReadSamples] reads what it prints, [Pair.Link] fits lines to it
// ([Fit], [Pieces]), and [Network] writes machine files in both languages.
package measure
