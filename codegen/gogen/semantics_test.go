package gogen

import (
	"strings"
	"testing"

	"github.com/efoc/efoc/lang"
)

// TestSemantics checks which models constructors take: there are kernels for message
// passing alone, so that the Go compiler refuses other queries on a device.
func TestSemantics(t *testing.T) {
	f, err := lang.ParseFile("x.efo", []byte(`query Q y = r("a", y)`))
	if err != nil {
		t.Fatal(err)
	}
	for semantics, want := range map[string]string{
		"":      "func NewQ(m rt.AnyModel) (*Q, error) {",
		"nsmp":  "func NewQ(m rt.AnyModel) (*Q, error) {",
		"fit":   "func NewQ(m *rt.Model) (*Q, error) {",
		"mixed": "func NewQ(m *rt.Model) (*Q, error) {",
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
