package cli

import (
	"os"

	"golang.org/x/term"
)

// isTerminal tells whether a stream is a terminal. (The mode bits would call
// the null device one.) The descriptor is not taken out of the file, which
// would make it blocking.
func isTerminal(streamer any) bool {
	f, ok := streamer.(*os.File)
	if !ok {
		return false
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	yes := false
	err = conn.Control(func(fd uintptr) { yes = term.IsTerminal(int(fd)) })
	return err == nil && yes
}

// dumbTerminal tells whether the terminal cannot erase a line.
func dumbTerminal() bool { return os.Getenv("TERM") == "dumb" }
