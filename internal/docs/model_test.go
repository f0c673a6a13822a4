package docs_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/libdvm"
)

const root = "../../"

func page(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(root + "docs/model.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// files parses a package directory without its tests.
func files(t *testing.T, dir string) []*ast.File {
	t.Helper()
	names, err := filepath.Glob(root + dir + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var out []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	return out
}

// spelled is how the page writes a function of the package in dir.
func spelled(dir string, f *ast.FuncDecl) string {
	if f.Recv == nil {
		return dir + "." + f.Name.Name
	}
	switch r := f.Recv.List[0].Type.(type) {
	case *ast.StarExpr:
		return dir + ".(*" + r.X.(*ast.Ident).Name + ")." + f.Name.Name
	case *ast.Ident:
		return dir + "." + r.Name + "." + f.Name.Name
	}
	return ""
}

// functions returns the functions and methods of a package, as the page
// writes them.
func functions(t *testing.T, dir string) map[string]*ast.FuncDecl {
	t.Helper()
	all := map[string]*ast.FuncDecl{}
	for _, f := range files(t, dir) {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				all[spelled(dir, fn)] = fn
			}
		}
	}
	return all
}

var (
	code = regexp.MustCompile("`([^`]+)`")
	name = regexp.MustCompile(`^(pkg(?:/[a-z0-9]+)+)\.(?:(?:\(\*\w+\)|\w+)\.)?\w+$`)
)

// named lists the functions that the page names.
func named(text string) []string {
	var out []string
	for _, m := range code.FindAllStringSubmatch(text, -1) {
		if strings.HasPrefix(m[1], "pkg/") {
			out = append(out, m[1])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Every function that the page names exists, with that receiver.
func TestNamedFunctionsExist(t *testing.T) {
	packages := map[string]map[string]*ast.FuncDecl{}
	all := named(page(t))
	for _, n := range all {
		m := name.FindStringSubmatch(n)
		if m == nil {
			t.Errorf("%q is not written as pkg/dir.Func, pkg/dir.(*Type).Method or pkg/dir.Type.Method", n)
			continue
		}
		if packages[m[1]] == nil {
			packages[m[1]] = functions(t, m[1])
		}
		if packages[m[1]][n] == nil {
			t.Errorf("docs/model.md names %s, which does not exist", n)
		}
	}
	if len(all) < 100 {
		t.Errorf("the page names only %d functions: the test does not see them", len(all))
	}
}

// Every exported function of pkg/comm that computes a time, a placement or a
// number of quanta is on the page.
func TestEveryCostIsOnThePage(t *testing.T) {
	costs := []string{"units.Seconds", "Seconds", "Placement", "StageTime", "int64"}
	on := named(page(t))
	found := 0
	for n, f := range functions(t, "pkg/comm") {
		if !f.Name.IsExported() || f.Type.Results == nil || f.Recv != nil && !exported(f.Recv.List[0].Type) {
			continue
		}
		if !slices.ContainsFunc(f.Type.Results.List, func(r *ast.Field) bool { return slices.Contains(costs, typeName(r.Type)) }) {
			continue
		}
		// The number of messages of a step is no cost.
		if n == "pkg/comm.(*Step).Messages" {
			continue
		}
		found++
		if !slices.Contains(on, n) {
			t.Errorf("docs/model.md does not mention %s", n)
		}
	}
	if found < 9 {
		t.Errorf("only %d functions that compute a cost were found", found)
	}
}

func exported(e ast.Expr) bool {
	if s, ok := e.(*ast.StarExpr); ok {
		e = s.X
	}
	id, ok := e.(*ast.Ident)
	return ok && id.IsExported()
}

// typeName is the name of a type, or of a slice's elements.
func typeName(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.X.(*ast.Ident).Name + "." + x.Sel.Name
	case *ast.ArrayType:
		return typeName(x.Elt)
	}
	return ""
}

// The table of handlers on the page is that of the code: which Go function handles
// which functions of Lib-DVM.
func TestHandlersAreOnThePage(t *testing.T) {
	want := map[string][]string{}
	for class, handler := range handlers(t) {
		for _, f := range libdvm.Functions() {
			if f.Class == class {
				want[handler] = append(want[handler], f.Name)
			}
		}
	}
	got := map[string][]string{}
	for _, row := range table(t, "| Handler | Lib-DVM |", 0) {
		for _, m := range code.FindAllStringSubmatch(row[1], -1) {
			h := strings.Trim(row[0], "`")
			got[h] = append(got[h], m[1])
		}
	}
	for _, m := range []map[string][]string{want, got} {
		for k := range m {
			slices.Sort(m[k])
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the table of handlers differs from those of pkg/sim and pkg/object (-code +page):\n%s", d)
	}
	if len(want) < 40 {
		t.Errorf("only %d handlers were found", len(want))
	}
}

// handlers returns the function that handles each class: the handler of pkg/sim
// or, for a class without one, the entry in followers of pkg/object.
func handlers(t *testing.T) map[libdvm.Class]string {
	t.Helper()
	out := entries(t, "pkg/object", "followers")
	maps.Copy(out, entries(t, "pkg/sim", "handlers"))
	return out
}

// entries reads a table from classes to functions.
func entries(t *testing.T, dir, table string) map[libdvm.Class]string {
	t.Helper()
	classes := classes(t)
	out := map[libdvm.Class]string{}
	for _, f := range files(t, dir) {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				v, ok := s.(*ast.ValueSpec)
				if !ok || v.Names[0].Name != table || len(v.Values) != 1 {
					continue
				}
				for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
					kv := e.(*ast.KeyValueExpr)
					class, ok := classes[kv.Key.(*ast.SelectorExpr).Sel.Name]
					if !ok {
						t.Errorf("no class %s", kv.Key.(*ast.SelectorExpr).Sel.Name)
					}
					if h := handler(dir, kv.Value); h != "" {
						out[class] = h
					}
				}
			}
		}
	}
	return out
}

// handler returns the function behind an entry, "" for a function literal.
func handler(dir string, e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		return dir + "." + x.Name
	case *ast.CallExpr:
		return handler(dir, x.Fun)
	case *ast.SelectorExpr:
		return dir + ".(*Table)." + x.Sel.Name
	case *ast.CompositeLit: // a handler and what it is for
		for _, e := range x.Elts {
			kv := e.(*ast.KeyValueExpr)
			if key := kv.Key.(*ast.Ident).Name; key == "run" || key == "do" {
				return handler(dir, kv.Value)
			}
		}
	}
	return ""
}

