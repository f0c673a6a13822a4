package report_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/options"
	"dvmtools/pkg/report"
)

// withExchanges is the sample with exchanges of two places, one of which costs
// nothing.
func withExchanges(t *testing.T) *report.Tree {
	t.Helper()
	r := sample(t)
	r.header.Options.Async = options.Free
	r.header.Source = []string{"it's jac.ptr"}
	b := report.NewBuilder(r.header, report.AllLevels)
	for i := range r.intervals {
		if err := b.Interval(diag.Pos{File: "x"}, &r.intervals[i]); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []interval.Exchange{
		{Kind: interval.Shadow, Func: "strtsh_", File: "jac.fdv", Line: 21, Seq: 23, Count: 60, Messages: 720, Bytes: 7200,
			KindTimes: interval.KindTimes{Overlap: 1e-3}},
		{Kind: interval.Reduction, Func: "strtrd_", File: "jac.fdv", Line: 30, Seq: 41, Count: 20, Messages: 120, Bytes: 960,
			KindTimes: interval.KindTimes{Communication: 4.8384e-3, RealSynch: 3e-3}},
		{Kind: interval.Remote, Func: "loadrb_", File: "jac.fdv", Line: 31, Seq: 43, Count: 4, Messages: 4, Bytes: 1 << 40,
			KindTimes: interval.KindTimes{Communication: 5e-3}},
	} {
		b.Exchange(&x)
	}
	tree, err := b.Tree(diag.Pos{File: "x"})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

const wantCommand = `dvmsim -m MACHINE -g 2x2 --async free --explain loadrb_@43 'it'\''s jac.ptr'`

func TestExchangesInEveryFormat(t *testing.T) {
	tree := withExchanges(t)

	shown := write(t, tree, report.Text)
	_, part, _ := strings.Cut(shown, "by where they are started\n")
	part, _, _ = strings.Cut(part, "\n\n")
	const want = `exchange                              count  messages       bytes      time  of all lost   waiting
Remote access, loadrb_ at jac.fdv:31      4         4    1.100 TB  5.000 ms       33.2 %  0     s
Reduction, strtrd_ at jac.fdv:30         20       120  960     B   4.838 ms       32.2 %  3.000 ms
The first is explained by ` + wantCommand
	if part != want {
		t.Errorf("the text says\n%s\nexpected\n%s", part, want)
	}
	if md := write(t, tree, report.Markdown); !strings.Contains(md, "| Reduction, strtrd\\_ at jac.fdv:30 | 20 | 4.838 ms | 32.2 % | 3.000 ms |\n") {
		t.Errorf("the summary is\n%s", md)
	}

	var doc struct{ Exchanges []map[string]any }
	if err := json.Unmarshal([]byte(write(t, tree, report.JSON)), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Exchanges) != 3 || doc.Exchanges[1]["kind"] != "reduction" || doc.Exchanges[1]["communication"] != 4.8384e-3 || doc.Exchanges[2]["size_b"] != float64(1<<40) {
		t.Errorf("the document has %v", doc.Exchanges)
	}

	rows, err := csv.NewReader(strings.NewReader(write(t, tree, report.CSV))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, row := range rows {
		if row[1] == "exchange" {
			n++
		}
		if row[2] == "remote.size_b" && !slices.Equal(row, []string{"1", "exchange", "remote.size_b", "1099511627776", "bytes", "0", "0", "loadrb_", "jac.fdv", "31", "", ""}) {
			t.Errorf("the table has %q", row)
		}
	}
	if n != 3*8 {
		t.Errorf("%d rows of exchanges", n)
	}

	prom := write(t, tree, report.Prom)
	for _, want := range []string{
		`dvm_exchange_communication_seconds{program="jac.fdv",grid="2x2",kind="reduction",func="strtrd_",file="jac.fdv",line="30"} 0.0048384`,
		`dvm_exchange_bytes{program="jac.fdv",grid="2x2",kind="shadow",func="strtsh_",file="jac.fdv",line="21"} 7200`,
	} {
		if !strings.Contains(prom, want+"\n") {
			t.Errorf("the metrics lack %s", want)
		}
	}

	page := parse(t, write(t, tree, report.HTML))
	section := byID(t, page)["exchanges"]
	var got []string
	for n := range section.Descendants() {
		if n.Data == "td" || n.Data == "th" {
			got = append(got, strings.ReplaceAll(text(n), "\u00a0", " "))
		}
	}
	if s := fmt.Sprint(got[9:18]); s != "[Remote access, loadrb_ at jac.fdv:31 4 4 1.100 TB 5.000 ms 33.2 % 0 s 0 s "+wantCommand+"]" {
		t.Errorf("the first row of the page is %s", s)
	}
}
