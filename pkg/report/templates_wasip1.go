package report

// What takes the place of html/template where no page is written as a whole.
type (
	templates struct{}
	safeHTML  string
	safeCSS   string
	safeJS    string
)

func parts() templates { return templates{} }

// template writes nothing.
func (p *pageWriter) template(string, any) {
	panic("report: internal error: no templates")
}