// classes reads the constants of libdvm.Class in their order.
func classes(t *testing.T) map[string]libdvm.Class {
	t.Helper()
	out := map[string]libdvm.Class{}
	for _, f := range files(t, "pkg/libdvm") {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST || len(g.Specs) == 0 {
				continue
			}
			if id, ok := g.Specs[0].(*ast.ValueSpec).Type.(*ast.Ident); !ok || id.Name != "Class" {
				continue
			}
			for i, s := range g.Specs {
				out[s.(*ast.ValueSpec).Names[0].Name] = libdvm.Class(i)
			}
		}
	}
	if out["Across"] != libdvm.Across || out["BeginUser"] != libdvm.BeginUser {
		t.Fatal("the classes of libdvm are not one list of constants any more")
	}
	return out
}

// table returns the rows below the n-th occurrence of a heading, from 0.
func table(t *testing.T, head string, n int) [][]string {
	t.Helper()
	parts := strings.Split(page(t), "\n"+head+"\n")
	if len(parts) < n+2 {
		t.Fatalf("docs/model.md has %d tables %q, expected %d", len(parts)-1, head, n+1)
	}
	rest := parts[n+1]
	var rows [][]string
	for i, l := range strings.Split(rest, "\n") {
		if !strings.HasPrefix(l, "|") {
			break
		}
		if i == 0 {
			continue
		}
		cells := strings.Split(strings.Trim(l, "|"), " | ")
		for k := range cells {
			cells[k] = strings.TrimSpace(cells[k])
		}
		if want := strings.Count(head, "|") - 1; len(cells) != want {
			t.Errorf("a row of %d cells, want %d: %s", len(cells), want, l)
			continue
		}
		rows = append(rows, cells)
	}
	return rows
}

var update = flag.Bool("update", false, "rewrite the glossary of docs/model.md")

// glossary returns the table of a list of characteristics, and of the kinds of
// operations when it is that of intervals.
func glossary(list []interval.Characteristic, kinds bool) string {
	var b strings.Builder
	b.WriteString("| Name | In reports | What it is | Formula | Unit | Sums |\n|---|---|---|---|---|---|\n")
	for _, c := range list {
		unit, sums := string(c.Unit), "no"
		if c.Unit == interval.UnitRatio {
			unit = "1"
		}
		if c.Inner {
			sums = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", c.Name, c.Label, c.Definition, c.Formula, unit, sums)
	}
	if kinds {
		for k := range interval.NumKinds {
			fmt.Fprintf(&b, "| `%s` | %[1]s | the figures below of operations of this kind | - | s | yes |\n", k)
		}
	}
	return b.String()
}

// The tables of the glossary are those of the lists of characteristics.
func TestGlossaryHasEveryFigure(t *testing.T) {
	const begin, end = "<!-- %s: written by go test ./internal/docs -update -->\n", "<!-- end -->\n"
	text := page(t)
	for name, want := range map[string]string{
		"characteristics": glossary(interval.Characteristics(), true),
		"of a kind":       glossary(interval.KindCharacteristics(), false),
	} {
		before, rest, found := strings.Cut(text, fmt.Sprintf(begin, name))
		got, after, ended := strings.Cut(rest, end)
		if !found || !ended {
			t.Fatalf("docs/model.md has no table %q", name)
		}
		if d := cmp.Diff(want, got); d != "" && !*update {
			t.Errorf("the table %q (-list +page; go test ./internal/docs -update rewrites it):\n%s", name, d)
		}
		text = before + fmt.Sprintf(begin, name) + want + end + after
	}
	if *update {
		if err := os.WriteFile(root+"docs/model.md", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ops := reflect.TypeFor[interval.Operations]()
	for i := range ops.NumField() {
		if k := ops.Field(i).Tag.Get("json"); interval.Kind(i).String() != k || !strings.Contains(page(t), "`"+k+"`") {
			t.Errorf("the kind %s is not on the page", k)
		}
	}
}
