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
	Repeats   int     `json:"repeats"`
	RunTime   float64 `json:"run_time_s"`
}

// journal keeps results as they come, so that measuring can go on after an
// interruption: records, a line each, each written at once.
type journal struct {
	file    *os.File // nil when nothing is kept
	results map[string]measure.Result
}

// openJournal reads the results of earlier runs from a file, or creates it. With
// an empty name no results are kept. When the last line is incomplete because of
// an interruption, its quantity is measured again.
func openJournal(e *cli.Env, name string, id identity) (*journal, error) {
	j := &journal{results: map[string]measure.Result{}}
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
		var r measure.Result
		if err := json.Unmarshal(line, &r); err != nil || r.Name == "" {
			return nil, diag.New(at, "measure/journal", "found a line that is no result, expected what --continue has kept; name a new file")
		}
		j.results[r.Name] = r
	}
	if len(text) > whole {
		e.Note(diag.Note(diag.Pos{File: name}, "measure/cut", "the last line is not whole and is measured again"))
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
	return fmt.Sprintf("%q with %q %q, %d groups, %d samples of %d runs of %v s", id.Processor, id.Compiler, id.Flags, id.Groups, id.Samples, id.Repeats, id.RunTime)
}

func (j *journal) has(name string) bool { _, ok := j.results[name]; return ok }

// add keeps a result.
func (j *journal) add(r measure.Result) error {
	j.results[r.Name] = r
	if j.file == nil {
		return nil
	}
	return j.write(r)
}

func (j *journal) write(record any) error {
	line, err := json.Marshal(record)
	if err != nil {
		return err
	}
	_, err = j.file.Write(append(line, '\n'))
	return err
}

// of returns the results of names, in their order.
func (j *journal) of(names []string) []measure.Result {
	var all []measure.Result
	for _, n := range names {
		if r, ok := j.results[n]; ok {
			all = append(all, r)
		}
	}
	return all
}

func (j *journal) close() {
	if j.file != nil {
		j.file.Close() // every record was written already
	}
}
