package main

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// worldFolder makes a folder of the world with what is held back as its validation split.
func worldFolder(t *testing.T, dir string) {
	t.Helper()
	for from, to := range map[string]string{"train.tsv": "train.tsv", "entities.tsv": "entities.tsv", "relations.tsv": "relations.tsv", "heldout.tsv": "valid.tsv"} {
		text, err := os.ReadFile(filepath.Join("world", from))
		require.NoError(t, err)
		write(t, filepath.Join(dir, to), string(text))
	}
}

// TestCalibrate checks that a model gets temperatures of relations and a default semantics,
// by a validation split and not without one.
func TestCalibrate(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	worldFolder(t, at("graph"))
	world := filepath.Join("world", "world.efoc")
	efoc(t, "calibrate", world, "--graph", at("graph"), "-o", at("graph")).want(t, statusFailure, "", "it is a folder")
	worldFolder(t, at("bare"))
	require.NoError(t, os.Remove(at("bare/valid.tsv")))
	efoc(t, "calibrate", world, "--graph", at("bare"), "-o", at("none.efoc")).want(t, statusFailure, "", "has no validation split")
	if _, err := os.Stat(at("none.efoc")); err == nil {
		t.Error("a failed command wrote a model")
	}
	long.Need(t, "it calibrates the built-in model")
	efoc(t, "calibrate", world, "--graph", at("graph"), "--limit", "10", "-o", at("out.efoc")).want(t, statusOK, "calibrated by 712 validation facts", "")
	m, err := runtime.Open(at("out.efoc"))
	require.NoError(t, err)
	defer m.Close()
	efoc(t, "info", at("out.efoc")).want(t, statusOK, "semantics     "+m.Bundle().Manifest.Semantics.String(), "")
	if got := m.Bundle().Manifest.Temperatures; len(got) != m.NumRelations() || slices.Min(got) == slices.Max(got) {
		t.Errorf("the relations have temperatures %v", got)
	}
	checkConfidence(t, at("out.efoc"))
}

// checkConfidence checks that confidences came with the calibration, in what ask prints and in
// what the server answers, and that both leave out what is below a bound.
func checkConfidence(t *testing.T, bundle string) {
	t.Helper()
	const question = `borders("Brazil", y) & official_language(y, "Spanish")`
	type asked struct {
		Answers []printedAnswer
	}
	check := func(what, all, above string) {
		t.Helper()
		var a, b asked
		require.NoError(t, errors.Join(json.Unmarshal([]byte(all), &a), json.Unmarshal([]byte(above), &b)))
		if len(a.Answers) != 1000 {
			t.Fatalf("%s: %d answers", what, len(a.Answers))
		}
		bound, n := 0.3, 0
		for _, x := range a.Answers {
			if !(x.Confidence > 0 && x.Confidence <= 1) {
				t.Fatalf("%s: %+v", what, x)
			}
			if x.Confidence >= bound {
				n++
			}
		}
		if n == 0 || n == 1000 || len(b.Answers) != n || b.Answers[n-1].Confidence < bound {
			t.Errorf("%s: %d answers are as likely as %v, the filter leaves %d", what, n, bound, len(b.Answers))
		}
	}
	ask := []string{"ask", "-m", bundle, question, "-k", "1000", "--format", "json"}
	check("ask", efoc(t, ask...).stdout, efoc(t, append(ask, "--min-confidence", "0.3")...).stdout)
	s := serve(t, "--model", bundle)
	defer s.stop()
	get := func(more string) string {
		t.Helper()
		r, err := http.Get(s.url + "/v1/ask?k=1000&formula=" + url.QueryEscape(question) + more)
		require.NoError(t, err)
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("status %s, %v: %s", r.Status, err, text)
		}
		return string(text)
	}
	check("serve", get(""), get("&min_confidence=0.3"))
}

