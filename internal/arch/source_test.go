package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestSource: packages below pkg do not print, end the process or have init
// functions, and everything that they export has a comment.
func TestSource(t *testing.T) {
	fset := token.NewFileSet()
	checked := 0
	for _, p := range list(t, "./pkg/...", "./cmd/...") {
		library := strings.HasPrefix(p.ImportPath, module+"pkg/")
		documented := false
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			checked++
			documented = documented || f.Doc != nil
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
					t.Errorf("%v: a function that runs by being imported", at(fset, fn))
				}
				if library {
					for _, n := range undocumented(d) {
						t.Errorf("%v: %s is exported and has no comment", at(fset, n), n.Name)
					}
				}
			}
			if library {
				ast.Inspect(f, func(n ast.Node) bool {
					if c, ok := n.(*ast.CallExpr); ok && printsOrEnds(c) {
						t.Errorf("%v: a library neither prints nor ends the process", at(fset, c))
					}
					return true
				})
			}
		}
		if !documented && len(p.GoFiles) > 0 {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
	if checked < 50 {
		t.Errorf("checked %d files only", checked)
	}
}

func at(fset *token.FileSet, n ast.Node) string {
	p := fset.Position(n.Pos())
	if rel, err := filepath.Rel(rootPath(), p.Filename); err == nil {
		p.Filename = rel
	}
	return p.String()
}

func rootPath() string {
	abs, err := filepath.Abs(root)
	if err != nil {
		return root
	}
	return abs
}

// undocumented returns the exported names that d declares at the top level
// without a comment of their own or of their group.
func undocumented(d ast.Decl) []*ast.Ident {
	var names []*ast.Ident
	add := func(doc bool, ids ...*ast.Ident) {
		for _, id := range ids {
			if id.IsExported() && !doc {
				names = append(names, id)
			}
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type)) {
			add(d.Doc != nil, d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				add(d.Doc != nil || s.Doc != nil || s.Comment != nil, s.Name)
			case *ast.ValueSpec:
				add(d.Doc != nil || s.Doc != nil || s.Comment != nil, s.Names...)
			}
		}
	}
	return names
}

// receiver returns the name of the type that a method belongs to.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// printsOrEnds is whether c calls fmt.Print, Printf or Println, print, println,
// os.Exit or a function of package log.
func printsOrEnds(c *ast.CallExpr) bool {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name == "print" || f.Name == "println"
	case *ast.SelectorExpr:
		pkg, ok := f.X.(*ast.Ident)
		return ok && (pkg.Name == "fmt" && strings.HasPrefix(f.Sel.Name, "Print") ||
			pkg.Name == "os" && f.Sel.Name == "Exit" || pkg.Name == "log")
	}
	return false
}

// TestRulesBite applies the rules to source code that breaks them.
func TestRulesBite(t *testing.T) {
	const src = `package x
import ("fmt"; "log"; "os")
// Said is documented.
func Said() {}
func Unsaid() { fmt.Println(1); os.Exit(1); log.Fatal(2); print(3); fmt.Sprint(4) }
type T struct{}
func (t *T) Method() {}
func (t hidden) Method() {}
type hidden struct{}
const (
	// A is documented.
	A = 1
	B = 2
	C = 3 // C is documented
)
`
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	calls := 0
	for _, d := range f.Decls {
		for _, n := range undocumented(d) {
			names = append(names, n.Name)
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok && printsOrEnds(c) {
				calls++
			}
			return true
		})
	}
	if got := strings.Join(names, " "); got != "Unsaid T Method B" {
		t.Errorf("undocumented: %s", got)
	}
	if calls != 4 {
		t.Errorf("%d calls print or end, want 4", calls)
	}
	if may([]string{"pkg/stream", "cmd/"}, "pkg/streams") || !may([]string{"cmd/"}, "cmd/dvmsim") {
		t.Error("may takes one name for another")
	}
}
