// Bench measures the speed of the commands and of their parts.
//
//	go run ./scripts/bench [-o FILE] [-bench REGEXP] [-count N]
//	go run ./scripts/bench -compare
//
// It runs the benchmarks of all packages one after the other, then the
// commands as processes on the large bundled trace and on traces that it
// makes, and prints tables: MB/s of the text that is read or written, calls/s,
// the cost of a call as one property of the program or the number of
// processors grows, memory, and what the time is spent on. With -o it replaces
// the part of FILE between the lines "<!-- figures -->" and
// "<!-- end of figures -->" with them, and draws the curves of cost into the
// directory called FILE without .md. With -compare it only compares processor
// times, the last of the tables. Machine, date and commit are left out:
// compare figures of one machine only.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("bench: ")
	out := flag.String("o", "", "replace the figures in `FILE`")
	pattern := flag.String("bench", ".", "benchmarks to run, a `REGEXP`")
	count := flag.Int("count", 3, "measure `N` times and take the best")
	only := flag.Bool("compare", false, "only compare processor times")
	flag.Parse()
	if flag.NArg() > 0 || *count < 1 {
		log.Fatal("found operands or a count below 1; see go doc ./scripts/bench")
	}
	if *only && *out != "" {
		log.Fatal("found -compare and -o, expected one of them")
	}
	b, rows, err := run(*pattern, *count, *only)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := os.Stdout.Write(b); err != nil {
		log.Fatal(err)
	}
	if *out != "" {
		if err := replace(*out, b); err != nil {
			log.Fatal(err)
		}
		if err := plots(strings.TrimSuffix(*out, ".md"), rows); err != nil {
			log.Fatal(err)
		}
	}
}

// run measures everything and returns the tables as Markdown, and the results
// of the benchmarks.
func run(pattern string, count int, only bool) ([]byte, []*row, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	size, resolve, err := prepare(dir)
	if err != nil {
		return nil, nil, err
	}
	compared, err := compare(dir, resolve)
	if err != nil || only {
		return compared, nil, err
	}
	var b bytes.Buffer
	rows, err := benchmarks(pattern, count)
	if err != nil {
		return nil, nil, err
	}
	fmt.Fprintf(&b, "Best of %d, MB/s of what is read or written.\n\n", count)
	fmt.Fprint(&b, "| benchmark | MB/s | calls/s | ms/op | allocs/op |\n| --- | ---: | ---: | ---: | ---: |\n")
	for _, r := range rows {
		if strings.HasPrefix(r.name, "Cost/") {
			continue // in a table of their own
		}
		fmt.Fprintf(&b, "| `%s` %s | %s | %s | %s | %s |\n", r.pkg, r.name, r.get("MB/s"), r.get("calls/s"), r.millis(), r.get("allocs/op"))
	}
	b.Write(costTable(rows))
	whole, shares, err := processes(dir, count, size, resolve)
	if err != nil {
		return nil, nil, err
	}
	fmt.Fprint(&b, "\n| process | seconds | MB/s of .ptr text | MB of memory |\n| --- | ---: | ---: | ---: |\n")
	for _, p := range whole {
		rate := ""
		if p.rate > 0 {
			rate = fmt.Sprintf("%.0f", p.rate)
		}
		fmt.Fprintf(&b, "| `%s` | %.2f | %s | %.0f |\n", p.line, p.seconds, rate, p.memory)
	}
	b.Write(shares)
	b.Write(compared)
	return b.Bytes(), rows, nil
}

// A row is the best result of one benchmark.
type row struct {
	pkg, name string
	values    map[string]float64
}

func (r *row) get(unit string) string {
	v, ok := r.values[unit]
	switch {
	case !ok:
		return ""
	case v >= 1e6:
		return fmt.Sprintf("%.2f M", v/1e6)
	default:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
}

func (r *row) millis() string {
	ms := r.values["ns/op"] / 1e6
	if ms >= 100 {
		return strconv.FormatFloat(ms, 'f', 0, 64)
	}
	return strconv.FormatFloat(ms, 'g', 3, 64)
}

// benchmarks runs the benchmarks of all packages, one package at a time.
func benchmarks(pattern string, count int) ([]*row, error) {
	c := exec.Command("go", "test", "-p", "1", "-run", "^$", "-bench", pattern, "-benchmem", "-count", strconv.Itoa(count), "./...")
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", c.Args, err, out)
	}
	var rows []*row
	index := map[string]*row{}
	pkg := ""
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) == 2 && f[0] == "pkg:" {
			pkg = strings.TrimPrefix(f[1], "dvmtools/")
		}
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		name := f[0]
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			name = name[:i] // the number of processors
		}
		r := &row{pkg: pkg, name: strings.TrimPrefix(name, "Benchmark"), values: map[string]float64{}}
		for i := 2; i+1 < len(f); i += 2 {
			if r.values[f[i+1]], err = strconv.ParseFloat(f[i], 64); err != nil {
				return nil, fmt.Errorf("a line of a benchmark: %q: %w", line, err)
			}
		}
		if best, ok := index[pkg+name]; !ok {
			index[pkg+name] = r
			rows = append(rows, r)
		} else if r.values["ns/op"] < best.values["ns/op"] {
			*best = *r
		}
	}
	return rows, nil
}

// replace puts the tables between the marks of a document.
func replace(name string, tables []byte) error {
	const begin, end = "<!-- figures -->\n", "<!-- end of figures -->"
	doc, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	head, rest, ok := bytes.Cut(doc, []byte(begin))
	_, tail, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		return fmt.Errorf("%s: found no lines %q and %q", name, strings.TrimSpace(begin), end)
	}
	return os.WriteFile(name, bytes.Join([][]byte{head, []byte(begin), tables, []byte(end), tail}, nil), 0o666)
}
