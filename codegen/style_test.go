package codegen_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// ceilings bound how often the source does what makes it hard to read. They only ever fall: lower
// one when there is room below it.
var ceilings = map[string]int{
	"parallel assignment": 229,
	"busy condition":      0,
	"long function":       8,
	"tell":                0,
}

// maxFunctionLines is the length from which a function is long.
const maxFunctionLines = 60

// tells are phrases of translated English.
var tells = regexp.MustCompile(`\b(those of|that of|of which|what is|is that of|are those of|so many|so much|whatever|whoever|another one than|all that|none of whom)\b`)

// TestStyle counts, in all Go files but tests and generated ones: parallel assignments, with two
// expressions or more on both sides; busy conditions, which are if and switch statements that
// begin with a statement other than a definition or the assignment of an error; long functions; and tells in comments.
func TestStyle(t *testing.T) {
	s := style{set: token.NewFileSet(), places: map[string][]string{}}
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(s.set, path, nil, parser.ParseComments)
		if err == nil && !ast.IsGenerated(file) {
			s.file(file)
		}
		return err
	}))
	for what, ceiling := range ceilings {
		places := s.places[what]
		t.Logf("%ss: %d, at most %d", what, len(places), ceiling)
		if len(places) > ceiling {
			t.Errorf("there are %d %ss, more than %d, most of them here:\n%s", len(places), what, ceiling, strings.Join(fullest(places, 10), "\n"))
		}
	}
}

// style notes places by what is found there.
type style struct {
	set    *token.FileSet
	places map[string][]string
}

func (s *style) note(what string, at token.Pos) {
	p := s.set.Position(at)
	s.places[what] = append(s.places[what], fmt.Sprintf("%s:%d", p.Filename, p.Line))
}

func (s *style) file(file *ast.File) {
	for _, group := range file.Comments {
		for range tells.FindAllString(group.Text(), -1) {
			s.note("tell", group.Pos())
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil && s.set.Position(n.Body.End()).Line-s.set.Position(n.Body.Pos()).Line >= maxFunctionLines {
				s.note("long function", n.Pos())
			}
		case *ast.AssignStmt:
			if len(n.Lhs) > 1 && len(n.Rhs) > 1 {
				s.note("parallel assignment", n.Pos())
			}
		case *ast.IfStmt:
			if busy(n.Init) {
				s.note("busy condition", n.Pos())
			}
		case *ast.SwitchStmt:
			if busy(n.Init) {
				s.note("busy condition", n.Pos())
			}
		}
		return true
	})
}

// busy reports whether an initialiser has another purpose than to define names, or to set an error or ok.
func busy(init ast.Stmt) bool {
	if init == nil {
		return false
	}
	assign, ok := init.(*ast.AssignStmt)
	if !ok {
		return true
	}
	return assign.Tok != token.DEFINE && slices.ContainsFunc(assign.Lhs, func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return !ok || !slices.Contains([]string{"err", "ok", "_"}, id.Name)
	})
}

// fullest returns the places in the files that have most of them.
func fullest(places []string, files int) []string {
	byFile := map[string][]string{}
	for _, p := range places {
		file, _, _ := strings.Cut(p, ".go:")
		byFile[file] = append(byFile[file], p)
	}
	var lines []string
	for _, list := range byFile {
		lines = append(lines, fmt.Sprintf("%3d %s", len(list), strings.Join(list, " ")))
	}
	slices.Sort(lines)
	slices.Reverse(lines)
	return lines[:min(files, len(lines))]
}
