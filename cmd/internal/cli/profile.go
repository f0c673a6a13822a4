package cli

import (
	"errors"
	"os"
	"runtime"
	"runtime/pprof"
)

// startProfiles begins the profiles asked for ("" means not); stop writes
// them.
func startProfiles(cpu, mem string) (stop func() error, err error) {
	var cpuFile *os.File
	if cpu != "" {
		if cpuFile, err = os.Create(cpu); err != nil {
			return nil, err
		}
		if err := pprof.StartCPUProfile(cpuFile); err != nil {
			return nil, errors.Join(err, cpuFile.Close())
		}
	}
	return func() error {
		var errs []error
		if cpuFile != nil {
			pprof.StopCPUProfile()
			errs = append(errs, cpuFile.Close())
		}
		if mem != "" {
			errs = append(errs, writeMemProfile(mem))
		}
		return errors.Join(errs...)
	}, nil
}

func writeMemProfile(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	runtime.GC() // what is still in use, not what happened to be left
	return errors.Join(pprof.Lookup("allocs").WriteTo(f, 0), f.Close())
}
