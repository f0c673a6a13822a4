package open

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"dvmtools/cmd/internal/cli"
)

// splitID splits FILE:ID, a Parasol machine with the id that it must have. A name
// without such an end, and that of a file that exists, is a file's alone; id is
// then nil.
func splitID(name string) (file string, id *int64) {
	i := strings.LastIndexByte(name, ':')
	if i < 1 {
		return name, nil
	}
	n, err := strconv.ParseInt(name[i+1:], 10, 64)
	if err != nil || n < 0 {
		return name, nil
	}
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	return name[:i], &n
}

// checkID returns an error unless d is the Parasol machine with the given id:
// applications refer to a machine by this number (2.2).
func checkID(d *Description, id int64) error {
	if d.Parasol == nil {
		return cli.Usagef("found machine %d of %s, expected the file alone: descriptions in Predictor.par have no ids", id, d.Name)
	}
	m := d.Parasol.Machine()
	if m.ID != id {
		return fmt.Errorf("found no machine %d in %s, expected %d (%s)", id, d.Name, m.ID, m.Name)
	}
	return nil
}
