package cli

import (
	"os"

	"golang.org/x/term"
)

// isTerminal reports whether a stream is a terminal. The mode bits are not enough:
// they are the same for the null device. It does not call Fd on the file, which
// would make the file blocking.
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
