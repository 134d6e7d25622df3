package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// module is the module that the documentation is of.
const module = "github.com/efoc/efoc"

// checkGo reports a call of the go command that names no package, test or flag of the module
// at root. Nothing is built. It returns the arguments of a program that go run starts, with its
// package or file in front.
func (c *docCall) checkGo(root string) (run []string, err error) {
	if len(c.Args) < 2 {
		return nil, fmt.Errorf("want a command of go")
	}
	args := c.Args[2:]
	if len(args) > 1 && args[0] == "-C" {
		c.Dir = filepath.Join(c.Dir, args[1])
		args = args[2:]
	}
	switch c.Args[1] {
	case "test":
		return nil, c.checkTest(root, args)
	case "tool":
		return args, nil
	case "run", "build", "install", "get":
		f := flag.NewFlagSet("go "+c.Args[1], flag.ContinueOnError)
		f.SetOutput(io.Discard)
		f.String("tags", "", "")
		f.String("o", "", "")
		f.Bool("tool", false, "")
		if err := f.Parse(args); err != nil {
			return nil, err
		}
		if f.NArg() == 0 {
			return nil, fmt.Errorf("want a package")
		}
		if _, err := c.packages(root, f.Arg(0)); err != nil {
			return nil, err
		}
		if c.Args[1] == "run" {
			return f.Args(), nil
		}
	case "generate", "vet", "mod", "env", "list":
	default:
		return nil, fmt.Errorf("go %s is not checked", c.Args[1])
	}
	return nil, nil
}

// packages returns the folders of a package, a pattern of packages, or a Go file.
func (c *docCall) packages(root, name string) (dirs []string, err error) {
	local, all := strings.CutSuffix(name, "/...")
	local, _, _ = strings.Cut(local, "@")
	dir := filepath.Join(c.Dir, local)
	switch below, ok := strings.CutPrefix(local, module); {
	case ok:
		dir = filepath.Join(root, below)
	case path.Ext(name) == ".go":
		if _, err := os.Stat(dir); err != nil {
			return nil, err
		}
		return []string{filepath.Dir(dir)}, nil
	case !strings.HasPrefix(local, "."):
		return nil, fmt.Errorf("%s is no package of this module: a path begins with ./", name)
	}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case path != dir && (!all || strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		}
		if files, _ := filepath.Glob(filepath.Join(path, "*.go")); len(files) > 0 {
			dirs = append(dirs, path)
		}
		return nil
	})
	if err == nil && len(dirs) == 0 {
		err = fmt.Errorf("%s is no package", name)
	}
	return dirs, err
}

// checkTest checks the arguments of go test: packages, flags, and patterns of tests, each of
// which has to match one in some package.
func (c *docCall) checkTest(root string, args []string) error {
	var names []string
	f := flag.NewFlagSet("go test", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	for _, name := range []string{"v", "short", "race"} {
		f.Bool(name, false, "")
	}
	for _, name := range []string{"benchtime", "timeout", "tags", "count"} {
		f.String(name, "", "")
	}
	run, bench := f.String("run", "", ""), f.String("bench", "", "")
	// Flags may stand before the packages, behind them, or both; those behind may be the tests'.
	if err := f.Parse(args); err != nil {
		return err
	}
	behind := f.Args()
	for len(behind) > 0 && !strings.HasPrefix(behind[0], "-") {
		names, behind = append(names, behind[0]), behind[1:]
	}
	var funcs []string
	for _, name := range names {
		dirs, err := c.packages(root, name)
		if err != nil {
			return err
		}
		for _, dir := range dirs {
			found, flags, err := tests(dir)
			if err != nil {
				return err
			}
			funcs = append(funcs, found...)
			for name, isBool := range flags {
				switch {
				case f.Lookup(name) != nil:
				case isBool:
					f.Bool(name, false, "")
				default:
					f.String(name, "", "")
				}
			}
		}
	}
	if err := f.Parse(behind); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("%s stands behind flags and packages", f.Arg(0))
	}
	switch {
	case len(names) == 0: // the reader's own package
		return nil
	case *bench != "":
		return matches(*bench, "Benchmark", funcs)
	case *run != "":
		return matches(*run, "Test", funcs)
	}
	return nil
}

// matches reports a pattern that no function of a kind matches.
func matches(pattern, kind string, funcs []string) error {
	first, _, _ := strings.Cut(pattern, "/")
	re, err := regexp.Compile(first)
	if err != nil {
		return err
	}
	for _, name := range funcs {
		if strings.HasPrefix(name, kind) && re.MatchString(name) {
			return nil
		}
	}
	return fmt.Errorf("no %s matches %s", strings.ToLower(kind), pattern)
}

// tests returns the functions of the test files of a folder, and the flags that they define,
// with those that are switches.
func tests(dir string) (funcs []string, flags map[string]bool, err error) {
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	flags = map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				funcs = append(funcs, n.Name.Name)
			case *ast.CallExpr:
				called, ok := n.Fun.(*ast.SelectorExpr)
				if !ok || len(n.Args) < 2 {
					break
				}
				if pkg, ok := called.X.(*ast.Ident); ok && pkg.Name == "flag" {
					if name, ok := n.Args[0].(*ast.BasicLit); ok {
						text, _ := strconv.Unquote(name.Value)
						flags[text] = called.Sel.Name == "Bool"
					}
				}
			}
			return true
		})
	}
	return funcs, flags, nil
}
