package gogen

import (
	"strings"
	"testing"

	"github.com/efoc/efoc/lang"
)

// TestSemantics checks what constructors say of models on a device: there are kernels for
// message passing alone.
func TestSemantics(t *testing.T) {
	f, err := lang.ParseFile("x.efo", []byte(`query Q y = r("a", y)`))
	if err != nil {
		t.Fatal(err)
	}
	for semantics, want := range map[string]string{
		"":      "// A model on a device answers there, with the kernels of efoc generate --cuda.\nfunc NewQ(m *query.Model) (*Q, error) {",
		"nsmp":  "// A model on a device answers there, with the kernels of efoc generate --cuda.\nfunc NewQ(m *query.Model) (*Q, error) {",
		"fit":   "// It takes no model on a device: kernels have no semantics but nsmp.\nfunc NewQ(m *query.Model) (*Q, error) {",
		"mixed": "// It takes no model on a device: kernels have no semantics but nsmp.\nfunc NewQ(m *query.Model) (*Q, error) {",
	} {
		f.Semantics = semantics
		out, err := File(f, Options{Source: "x.efo", Package: "p"})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(out.Code), want) {
			t.Errorf("with semantics %q the code lacks %s:\n%.1500s", semantics, want, out.Code)
		}
	}
}
