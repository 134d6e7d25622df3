package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/world"
)

// TestBuiltInModel asks the model that is there without a flag.
func TestBuiltInModel(t *testing.T) {
	efoc(t, "info").want(t, statusOK, "name         world\nfile         (built in)\n", "")
	efoc(t, "info").want(t, statusOK, "confidence   nsmp by ", "")
	r := efoc(t, "ask", `borders("France", x) & official_language(x, "German")`, "-k", "3")
	r.want(t, statusOK, "built-in model world (2192 entities", "")
	for _, name := range []string{"Switzerland", "Belgium", "Germany"} {
		if !strings.Contains(r.stdout, name) {
			t.Errorf("answers lack %s:\n%s", name, r.stdout)
		}
	}
	efoc(t, "ask", `border("France", x)`).want(t, statusUsage, "", "hint: did you mean \"borders\"")
	efoc(t, "ask", `borders("Frence", x)`).want(t, statusUsage, "", "\"France\"")
}

// TestBuiltInModelSources checks that the bundle was made from the files beside
// it; go generate ./testdata/world makes it again.
func TestBuiltInModelSources(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	if len(m.Manifest.Sources) < 5 {
		t.Errorf("the bundle has %d sources", len(m.Manifest.Sources))
	}
	for _, s := range m.Manifest.Sources {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "world", s.File))
		require.NoError(t, err)
		if sum := fmt.Sprintf("%x", sha256.Sum256(data)); sum != s.SHA256 {
			t.Errorf("%s changed since the bundle was made: run go generate ./testdata/world", s.File)
		}
	}
}
