package gogen

import (
	"strings"
	"testing"

	"github.com/efoc/efoc/lang"
)

// TestSemantics checks what constructors say of models on a device, under every semantics.
func TestSemantics(t *testing.T) {
	f, err := lang.ParseFile("x.efo", []byte(`query Q y = r("a", y)`))
	if err != nil {
		t.Fatal(err)
	}
	const want = "// A model on a device answers there, with the kernels of efoc generate --cuda.\nfunc NewQ(m *query.Model) (*Q, error) {"
	for _, semantics := range []string{"", "nsmp", "fit", "mixed"} {
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
