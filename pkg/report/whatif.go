package report

import (
	_ "embed"
	"encoding/base64"
)

// The parts of a page that can be changed, behind those of every page. The
// worker is a program of its own.
var (
	//go:embed assets/whatif.css
	styleWhatIf string
	//go:embed assets/worker.js
	scriptWorker string
	//go:embed assets/whatif.js
	scriptWhatIf string
	//go:embed assets/whatif_simulator.js
	scriptSimulator string
	//go:embed assets/whatif_update.js
	scriptUpdate string
	//go:embed assets/whatif_panel.js
	scriptPanel string
	//go:embed assets/whatif_sweep.js
	scriptSweep string
	//go:embed assets/whatif_pair.js
	scriptPair string
	//go:embed assets/whatif_start.js
	scriptStart string
)

// WhatIf makes a page that can be changed: it simulates the program again.
type WhatIf struct {
	// Module is the simulator, Calls are the packed calls of the program (package
	// whatif), both compressed with gzip.
	Module string
	Calls  []byte
	// Base is what was predicted, as JSON that may stand in a script element.
	Base []byte
}

// newWhatIfFrame is [newFrame] of a page that can be changed: its policy allows
// WebAssembly and a worker from a Blob as well.
func newWhatIfFrame(title string) frame {
	return policedFrame(title, styleSheet+styleWhatIf, "'wasm-unsafe-eval'", "; worker-src blob:",
		append(reportScripts(), scriptWhatIf, scriptSimulator, scriptUpdate, scriptPanel, scriptSweep, scriptPair, scriptStart))
}

// writeWhatIf writes what the script simulates with.
func writeWhatIf(p *pageWriter, w *WhatIf) {
	var m markup
	m.raw("<noscript><p class=\"note\">The parameters of this page can be changed with a script only.</p></noscript>\n")
	data := func(id, kind string, content []byte) {
		m.raw(`<script type="` + kind + `" id="` + id + `">`)
		m = append(m, content...)
		m.raw("</script>\n")
	}
	data("base", "application/json", w.Base)
	data("worker", "text/plain", []byte(scriptWorker))
	data("module", "text/plain", []byte(base64.StdEncoding.EncodeToString([]byte(w.Module))))
	data("calls", "text/plain", []byte(base64.StdEncoding.EncodeToString(w.Calls)))
	p.write(m)
}

// title is the title of a report.
func (r *reportPage) title() string { return r.Program + " on " + r.Grid + ": predicted performance" }
