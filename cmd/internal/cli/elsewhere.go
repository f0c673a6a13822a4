package cli

import (
	"slices"
	"strings"
)

// owners says which commands have an option that is not one of all commands, for
// those who give it to another one. dvmmachine's are not listed.
var owners = []struct{ options, commands string }{
	{"-g --grid --per-processor --lines --pop --timeline", "dvmsim"},
	{"--mode --max --rank --objective --whole-nodes --min-efficiency --deadline --threshold --time-limit --best-intervals --sweep --sweep-scale --sensitivity --break-even --plan --run-part --gather", "dvmsearch"},
	{"--explain --lenient --collectives --across --balance --async --loop-cost --sections", "dvmsim and dvmsearch"},
	{"--level", "dvmsim and dvmreport"},
	{"-m --machine --topology-id --model --traced-on --small-loops --order --set --scale", "dvmsim, dvmsearch and dvmreport"},
	{"--format --metric --color --exact --source --fail-over --what-if", "dvmreport"},
	{"--strict", "dvmtrace-parse, dvmsim and dvmsearch"},
	{"--to-ptr --keep-going", "dvmtrace-parse"},
	{"--call-times --measured", "dvmtrace-merge"},
}

// Owners returns the commands that have an option, "dvmsim and dvmsearch", or "" when
// it is one of all commands, of dvmmachine, or of none.
func Owners(option string) string {
	for _, o := range owners {
		if slices.Contains(strings.Fields(o.options), option) {
			return o.commands
		}
	}
	return ""
}
