// Package merge makes one trace of the traces that the processes of one run
// wrote (docs/trace-format.md#traces-of-several-processes).
//
//  1. The first source is process 0: its header, what it traced before
//     ret_dvm_Init and what it traced after the program's end are written as
//     they are, those of the others are not.
//  2. The head of a process is its next call. Equal heads are one joint call:
//     calls are equal when function, LINE and FILE of both halves are, and
//     runam_ and getamr_ when they name the same abstract machine, whatever
//     the LINE. A call is written whole, so that the events of each process
//     are a subsequence of those of the merged trace.
//  3. Where heads differ, the process that reaches the head of another one in
//     the fewest calls goes first, with all processes at the same call; ties
//     go to the smaller LINE, then to the lower process. At most
//     [MaxLookahead] calls are read ahead, fewer with more than 64 processes.
//     When no process reaches another's head, the smallest LINE goes first.
//  4. After a joint runam_ only the processes to which it returned Run=1
//     continue, until all of them have passed their stopam_.
//  5. Parameters are those of the first process of the group, but the result
//     of runam_ and dopl_ is that of the first one to which it was not zero.
//     Handles are addresses inside one process; each is replaced by the handle
//     of the same object in process 0 (see names).
//  6. The times of a joint call follow from those of the group by the rules of
//     the table of functions (see clock).
//
// Memory is bounded by the look-ahead and by the number of different handles,
// not by the length of the traces. With more than 64 sources those of at most
// 256 KiB are read into memory at once and closed, up to 64 MiB in all, so that
// a thousand small traces need few open files; the others stay open. One trace
// alone passes through unchanged.
package merge
