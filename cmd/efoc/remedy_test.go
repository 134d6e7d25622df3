package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/efoc/efoc/testdata/require"
)

// TestLibraryErrors checks that no text of a package outside cmd names a command or a flag of efoc: who reads it
// may use another program, or a client of a server. Function remedy names them.
func TestLibraryErrors(t *testing.T) {
	k, err := kong.New(&commands{})
	require.NoError(t, err)
	var commands, flags []string
	for _, command := range k.Model.Leaves(false) {
		commands = append(commands, command.Name)
		for _, f := range command.Flags {
			flags = append(flags, f.Name)
		}
	}
	names := regexp.MustCompile(`\befoc (` + strings.Join(commands, "|") + `)\b|--(` + strings.Join(flags, "|") + `)\b`)

	// What generated code says about itself, what a client of a server does with its model, and flags of other programs.
	allowed := []string{"the output of efoc export", "--plans-only", "run efoc generate again", "riot --output", "robot convert --output"}

	files := 0
	for _, top := range []string{"lang", "compiler", "codegen", "runtime", "kernels"} {
		err := filepath.WalkDir(filepath.Join("..", "..", top), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && d.Name() == "testdata" {
				return fs.SkipDir
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			files++
			places := token.NewFileSet()
			file, err := parser.ParseFile(places, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				literal, ok := n.(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(literal.Value)
				require.NoError(t, err)
				if found := names.FindString(text); found != "" && !slices.ContainsFunc(allowed, func(own string) bool { return strings.Contains(text, own) }) {
					t.Errorf("%s: %q names %s: say what is wrong, and have remedy say what to do", places.Position(literal.Pos()), text, found)
				}
				return true
			})
			return nil
		})
		require.NoError(t, err)
	}
	if files < 100 {
		t.Errorf("there are %d files of packages outside cmd", files)
	}
}
