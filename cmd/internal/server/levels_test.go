package server

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/require"
)

// TestLevels compares the confidences from which on the page calls an answer probable or possible with
// those of verdicts.
func TestLevels(t *testing.T) {
	likely, possible := fmt.Sprint(runtime.Likely), fmt.Sprint(print.Possible)
	for file, pattern := range map[string]string{
		"missing.js": `const levels = \[\["Probably missing", ` + likely + `\], \["Possible", ` + possible + `\], \["Best guesses", 0\]\];`,
		"asking.js":  `v\.holds \? .Probably.* : v\.confidence >= ` + possible + ` \? .Possibly.* : .Neither known nor likely`,
	} {
		text, err := os.ReadFile("web/static/" + file)
		require.NoError(t, err)
		if !regexp.MustCompile(pattern).Match(text) {
			t.Errorf("%s has no line like %s", file, pattern)
		}
	}
}
