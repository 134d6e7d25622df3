package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

func TestDocumentsRead(t *testing.T) {
	root := t.TempDir()
	const text = "Say `efoc\ninfo`.\n\n<!-- not run: it never ends -- needs: java -->\n```sh\n# first\nefoc serve &\ncurl 'a\nb' \\\n  -d x\n```\n\n" +
		"```console\n$ efoc a\n1\n$ efoc b\n```\n```go\nx := `y`\n```\n"
	require.NoError(t, os.WriteFile(filepath.Join(root, "README.md"), []byte(text), 0o644))
	pages, err := readDocs(root)
	if err != nil || len(pages) != 1 || pages[0].Path != "README.md" || len(pages[0].Blocks) != 3 {
		t.Fatalf("got %+v and %v", pages, err)
	}
	if want := []string{"efoc info"}; !reflect.DeepEqual(pages[0].Spans, want) {
		t.Errorf("spans are %q, want %q", pages[0].Spans, want)
	}
	shell, session, code := pages[0].Blocks[0], pages[0].Blocks[1], pages[0].Blocks[2]
	if want := map[string]string{"not run": "it never ends", "needs": "java"}; !reflect.DeepEqual(shell.Mark, want) || shell.Line != 5 {
		t.Errorf("the mark at line %d is %q, want %q", shell.Line, shell.Mark, want)
	}
	if got, want := shell.commands(), []docCommand{{Text: "efoc serve &\n"}, {Text: "curl 'a\nb' \\\n  -d x\n"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("commands are %+v, want %+v", got, want)
	}
	want := []docCommand{{Text: "efoc a\n", Output: "1\n", Shown: true}, {Text: "efoc b\n", Shown: true}}
	if got := session.commands(); !reflect.DeepEqual(got, want) || len(session.Mark) > 0 {
		t.Errorf("commands are %+v, want %+v", got, want)
	}
	if code.Language != "go" || code.Text != "x := `y`\n" {
		t.Errorf("the code is %+v", code)
	}
}

// TestDocumentCalls checks that programs are found however bash is told to call them.
func TestDocumentCalls(t *testing.T) {
	calls := callsOf(t, t.TempDir(), `cd / && efoc ask 'r("a", x)' -k 5 > out.txt`, "N=1 efoc answer a.efo < rows | mpirun -n 2 efoc serve &\n", "source <(efoc completion -c bash)")
	found := map[string]bool{}
	for _, c := range calls {
		found[fmt.Sprintf("%q", c.Args)] = true
	}
	for _, want := range [][]string{{"efoc", "ask", `r("a", x)`, "-k", "5"}, {"efoc", "answer", "a.efo"}, {"mpirun", "-n", "2", "efoc", "serve"}, {"efoc", "completion", "-c", "bash"}} {
		if !found[fmt.Sprintf("%q", want)] {
			t.Errorf("%q was not found in %v", want, found)
		}
	}
	if calls[0].Dir != "/" {
		t.Errorf("the first call is in %s, want /", calls[0].Dir)
	}
}

// TestDocumentedGo checks which calls of go are mistakes.
func TestDocumentedGo(t *testing.T) {
	for text, want := range map[string]string{
		"go test ./...": "",
		"go test ./codegen/difftest -run TestDifferential -cases 400000": "",
		"EFOC_LONG=1 go test -tags mpi ./cmd/efoc -run '^TestMPI' -v":    "",
		"go test ./runtime/model/exact -run xxx -bench Answers":          "",
		"go install github.com/efoc/efoc/cmd/efoc@latest":                "",
		"cd testdata/downstream && go test -run TestDevice .":            "",
		"go test ./runtime/internal":                                     "./runtime/internal is no package",
		"go test ./runtime/exact -run Released":                          "no such file",
		"go test ./lang -run TestNothing":                                "no test matches TestNothing",
		"go test ./lang -run xxx -bench Nothing":                         "no benchmark matches Nothing",
		"go test ./lang -cases 5":                                        "not defined: -cases",
		"go run cmd/bench/more.go":                                       "no such file",
		"go run github.com/efoc/efoc/cmd/nothing@latest":                 "no such file",
		"go build lang": "a path begins with ./",
	} {
		calls := callsOf(t, root(), text)
		if len(calls) != 1 {
			t.Fatalf("%s: %d calls", text, len(calls))
		}
		if _, err := calls[0].checkGo(root()); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
