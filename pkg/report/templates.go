//go:build !wasip1

package report

import (
	"bytes"
	"html/template"
)

// The templates, and the types of what they take as it is. The simulator inside
// pages writes no templates, and is smaller without the package
// (templates_wasip1.go).
type (
	templates = *template.Template
	safeHTML  = template.HTML
	safeCSS   = template.CSS
	safeJS    = template.JS
)

// parts are the templates of the page.
func parts() templates {
	t, err := template.New("page").Parse(pageSource)
	if err != nil {
		panic("report: internal error: " + err.Error())
	}
	return t
}

// template writes the named template.
func (p *pageWriter) template(name string, data any) {
	if p.err != nil {
		return
	}
	var b bytes.Buffer
	if err := p.templates.ExecuteTemplate(&b, name, data); err != nil {
		panic("report: internal error: " + err.Error())
	}
	p.write(b.Bytes())
}
