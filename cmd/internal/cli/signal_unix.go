//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// deadly returns the signals that end a process in ordinary life.
func deadly() []os.Signal {
	return []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}
}

// dieBy ends the process by sending itself the signal s, so that shells and make
// see which signal ended it.
func dieBy(s os.Signal) {
	number, ok := s.(syscall.Signal)
	if !ok {
		os.Exit(ExitFailed)
	}
	signal.Reset(s)
	syscall.Kill(os.Getpid(), number)
	time.Sleep(time.Second) // delivery is not immediate
	os.Exit(128 + int(number))
}
