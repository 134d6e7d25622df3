package codegen_test

import (
	"go/token"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/codegen"
	"github.com/efoc/efoc/lang"
)

func TestExported(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"venues", "Venues"}, {"Venues", "Venues"}, {"größe", "Größe"}, {"ärger", "Ärger"},
		{"日本", "X日本"}, {"_x", "X_x"}, {"ßa", "Xßa"}, {"ǆ", "Ǆ"}, {"x1", "X1"},
	} {
		if got := codegen.Exported(c.name); got != c.want {
			t.Errorf("Exported(%q) is %q, want %q", c.name, got, c.want)
		}
	}
}

// TestExportedIdentifier checks that each identifier of the query language
// gives an exported Go identifier.
func TestExportedIdentifier(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[\p{L}_][\p{L}\p{Nd}_]{0,3}`).Draw(t, "name")
		got := codegen.Exported(name)
		if !token.IsIdentifier(got) || !token.IsExported(got) {
			t.Errorf("Exported(%q) is %q, no exported identifier", name, got)
		}
	})
}

func TestPlansName(t *testing.T) {
	for source, want := range map[string]string{
		"atlas.efo": "AtlasPlans", "my-atlas.2.efo": "Myatlas2Plans", "3p.efo": "Q3pPlans", "größe.efo": "GrePlans", "日.efo": "QPlans",
	} {
		if got := codegen.PlansName(source); got != want {
			t.Errorf("PlansName(%q) is %q, want %q", source, got, want)
		}
	}
}

func TestIsPackageName(t *testing.T) {
	for name, want := range map[string]bool{
		"films": true, "x1": true, "größe": true, "_": false, "": false, "func": false, "a-b": false, "1a": false, "a b": false,
	} {
		if got := codegen.IsPackageName(name); got != want {
			t.Errorf("IsPackageName(%q) is %v, want %v", name, got, want)
		}
	}
}

func TestShapeName(t *testing.T) {
	names := map[string]string{}
	for _, s := range lang.Shapes {
		names[s.Name] = s.Name
	}
	for _, c := range []struct {
		key    string
		layers int
		want   string
	}{
		{"r1(s1,f)", 0, "1p"},
		{"r1(s1,f)", 3, "1pL3"},
		{"r1(s1,e1) & r2(e1,f)", 0, "2p"},
	} {
		if got := codegen.ShapeName(c.key, c.layers); got != c.want {
			t.Errorf("ShapeName(%q, %d) is %q, want %q", c.key, c.layers, got, c.want)
		}
	}
	a, b := codegen.ShapeName("r1(f,f) & r2(s1,f)", 0), codegen.ShapeName("!r1(f,f) & r2(s1,f)", 0)
	if a == b || !strings.HasPrefix(a, "X") || !token.IsIdentifier(a) {
		t.Errorf("other shapes are named %q and %q", a, b)
	}
	if a != codegen.ShapeName("r1(f,f) & r2(s1,f)", 0) {
		t.Error("the name of a shape changes")
	}
}
