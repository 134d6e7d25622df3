package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/testdata/long"

	"github.com/efoc/efoc/lang"
)

// root is the folder of the module.
var root = sync.OnceValue(func() string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return dir
})

// documentation returns every page of Markdown, and the examples of the help as pages of one
// block each.
func documentation(t *testing.T) []docPage {
	t.Helper()
	pages, err := readDocs(root())
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages were found: %v", len(pages), err)
	}
	files, _ := filepath.Glob("help/*.txt")
	for _, file := range files {
		_, text, _ := strings.Cut("\n"+readText(t, file), "\nExample")
		var block strings.Builder
		for line := range strings.Lines(text) {
			if example, ok := strings.CutPrefix(line, "    "); ok && !strings.Contains(line, ", err ") && !strings.HasPrefix(example, "//") {
				block.WriteString(example)
			}
		}
		b := docBlock{File: file, Language: "sh", Mark: map[string]string{}, Text: block.String()}
		pages = append(pages, docPage{Path: file, Blocks: []docBlock{b}})
	}
	return pages
}

// commandLike is how a line begins that is a command.
var commandLike = regexp.MustCompile(`(?m)^(\$ )?(efoc|go|curl|git|python3?|mpirun|docker|cd|export|\./[a-z-]+) `)

// TestDocumentedBlocks checks that every fenced block says what it holds, and holds that.
func TestDocumentedBlocks(t *testing.T) {
	for _, p := range documentation(t) {
		for _, b := range p.Blocks {
			at := fmt.Sprintf("%s:%d", b.File, b.Line)
			switch b.Language {
			case "console", "sh", "go", "python":
			case "efo":
				if _, err := lang.ParseFile(at, []byte(b.Text)); err != nil {
					t.Error(err)
				}
			case "json":
				if !json.Valid([]byte(b.Text)) {
					t.Errorf("%s: this is no JSON", at)
				}
			case "lua", "sparql", "tsv", "text":
				if line := commandLike.FindString(b.Text); line != "" {
					t.Errorf("%s: a command (%s) in a block of %s: fence it as sh or console", at, line, b.Language)
				}
			default:
				t.Errorf("%s: a block of %q: want console, sh, go, python, efo, json, lua, sparql, tsv or text", at, b.Language)
			}
			for mark, reason := range b.Mark {
				if !slices.Contains([]string{"not run", "needs", "prints", "fragment"}, mark) || reason == "" {
					t.Errorf("%s: unknown mark %q, or one without a reason", at, mark)
				}
				checkNames(t, at, reason)
			}
		}
	}
}

// checkNames checks that the tests that a reason names exist.
func checkNames(t *testing.T, at, reason string) {
	t.Helper()
	for _, test := range regexp.MustCompile(`\bTest\w+`).FindAllString(reason, -1) {
		if !strings.Contains(ownTests(t), "\nfunc "+test+"(") {
			t.Errorf("%s: there is no %s", at, test)
		}
	}
}

// ownTests returns the text of the tests of this package.
func ownTests(t *testing.T) (text string) {
	t.Helper()
	files, _ := filepath.Glob("*_test.go")
	for _, file := range files {
		text += readText(t, file)
	}
	return text
}

// tested are the documents whose commands are checked and run: by default the README alone.
func tested(t *testing.T) []docPage {
	t.Helper()
	all := documentation(t)
	return long.Or(all, slices.DeleteFunc(slices.Clone(all), func(p docPage) bool { return p.Path != "README.md" }))
}

