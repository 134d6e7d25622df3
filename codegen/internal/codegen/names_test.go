package codegen_test

import (
	"go/token"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/codegen/internal/codegen"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
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
	seed.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[\p{L}_][\p{L}\p{Nd}_]{0,3}`).Draw(t, "name")
		got := codegen.Exported(name)
		if !token.IsIdentifier(got) || !token.IsExported(got) {
			t.Errorf("Exported(%q) is %q, no exported identifier", name, got)
		}
	})
}

// TestFileNames checks that the names derived from different file names are different identifiers.
func TestFileNames(t *testing.T) {
	for source, want := range map[string]codegen.FileNames{
		"atlas.efo":      {Plans: "AtlasPlans", DevicePlans: "AtlasDevicePlans", Kernels: "kernelsAtlas"},
		"my queries.efo": {Plans: "MyQueriesPlans", DevicePlans: "MyQueriesDevicePlans", Kernels: "kernelsMyQueries"},
		"a-b.efo":        {Plans: "ABPlans", DevicePlans: "ABDevicePlans", Kernels: "kernelsAB"},
		"ab.efo":         {Plans: "AbPlans", DevicePlans: "AbDevicePlans", Kernels: "kernelsAb"},
		"3p.efo":         {Plans: "Q3pPlans", DevicePlans: "Q3pDevicePlans", Kernels: "kernelsQ3p"},
		"größe.2.efo":    {Plans: "Größe2Plans", DevicePlans: "Größe2DevicePlans", Kernels: "kernelsGröße2"},
		"日.efo":          {Plans: "X日Plans", DevicePlans: "X日DevicePlans", Kernels: "kernelsX日"},
	} {
		got, err := codegen.NewFileNames(source)
		if err != nil || got.Plans != want.Plans || got.DevicePlans != want.DevicePlans || got.Kernels != want.Kernels {
			t.Errorf("NewFileNames(%q) is %+v, %v, want %+v", source, got, err, want)
		}
		for _, name := range []string{got.Plans, got.DevicePlans, got.Kernels} {
			if !token.IsIdentifier(name) {
				t.Errorf("%q gives %q, which is no identifier", source, name)
			}
		}
	}
	for _, source := range []string{".efo", "_x.efo", "-.efo", " a.efo", "\xff.efo"} {
		if got, err := codegen.NewFileNames(source); err == nil {
			t.Errorf("NewFileNames(%q) is %+v", source, got)
		}
	}
}

// TestKernelFile checks that the kernel files of different .efo files have different names.
func TestKernelFile(t *testing.T) {
	seen := map[string]string{}
	for _, source := range []string{"atlas.efo", "atlas_more.efo", "atlas_1p.efo", "my queries.efo", "x[1].efo", "a-b.efo", "ab.efo"} {
		n, err := codegen.NewFileNames(source)
		require.NoError(t, err)
		name := strings.ToLower(n.KernelFile("r1(s1,f)", 0))
		if before, ok := seen[name]; ok || strings.ContainsAny(name, " *?[]\\") || strings.Count(name, "_") != 1 {
			t.Errorf("%q has the kernels %q, %q has %q", source, name, before, seen[name])
		}
		seen[name] = source
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
	for _, s := range benchmark.Shapes {
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
