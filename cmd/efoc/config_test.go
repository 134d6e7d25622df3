package main

import (
	"errors"
	"maps"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/lang"
)

// flagsOf reads a file of flags and returns its values by flag.
func flagsOf(text string) (map[string]any, error) {
	k, err := kong.New(&commands{})
	if err != nil {
		return nil, err
	}
	values, err := cli.ReadConfig("efoc.yaml", []byte(text), k.Model)
	named := map[string]any{}
	for f, value := range values {
		named[f.Name] = value
	}
	return named, err
}

// TestConfig reads flags from files with every line end and with aliases.
func TestConfig(t *testing.T) {
	lines := []string{"ask:", "  k: &k 5", "  show: [x, *k]", "answer: {k: *k}", "serve: &s", "  listen: :8080", "  max: [k=7, 'facts=5,batch=6']", "mcp: {}"}
	want := map[string]any{"k": "5", "show": []any{"x", "5"}, "listen": ":8080", "max": []any{"k=7", "facts=5,batch=6"}}
	for _, end := range []string{"\n", "\r\n", "\r", "\u0085", "\u2028", "\u2029"} {
		got, err := flagsOf(strings.Join(lines, end))
		if err != nil || !maps.EqualFunc(got, want, func(a, b any) bool { return reflect.DeepEqual(a, b) }) {
			t.Errorf("line end %q: flags are %v, %v", end, got, err)
		}
	}
	for _, text := range []string{"", "# nothing\n", "ask: {}\n...\n"} {
		if got, err := flagsOf(text); err != nil || len(got) != 0 {
			t.Errorf("%q: flags are %v, %v", text, got, err)
		}
	}
}

// TestConfigErrors expects each mistake at its place.
func TestConfigErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"ask: {k: 5}\rask: {k: 6}\r", "efoc.yaml:2:1: command ask is here twice\n\task: {k: 6}\n\t^\n"},
		{"ask:\u0085  kk: 5\u0085", "efoc.yaml:2:3: unknown flag \"kk\"\n\t  kk: 5\n\t  ^\n"},
		{"ask:\u2028  k: x\u2028", "efoc.yaml:2:6: "},
		{"ask:\r\n  k: x\r\n", "efoc.yaml:2:6: "},
		{"ask: {\r", "efoc.yaml:2:1: did not find expected node content\n"},
		{"ask: 'x", "efoc.yaml:"},
		{"ask: {k: *n}\n", "efoc.yaml:1:10: unknown anchor 'n' referenced\n\task: {k: *n}\n\t         ^\n"},
		{"ask:\n  show: [x, [y, z]]\n", "efoc.yaml:2:13: want a value for show\n\t  show: [x, [y, z]]\n\t            ^\n"},
		{"ask:\n  show: [x, ]\n  k: ~\n", "efoc.yaml:3:6: want a value for k\n"},
		{"ask:\n  show: [x, ~]\n", "efoc.yaml:2:13: want a value for show\n"},
		{"ask:\n  show: [x, {y: z}]\n", "efoc.yaml:2:13: want a value for show\n"},
		{"serve: &s {listen: a}\nask:\n  show: [*s]\n", "efoc.yaml:3:10: want a value for show\n\t  show: [*s]\n\t         ^\n"},
		{"ask:\n  k: 5\n---\nask:\n  k: 6\n", "efoc.yaml:3:1: a second document, want one\n\t---\n\t^\n\thint: leave out the line ---\n"},
		{"ask:\n  <<: {k: 5}\n", "efoc.yaml:2:3: unknown flag \"<<\"\n"},
		{"- ask\n", "efoc.yaml:1:1: want commands, with a colon behind each name\n"},
		{"ask: 5\n", "efoc.yaml:1:6: want flags, with a colon behind each name\n"},
		{"\xff\xfea\x00s\x00k\x00", "efoc.yaml: not in UTF-8"},
		{"ask: \x00\n", "efoc.yaml:"},
	} {
		_, err := flagsOf(c.text)
		if err == nil {
			t.Errorf("%q: no error", c.text)
			continue
		}
		text := err.Error()
		if list, ok := errors.AsType[lang.ErrorList](err); ok {
			text = list.Render()
		}
		if !strings.HasPrefix(text, c.want) {
			t.Errorf("%q: error is\n%swant\n%s", c.text, text, c.want)
		}
	}
	file := write(t, filepath.Join(t.TempDir(), "efoc.yaml"), "ask:\u0085  k: [1, [2]]\u0085")
	efoc(t, "--config", file, "ask", "r(x)").want(t, statusUsage, "", "efoc.yaml:2:10: want a value for k")
}

// FuzzConfig reads any text: it is refused with the name of the file, or every flag has a
// text or a list of texts.
func FuzzConfig(f *testing.F) {
	for _, text := range []string{
		"ask: {k: 5}", "ask:\r  show: [a, *b]\u0085", "a: &x [*x]\n---\n*x : 1", "---\n", "serve: {max: [k=7, 'facts=5']}\n...\n# end", "ask: !!binary aGk=\n", "? [a]\n: {<<: *b}", "ask: {k: |\n  5\n}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		values, err := flagsOf(text)
		if err != nil && !strings.HasPrefix(err.Error(), "efoc.yaml:") {
			t.Fatalf("error is %v", err)
		}
		if list, ok := errors.AsType[lang.ErrorList](err); ok {
			_ = list.Render()
		}
		for name, value := range values {
			list, isList := value.([]any)
			if !isList {
				list = []any{value}
			}
			for _, item := range list {
				if _, ok := item.(string); !ok {
					t.Fatalf("flag %s is %v", name, value)
				}
			}
		}
	})
}
