package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

var (
	worldSource = "world"
	allAtOnce   = `capital("France",y) & capital("Japan",y) & capital("Brazil",y) & capital("Kenya",y)`
)

// TestBuiltInModelAgain makes the built-in model again, by the commands of world.go, and
// compares it with the one that is there: all tensors by their checksums, and curves of
// confidence by their values, since their last digits depend on the processor.
func TestBuiltInModelAgain(t *testing.T) {
	long.Need(t, "it calibrates the built-in model")
	source, err := os.ReadFile(filepath.Join(worldSource, "world.go"))
	require.NoError(t, err)
	bundle := filepath.Join(t.TempDir(), "world.efoc")
	t.Chdir(worldSource)
	lines := regexp.MustCompile(`(?m)^//go:generate go run \.\. (.*)$`).FindAllStringSubmatch(string(source), -1)
	if len(lines) != 2 {
		t.Fatalf("world.go has %d commands", len(lines))
	}
	for _, line := range lines {
		words := regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(line[1], -1)
		for i, w := range words {
			if words[i] = strings.Trim(w, `"`); words[i] == "world.efoc" {
				words[i] = bundle
			}
		}
		efoc(t, words...).want(t, statusOK, "wrote "+bundle, "")
	}
	again, err := runtime.Open(bundle)
	require.NoError(t, err)
	defer again.Close()
	old, err := world.Open()
	require.NoError(t, err)
	defer old.Close()
	got, want := again.Bundle().Manifest, old.Bundle().Manifest
	compareConfidence(t, got.Confidence, want.Confidence)
	got.Confidence, want.Confidence = nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("go generate ./cmd/efoc/world makes another model:\n%+v, there is\n%+v", got, want)
	}
}

// compareConfidence compares weights, offsets and curves.
func compareConfidence(t *testing.T, got, want model.Confidence) {
	t.Helper()
	if len(want) != len(model.AllSemantics) {
		t.Errorf("the built-in model is calibrated for %d semantics", len(want))
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 0.05 }
	for s, w := range want {
		g := got[s]
		for _, heldOut := range []bool{false, true} {
			a, b := g.Of(heldOut), w.Of(heldOut)
			if !slices.EqualFunc(a.Terms[:], b.Terms[:], near) || !near(a.Evidence, b.Evidence) || !near(a.Margin, b.Margin) ||
				!near(a.Unlinked, b.Unlinked) || !slices.EqualFunc(a.Offsets, b.Offsets, near) {
				t.Errorf("%s is calibrated by %+v, want %+v", s, a, b)
			}
			if a.Queries != b.Queries {
				t.Errorf("%s is calibrated by %d queries, want %d", s, a.Queries, b.Queries)
			}
			for z := -20.0; z <= 10; z += 0.25 {
				if x, y := a.Curve.At(z), b.Curve.At(z); !near(x, y) || !near(a.Refuted.At(z), b.Refuted.At(z)) {
					t.Errorf("%s: %v means %v, want %v", s, z, x, y)
				}
			}
		}
	}
}

// TestBuiltInModelConfidence checks the confidence of the built-in model on queries that need
// facts held back, but none of those that it was calibrated by; and that nothing is believed
// to be the capital of four countries.
func TestBuiltInModelConfidence(t *testing.T) {
	long.Need(t, "it asks 1,500 queries by each semantics")
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	facts := map[string][]string{}
	for _, name := range []string{"train", "valid", "heldout", "entities", "relations"} {
		text, err := os.ReadFile(filepath.Join(worldSource, name+".tsv"))
		require.NoError(t, err)
		facts[name] = slices.Collect(strings.Lines(string(text)))
	}
	unseen := slices.DeleteFunc(slices.Clone(facts["heldout"]), func(f string) bool { return slices.Contains(facts["valid"], f) })
	if len(unseen)+len(facts["valid"]) != len(facts["heldout"]) || len(unseen) < 300 || len(facts["valid"]) < 300 {
		t.Fatalf("of %d facts held back %d are for calibration, %d are not", len(facts["heldout"]), len(facts["valid"]), len(unseen))
	}
	facts["test"] = unseen
	delete(facts, "heldout")
	for name, lines := range facts {
		write(t, at(filepath.Join("graph", name+".tsv")), strings.Join(lines, ""))
	}
	efoc(t, "sample", "--graph", at("graph"), "--like", "fit", "-n", "60", "--seed", "5", "-o", at("q.jsonl")).want(t, statusOK, "wrote", "")
	for _, s := range model.AllSemantics {
		efoc(t, "eval", at("q.jsonl"), "--semantics", s.String(), "--json", at("report.json")).want(t, statusOK, "calibration error", "")
		text, err := os.ReadFile(at("report.json"))
		require.NoError(t, err)
		var report eval.Report
		require.NoError(t, json.Unmarshal(text, &report))
		r := report.Reliability
		answers := 0
		for _, b := range r.Bins {
			answers += b.Answers
		}
		t.Logf("%s: expected calibration error %.3f of %d answers", s, r.ECE, answers)
		if r.ECE > 0.05 || answers < 5000 {
			t.Errorf("%s: the expected calibration error of %d answers is %.3f, want 0.05 at most", s, answers, r.ECE)
		}
		var asked struct{ Answers []printedAnswer }
		got := efoc(t, "ask", allAtOnce, "--semantics", s.String(), "--format", "json")
		if err := json.Unmarshal([]byte(got.stdout), &asked); err != nil || len(asked.Answers) == 0 {
			t.Fatalf("%d answers, error %v", len(asked.Answers), err)
		}
		none := efoc(t, "ask", allAtOnce, "--semantics", s.String(), "--min-confidence", "0.05", "--format", "tsv")
		if none.status != statusOK || strings.Count(none.stdout, "\n") != 1 {
			t.Errorf("%s: the least confidence 0.05 leaves\n%s%s", s, none.stdout, none.stderr)
		}
		for _, a := range asked.Answers {
			if !(a.Confidence > 0 && a.Confidence <= 0.05) {
				t.Errorf("%s: %s is the capital of four countries with confidence %s", s, a.Label, strconv.FormatFloat(a.Confidence, 'g', 3, 64))
			}
		}
	}
}

// TestBuiltInModelSources checks that the bundle was made from the files beside
// it; go generate ./cmd/efoc/world makes it again.
func TestBuiltInModelSources(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	if len(m.Bundle().Manifest.Sources) < 5 {
		t.Errorf("the bundle has %d sources", len(m.Bundle().Manifest.Sources))
	}
	for _, s := range m.Bundle().Manifest.Sources {
		data, err := os.ReadFile(filepath.Join("world", s.File))
		require.NoError(t, err)
		if sum := fmt.Sprintf("%x", sha256.Sum256(data)); sum != s.SHA256 {
			t.Errorf("%s changed since the bundle was made: run go generate ./cmd/efoc/world", s.File)
		}
	}
}
