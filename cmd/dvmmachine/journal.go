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
	Flags     string  `json:"flags"`
	Groups    int     `json:"groups"`
	Samples   int     `json:"samples"`
	Processes int     `json:"processes"`
	Repeats   int     `json:"repeats"`
	RunTime   float64 `json:"run_time_s"`
}

// entry is a record of a journal: the series of a quantity so far. A later one of
// the same name replaces it.
type entry struct {
	Name string `json:"name"`
	*measure.Series
}

// journal keeps samples as they come, so that measuring can go on after an
// interruption: records, a line each, each written at once.
type journal struct {
	file   *os.File // nil when nothing is kept
	series map[string]*measure.Series
}

// openJournal reads the samples of earlier runs from a file, or creates it. With
// an empty name nothing is kept. When the last line is incomplete because of
// an interruption, its sample is taken again.
func openJournal(e *cli.Env, name string, id identity) (*journal, error) {
	j := &journal{series: map[string]*measure.Series{}}
	if name == "" {
		return j, nil
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
		if n == 0 {
			var found identity
			if err := json.Unmarshal(line, &found); err != nil || found.Record != "measure" {
				return nil, diag.New(at, "measure/journal", "found another file, expected results that --continue has kept; name a new file")
			}
			if found != id {
				return nil, diag.New(at, "measure/journal", "found results of other conditions, %s, expected %s; use the same options or name a new file", words(found), words(id))
			}
			continue
		}
		o := measure.Options{Samples: id.Samples, Processes: id.Processes}
		var r entry
		if err := json.Unmarshal(line, &r); err != nil || r.Name == "" || r.Series == nil || !r.Valid(o) {
			return nil, diag.New(at, "measure/journal", "found a line that is no result, expected what --continue has kept; name a new file")
		}
		j.series[r.Name] = r.Series
	}
	if len(text) > whole {
		e.Note(diag.Note(diag.Pos{File: name}, "measure/cut", "the last line is not whole; its sample is taken again"))
	}
	if j.file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666); err != nil {
		return nil, err
	}
	if err := errors.Join(j.file.Truncate(int64(whole)), seekTo(j.file, int64(whole))); err != nil {
		return nil, err
	}
	if whole == 0 {
		return j, j.write(id)
	}
	return j, nil
}

func seekTo(f *os.File, offset int64) error {
	_, err := f.Seek(offset, 0)
	return err
}

// words says what an identity is.
func words(id identity) string {
	return fmt.Sprintf("%q with %q %q, %d groups, %d samples of %d processes with %d runs of %v s", id.Processor, id.Compiler, id.Flags, id.Groups, id.Samples, id.Processes, id.Repeats, id.RunTime)
}

// of returns the samples of a quantity, none at first.
func (j *journal) of(name string) *measure.Series {
	if j.series[name] == nil {
		j.series[name] = &measure.Series{}
	}
	return j.series[name]
}

// keep writes the samples of a quantity.
func (j *journal) keep(name string) error {
	if j.file == nil {
		return nil
	}
	return j.write(entry{name, j.series[name]})
}

func (j *journal) write(record any) error {
	line, err := json.Marshal(record)
	if err != nil {
		return err
	}
	_, err = j.file.Write(append(line, '\n'))
	return err
}

func (j *journal) close() {
	if j.file != nil {
		j.file.Close() // every record was written already
	}
}
