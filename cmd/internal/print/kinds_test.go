package print

import (
	"context"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/require"
)

// TestKinds asks a question of each kind, alone and in a group, and checks that each format can write the reply, and
// that options for another kind are refused.
func TestKinds(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	formulas := map[plan.Kind]string{
		plan.Answers: `official_language("Brazil", y)`,
		plan.Rows:    `x, y: borders("Brazil", x) & official_language(x, y)`,
		plan.Verdict: `borders("Brazil", "Peru")`,
		plan.Count:   `count y: official_language("Brazil", y)`,
	}
	lists := map[plan.Kind]bool{plan.Answers: true, plan.Rows: true}
	group := m.NewGroup()
	for k := range formulas {
		q, err := lang.ParseFormula(formulas[k])
		require.NoError(t, err)
		p, err := compiler.Prepare(m, q, compiler.Options{})
		require.NoError(t, err)
		ask := func(ctx context.Context) error {
			reply, err := p.Ask(ctx, nil, runtime.Options{})
			if err != nil {
				return err
			}
			if reply.Kind != k || p.Spec().Kind != k {
				t.Errorf("a question of kind %s has a reply of kind %s", p.Spec().Kind, reply.Kind)
			}
			checkFormats(t, k, &Reply{Reply: reply})
			return nil
		}
		require.NoError(t, ask(t.Context()))
		group.Enter(1)
		require.NoError(t, group.Do(t.Context(), ask))

		_, refused := errors.AsType[*runtime.OptionError](p.Check(runtime.Options{Offset: 1}))
		if refused == lists[k] {
			t.Errorf("%s: an offset is refused: %v", k, refused)
		}
	}
}

// checkFormats checks that each format writes a reply.
func checkFormats(t *testing.T, k plan.Kind, r *Reply) {
	t.Helper()
	if fields := r.TSV(); len(fields) < 2 || len(fields[0]) != len(fields[1]) {
		t.Errorf("%s: fields %q", k, fields)
	}
	if r.Brief() == nil {
		t.Errorf("%s: an assistant is told nothing", k)
	}
	var text strings.Builder
	r.Text(&Printer{W: &text})
	if len(strings.Split(text.String(), "\n")) < 4 {
		t.Errorf("%s: people are told %q", k, text.String())
	}
	object, err := Object(r.Members()...)
	if err != nil || !json.Valid(object) || len(object) < 10 {
		t.Errorf("%s: object %s, %v", k, object, err)
	}
}

// TestSurfaces checks that no surface asks which type a reply has: views by kind do.
func TestSurfaces(t *testing.T) {
	for _, top := range []string{"..", filepath.Join("..", "..", "efoc")} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			places := token.NewFileSet()
			file, err := parser.ParseFile(places, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				s, ok := n.(*ast.TypeSwitchStmt)
				if !ok {
					return true
				}
				ast.Inspect(s.Body, func(n ast.Node) bool {
					clause, ok := n.(*ast.CaseClause)
					for i := 0; ok && i < len(clause.List); i++ {
						if text := typeName(clause.List[i]); strings.HasPrefix(text, "runtime.") {
							t.Errorf("%s: a switch has a case for type %s", places.Position(clause.Pos()), text)
						}
					}
					return true
				})
				return true
			})
			return nil
		})
		require.NoError(t, err)
	}
}

// typeName returns the name of a type in another package, or of a pointer to it.
func typeName(e ast.Expr) string {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	if s, ok := e.(*ast.SelectorExpr); ok {
		if p, ok := s.X.(*ast.Ident); ok {
			return p.Name + "." + s.Sel.Name
		}
	}
	return ""
}
