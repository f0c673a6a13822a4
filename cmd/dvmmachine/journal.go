package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/machine/measure"
)

// identity is the first record of a journal: under which conditions its
// results were measured.
type identity struct {
	Record    string  `json:"record"`
	Version   int     `json:"version"`
	Processor string  `json:"processor"`
	Compiler  string  `json:"compiler"`
	Flags     string  `json:"flags,omitempty"`
	Groups    int     `json:"groups,omitempty"`
	Samples   int     `json:"samples"`
	Processes int     `json:"processes,omitempty"`
	Repeats   int     `json:"repeats"`
	RunTime   float64 `json:"run_time_s"`
	// Of messages.
	Start   string `json:"start,omitempty"`
	Hosts   string `json:"hosts,omitempty"`
	Largest int    `json:"largest_b,omitempty"`
}

// words says what an identity is.
func (id identity) words() string {
	if id.Record == networkRecord {
		return fmt.Sprintf("messages up to %d bytes on %s, %q with %q and %q, %d rounds of %d batches of %v s", id.Largest, id.Hosts, id.Processor, id.Compiler, id.Start, id.Samples, id.Repeats, id.RunTime)
	}
	return fmt.Sprintf("%q with %q %q, %d groups, %d samples of %d processes with %d runs of %v s", id.Processor, id.Compiler, id.Flags, id.Groups, id.Samples, id.Processes, id.Repeats, id.RunTime)
}

// records is a file of records, a line each, to which each is written at once, so
// that measuring can go on after an interruption.
type records struct {
	file *os.File // nil when nothing is kept
}

// openRecords reads the records of earlier runs from a file, or creates it. With
// an empty name nothing is kept. take gets each record but the first, with its
// place, and says whether it is one. When the last line is incomplete because of an
// interruption, it is taken off.
func openRecords(e *cli.Env, name string, id identity, take func(at diag.Pos, line []byte) error) (*records, error) {
	r := &records{}
	if name == "" {
		return r, nil
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("found no regular file, expected one for --continue, or a new name")}
	}
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	for n, line := range bytes.Split(bytes.TrimSuffix(text[:whole], []byte("\n")), []byte("\n")) {
		if whole == 0 {
			break
		}
		at := diag.Pos{File: name, Line: n + 1, Col: 1}
		if n > 0 {
			if err := take(at, line); err != nil {
				return nil, err
			}
			continue
		}
		var found identity
		if err := json.Unmarshal(line, &found); err != nil || found.Record != id.Record {
			return nil, diag.New(at, "measure/journal", "found another file, expected results that --continue has kept; name a new file")
		}
		if found != id {
			return nil, diag.New(at, "measure/journal", "found results of other conditions, %s, expected %s; use the same options or name a new file", found.words(), id.words())
		}
	}
	if whole == 0 && len(text) > 0 && !bytes.HasPrefix(text, []byte(`{"record":"`+id.Record)) && !bytes.HasPrefix([]byte(`{"record":"`+id.Record), text) {
		return nil, diag.New(diag.Pos{File: name, Line: 1, Col: 1}, "measure/journal", "found another file, expected results that --continue has kept; name a new file")
	}
	if len(text) > whole {
		e.Note(diag.Note(diag.Pos{File: name}, "measure/cut", "the last line is not whole; what it held is measured again"))
	}
	// Records of two runs at the same time follow each other.
	if r.file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666); err != nil {
		return nil, err
	}
	if err := r.file.Truncate(int64(whole)); err != nil {
		return nil, err
	}
	if whole == 0 {
		return r, r.write(id)
	}
	return r, nil
}

// write adds a record.
func (r *records) write(record any) error {
	if r.file == nil {
		return nil
	}
	line, err := json.Marshal(record)
	if err != nil {
		return err
	}
	_, err = r.file.Write(append(line, '\n'))
	return err
}

func (r *records) close() {
	if r.file != nil {
		r.file.Close() // every record was written already
	}
}

// noRecord is the error of a line that is damaged.
func noRecord(at diag.Pos) error {
	return diag.New(at, "measure/journal", "found a line that is no result, expected what --continue has kept; name a new file")
}

// journal keeps the series of a processor.
type journal struct {
	*records
	series map[string]*measure.Series
}

// entry is a record of a journal: the series of a quantity so far. A later one of
// the same name replaces it.
type entry struct {
	Name string `json:"name"`
	*measure.Series
}

// openJournal reads the series of earlier runs, or begins.
func openJournal(e *cli.Env, name string, id identity) (*journal, error) {
	j := &journal{series: map[string]*measure.Series{}}
	o := measure.Options{Samples: id.Samples, Processes: id.Processes}
	var err error
	j.records, err = openRecords(e, name, id, func(at diag.Pos, line []byte) error {
		var r entry
		if err := json.Unmarshal(line, &r); err != nil || r.Name == "" || r.Series == nil || !r.Valid(o) {
			return noRecord(at)
		}
		j.series[r.Name] = r.Series
		return nil
	})
	return j, err
}

// of returns the samples of a quantity, none at first.
func (j *journal) of(name string) *measure.Series {
	if j.series[name] == nil {
		j.series[name] = &measure.Series{}
	}
	return j.series[name]
}

// keep writes the samples of a quantity.
func (j *journal) keep(name string) error { return j.write(entry{name, j.series[name]}) }
