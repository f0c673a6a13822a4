package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"io"
	"strings"
)

// The page's parts. The scripts are one program: they are joined in the order
// in which they use each other.
var (
	//go:embed assets/page.html.tmpl
	pageSource string
	//go:embed assets/page.css
	styleSheet string
	//go:embed assets/format.js
	scriptFormat string
	//go:embed assets/dom.js
	scriptDOM string
	//go:embed assets/model.js
	scriptModel string
	//go:embed assets/charts.js
	scriptCharts string
	//go:embed assets/tree.js
	scriptTree string
	//go:embed assets/lines.js
	scriptLines string
	//go:embed assets/interval.js
	scriptInterval string
	//go:embed assets/main.js
	scriptMain string
)

// A frame is the part of a page around its content. Its content security policy
// allows only its own style sheet and script, named by their hashes.
type frame struct {
	Title string
	CSS   safeCSS
	JS    safeJS
	CSP   safeHTML
}

// newFrame returns the frame of a page with the given scripts.
func newFrame(title string, scripts ...string) frame {
	return policedFrame(title, styleSheet, "", "", scripts)
}

// policedFrame is [newFrame] with another style sheet, with more sources of
// scripts, and with more directives at the end of the policy.
func policedFrame(title, css, sources, directives string, scripts []string) frame {
	if sources != "" {
		sources = " " + sources
	}
	js := "(() => {\n\"use strict\";\n" + strings.Join(scripts, "\n") + "})();\n"
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return frame{
		Title: title,
		CSS:   safeCSS(css),
		JS:    safeJS(js),
		CSP: safeHTML(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ` + hash(js) + sources +
			`; style-src ` + hash(css) + directives + `; base-uri 'none'; form-action 'none'">`),
	}
}

// A pageWriter writes templates and markup of our own one after the other and
// remembers the first error.
type pageWriter struct {
	w         io.Writer
	templates templates
	threads   int
	err       error
}

func newPageWriter(w io.Writer, o Options) *pageWriter {
	return &pageWriter{w: w, templates: parts(), threads: max(1, o.Threads)}
}

// pieces is how many pieces of markup [pageWriter.each] makes at once.
const pieces = 16

// each writes n pieces of markup in their order. They are made by as many
// goroutines as the options allow, so add must not write what others read.
func (p *pageWriter) each(n int, add func(m *markup, i int)) {
	batches := (n + pieces - 1) / pieces
	made := make([]chan markup, p.threads)
	// The memory of pieces that were written is used again.
	free := make([]chan markup, p.threads)
	for t := range made {
		made[t], free[t] = make(chan markup, 1), make(chan markup, 2)
		free[t] <- nil
		free[t] <- nil
		go func() {
			for b := t; b < batches; b += p.threads {
				m := (<-free[t])[:0]
				for i := b * pieces; i < min(n, (b+1)*pieces); i++ {
					add(&m, i)
				}
				made[t] <- m
			}
		}()
	}
	for b := range batches {
		m := <-made[b%p.threads]
		p.write(m)
		free[b%p.threads] <- m
	}
}

// write writes markup.
func (p *pageWriter) write(m markup) {
	if p.err == nil {
		_, p.err = p.w.Write(m)
	}
}
