package gogen

import (
	"strings"
	"testing"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/fit"
)

// TestSemantics checks which models constructors take: there are kernels for message
// passing alone, so that the Go compiler refuses other queries on a device.
func TestSemantics(t *testing.T) {
	f, err := lang.ParseFile("x.efo", []byte(`query Q y = r("a", y)`))
	if err != nil {
		t.Fatal(err)
	}
	for semantics, want := range map[fit.Semantics]string{
		"":        "func NewQ(m rt.AnyModel) (*Q, error) {",
		fit.NSMP:  "func NewQ(m rt.AnyModel) (*Q, error) {",
		fit.FIT:   "func NewQ(m *rt.Model) (*Q, error) {",
		fit.Mixed: "func NewQ(m *rt.Model) (*Q, error) {",
	} {
		code, err := File(f, Options{Source: "x.efo", Package: "p", Semantics: semantics})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(code), want) {
			t.Errorf("with semantics %q the code lacks %s:\n%.1500s", semantics, want, code)
		}
	}
}