// TestDocumentedCommands checks the arguments of every command of efoc and go that a block or a
// text between backquotes has, whether it is run or not. Texts between backquotes may leave out
// arguments.
func TestDocumentedCommands(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	checked := 0
	for _, p := range tested(t) {
		var blocks, spans []string
		for _, b := range p.Blocks {
			if b.Language == "sh" || b.Language == "console" {
				var script strings.Builder // one, for a block may change the folder
				for _, c := range b.commands() {
					script.WriteString(c.Text)
				}
				blocks = append(blocks, script.String())
			}
		}
		for _, s := range p.Spans {
			if regexp.MustCompile(`^([A-Z_0-9]+=\S+ )*(efoc|go) [a-z]`).MatchString(s) {
				spans = append(spans, s)
			}
		}
		for mention, scripts := range [][]string{blocks, spans} {
			if len(scripts) == 0 {
				continue
			}
			for _, c := range callsOf(t, root(), scripts...) {
				n, err := checkCall(c, mention == 1)
				if err != nil {
					t.Errorf("%s: %s: %v", p.Path, strings.Join(c.Args, " "), err)
				}
				checked += n
			}
			for _, name := range regexp.MustCompile(`\bEFOC_[A-Z0-9_]+`).FindAllString(strings.Join(scripts, "\n"), -1) {
				if !environment(t)[name] {
					t.Errorf("%s: nothing reads %s", p.Path, name)
				}
			}
		}
	}
	if checked < long.Or(100, 5) {
		t.Errorf("only %d commands were found", checked)
	}
}

// environment has the variables that Go code and scripts name.
var environmentNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	_ = filepath.WalkDir(root(), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && slices.Contains([]string{".go", ".sh"}, filepath.Ext(path)) {
			text, _ := os.ReadFile(path)
			for _, name := range regexp.MustCompile(`\bEFOC_[A-Z0-9_]+`).FindAllString(string(text), -1) {
				names[name] = true
			}
		}
		return nil
	})
	return names
})

func environment(t *testing.T) map[string]bool {
	t.Helper()
	return environmentNames()
}

// checkCall checks a call, and returns how many commands of efoc or go it is. mpirun,
// parallel and env have one behind their own arguments.
func checkCall(c docCall, mention bool) (checked int, err error) {
	if len(c.Args) > 0 && slices.Contains([]string{"mpirun", "parallel", "env"}, c.Args[0]) {
		c.Args = c.Args[max(0, slices.IndexFunc(c.Args, func(arg string) bool { return strings.HasPrefix(arg, "efoc") })):]
	}
	if len(c.Args) < 2 || !slices.Contains([]string{"efoc", "efoc-mpi", "go"}, c.Args[0]) {
		return 0, nil
	}
	if c.Args[0] != "go" {
		return 1, checkEfoc(c.Args[1:], mention)
	}
	program, err := c.checkGo(root())
	if err != nil || len(program) == 0 {
		return 1, err
	}
	switch name, _, _ := strings.Cut(strings.TrimPrefix(program[0], module), "@"); {
	case name == "/cmd/efoc" || name == "./cmd/efoc" || name == "efoc":
		return 1, checkEfoc(program[1:], mention)
	}
	return 1, nil
}

// checkEfoc reports arguments that efoc does not take. Of a mention it looks at the command and
// its flags alone.
func checkEfoc(args []string, mention bool) error {
	exited := false
	parser, err := kong.New(&commands{}, kong.NamedMapper("percent", kong.MapperFunc(decodeShare)), kong.Name("efoc"), kong.Vars{"version": ""}, kong.Exit(func(int) { exited = true }), kong.Writers(os.Stderr, os.Stderr))
	if err != nil {
		return err
	}
	if !mention {
		command, err := parser.Parse(args)
		if err != nil && !exited {
			return err
		}
		return cli.CheckBounds(command.Flags())
	}
	leaf := slices.IndexFunc(parser.Model.Children, func(n *kong.Node) bool { return n.Name == args[0] })
	if leaf < 0 {
		return fmt.Errorf("efoc has no command %s", args[0])
	}
	if question := regexp.MustCompile(`^(-f|--file|--shape|--queries|[^-]\S*\(.*)$`); args[0] == "bench" && len(args) > 1 && !slices.ContainsFunc(args[1:], question.MatchString) {
		return fmt.Errorf("there is no question to measure")
	}
	for _, arg := range args[1:] {
		name, isFlag := strings.CutPrefix(arg, "--")
		if name, _, _ = strings.Cut(name, "="); !isFlag || name == "help" {
			continue
		}
		if !slices.ContainsFunc(parser.Model.Children[leaf].Flags, func(f *kong.Flag) bool { return f.Name == name || f.Tag.Negatable != "" && "no-"+f.Name == name }) {
			return fmt.Errorf("efoc %s has no flag --%s", args[0], name)
		}
	}
	return nil
}
