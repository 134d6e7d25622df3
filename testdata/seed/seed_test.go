package seed

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/testdata/long"
)

// unseeded matches what draws other inputs at each run.
var unseeded = regexp.MustCompile(`\brapid\.(Check|MakeCheck)\(|\brand\.([A-MO-QS-Z]\w*|N|N[^e]\w*|Read)\(|"testing/quick"|"hash/maphash"|"math/rand"|\.Example\(\)`)

// calls matches what has a seed, and the functions that it stands in.
var calls = regexp.MustCompile(`(?m)^func (\w+)|\bseed\.(?:Check|Of)\(`)

// No test of the module draws inputs without a seed. Those that draw any do so themselves: .ci/run looks
// for their names.
func TestSeeded(t *testing.T) {
	for text, want := range map[string]bool{
		"rapid.Check(t, f)": true, "rapid.MakeCheck(f)": true, "rand.IntN(5)": true, "rand.N(5)": true, "rand.NormFloat64()": true,
		`"testing/quick"`: true, "rand.New(rand.NewPCG(1, 2))": false, "rand.Rand": false, "seed.Check(t, f)": false, "rng.IntN(5)": false,
	} {
		if unseeded.MatchString(text) != want {
			t.Errorf("%s: unseeded is %v", text, !want)
		}
	}
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Base(filepath.Dir(path)) == "seed" || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !strings.HasSuffix(path, "_test.go") && !strings.Contains(string(text), `"pgregory.net/rapid"`) {
			return nil
		}
		for _, found := range unseeded.FindAllString(string(text), -1) {
			t.Errorf("%s draws inputs without a seed: %s; use seed.Check, or seed.Of", path, found)
		}
		function := ""
		for _, found := range calls.FindAllStringSubmatch(string(text), -1) {
			if found[1] != "" {
				function = found[1]
			} else if !strings.HasPrefix(function, "Test") {
				t.Errorf("%s: %s is not a test: let tests that use it call %s", path, function, strings.TrimSuffix(found[0], "("))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDraws prints the inputs of a property, and fails where TestCheck asks for it.
func TestDraws(t *testing.T) {
	var drawn []uint64
	Check(t, func(t *rapid.T) { drawn = append(drawn, rapid.Uint64().Draw(t, "x")) })
	t.Logf("%d inputs: %v", len(drawn), drawn)
	if os.Getenv("EFOC_TEST_FAIL") != "" {
		t.Fail()
	}
}

// Each run draws the same inputs. EFOC_SEED has it draw others, which a test that fails names.
func TestCheck(t *testing.T) {
	run := func(env ...string) string {
		cmd := exec.Command(os.Args[0], "-test.run=^TestDraws$", "-test.v")
		cmd.Env = append(append(os.Environ(), variable+"=", long.Env+"="), env...)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out)
	}
	inputs := regexp.MustCompile(`25 inputs: .*`).FindString
	first, second, other := inputs(run()), inputs(run()), inputs(run(variable+"=2"))
	if first == "" || other == "" || second != first || other == first {
		t.Errorf("drawn, drawn again, and drawn with another seed:\n%s\n%s\n%s", first, second, other)
	}
	failed, message := run(variable+"=7", "EFOC_TEST_FAIL=1"), "drawn with EFOC_SEED=7 and -rapid.checks=25"
	if !strings.Contains(failed, message) {
		t.Errorf("no %q in\n%s", message, failed)
	}
}