// TestCalibrateNew checks that train and import calibrate by a validation split, both alike,
// unless that is not wanted, and keep the settings that are given.
func TestCalibrateNew(t *testing.T) {
	long.Need(t, "it calibrates three models")
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	worldFolder(t, at("graph"))
	manifest := func(name string, args ...string) model.Manifest {
		t.Helper()
		r := efoc(t, append(args, "-o", at(name))...)
		r.want(t, statusOK, "wrote "+at(name), "")
		want := !slices.Contains(args, "--no-calibration")
		if got := strings.Contains(r.stdout+r.stderr, "calibrated by 712 validation facts and "); got != want {
			t.Errorf("%q says that it calibrated: %v", args, got)
		}
		m, err := runtime.Open(at(name))
		require.NoError(t, err)
		defer m.Close()
		return m.Bundle().Manifest
	}
	trained := manifest("trained.efoc", "train", at("graph"), "--rank", "4", "--epochs", "1", "--missing", "15%", "--missing", "capital^-1=0")
	if len(trained.Temperatures) != 60 {
		t.Errorf("temperatures are %v", trained.Temperatures)
	}
	imported := []string{"import", at("graph"), "-c", at("trained.efoc"), "--skip-check", "--missing", "15%", "--missing", "capital=0"}
	same := manifest("imported.efoc", imported...)
	if want := (model.Missing{HeldOut: same.Missing.HeldOut, Assumed: 0.15, Relations: map[string]float64{"capital": 0}}); !reflect.DeepEqual(same.Missing, want) || !reflect.DeepEqual(trained.Missing, want) {
		t.Errorf("import notes %+v as missing, train %+v, want %+v", same.Missing, trained.Missing, want)
	}
	if !slices.Equal(same.Temperatures, trained.Temperatures) || same.Settings != trained.Settings || same.Semantics != trained.Semantics {
		t.Errorf("import gives %+v, train %+v", same, trained)
	}
	if kept := manifest("kept.efoc", append(imported, "--with", "lambda=0.9", "--with", "alpha=7")...); kept.Settings.Lambda != 0.9 || kept.Settings.Alpha != 7 {
		t.Errorf("settings that were given became %+v", kept.Settings)
	}
	without := manifest("without.efoc", append(imported[:len(imported)-4], "--no-calibration")...)
	if without.Temperatures != nil || without.Semantics != model.Mixed || without.Settings != model.DefaultSettings() {
		t.Errorf("without calibration there are %+v", without)
	}
}

// TestCalibrateMissing assumes other shares of missing facts: the confidence of an answer changes as the odds of
// the share do, and nothing else does.
func TestCalibrateMissing(t *testing.T) {
	world := filepath.Join("world", "world.efoc")
	for _, c := range []struct{ share, want string }{
		{"capital=-1%", `"capital=-1%" is no share of facts from 0 to below 100%`},
		{"100%", `"100%" is no share`},
		{"NaN", `"NaN" is no share`},
		{"some", `"some" is no share`},
		{"capital=1", `"capital=1" is no share`},
		{"capitol=0", `unknown relation "capitol"; did you mean "capital"`},
	} {
		efoc(t, "calibrate", world, "--missing", c.share, "-o", filepath.Join(t.TempDir(), "x.efoc")).want(t, statusUsage, "", c.want)
	}
	confidence := map[string]float64{}
	for _, share := range []string{"2%", "0.1"} {
		out := filepath.Join(t.TempDir(), "x.efoc")
		efoc(t, "calibrate", world, "--missing", share, "-o", out).want(t, statusOK, "of the facts are missing", "")
		m, err := runtime.Open(out)
		require.NoError(t, err)
		confidence[share] = likeliest(t, out)
		if got := m.Bundle().Manifest.Missing.Assumed; share == "2%" && got != 0.02 || share == "0.1" && got != 0.1 {
			t.Errorf("--missing %s assumes %v", share, got)
		}
		require.NoError(t, m.Close())
	}
	want := (0.1 / 0.9) / (0.02 / 0.98)
	if got := confidence["0.1"] / confidence["2%"]; math.Abs(got-want) > 1e-6*want {
		t.Errorf("the confidence of an answer grows by %v, want %v", got, want)
	}
}

// TestCalibrateHeldBack calibrates by the facts that a model holds back, which is noted: they are no test
// of confidence any more.
func TestCalibrateHeldBack(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	world := filepath.Join("world", "world.efoc")
	efoc(t, "calibrate", world, "--missing", "capital=0", "-o", at("known.efoc")).want(t, statusOK, "; capital is complete", "")
	efoc(t, "calibrate", at("known.efoc"), "--only", "confidence", "--limit", "2", "-o", at("m.efoc")).want(t, statusOK, "calibrated by 712 validation facts", "")
	efoc(t, "info", at("m.efoc")).want(t, statusOK, "; capital is complete", "")
	efoc(t, "calibrate", at("m.efoc"), "--missing", "2%", "-o", at("m.efoc")).want(t, statusOK, "2% of the facts are missing", "")
	efoc(t, "eval", "--own", "-m", at("m.efoc"), "--limit", "10").want(t, statusOK, "held out", "calibrated by the facts that --own asks for")
	if r := efoc(t, "eval", "--own", "--limit", "10"); r.stderr != "" {
		t.Errorf("eval of a model that was calibrated by half of them says %s", r.stderr)
	}
	none := filepath.Join(likesFolder(t), "likes.efoc")
	efoc(t, "calibrate", none, "-o", at("none.efoc")).want(t, statusFailure, "", "the model holds no facts back to calibrate by")
}

// likeliest returns the confidence of the best predicted neighbour of Brazil.
func likeliest(t *testing.T, bundle string) float64 {
	t.Helper()
	r := efoc(t, "ask", `borders("Brazil", y)`, "--model", bundle, "--status", "predicted", "-k", "1", "--format", "json")
	var asked struct {
		Answers []printedAnswer
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &asked))
	if len(asked.Answers) != 1 {
		t.Fatalf("one answer was to be predicted:\n%s", r.stdout)
	}
	return asked.Answers[0].Confidence
}
