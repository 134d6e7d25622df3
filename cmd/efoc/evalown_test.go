package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/efoc/efoc/cmd/internal/claims"
	"github.com/efoc/efoc/testdata/require"
)

// TestEvalOwn asks about facts that the built-in model holds back: the figures are those of the same queries drawn by
// sample from a model to which the facts that calibrated it were added, and there are claims about questions of all kinds.
func TestEvalOwn(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("world.efoc"), readText(t, filepath.Join(worldSource, "world.efoc")))
	efoc(t, "add", at("world.efoc"), filepath.Join(worldSource, "valid.tsv")).want(t, statusOK, "368 facts", "")
	efoc(t, "sample", "-m", at("world.efoc"), "--like", "betae", "--shape", "1p", "-n", "60", "--seed", "1", "-o", at("q.jsonl")).want(t, statusOK, "wrote 60 queries", "")
	efoc(t, "eval", at("q.jsonl"), "-m", at("world.efoc"), "--json", at("q.json")).want(t, statusOK, "1p", "")
	efoc(t, "eval", "--own", "--limit", "60", "--json", at("own.json")).want(t, statusOK, "368 of the facts that the model holds back calibrated it", "")
	efoc(t, "eval", "--own", "--limit", "60", "--json", at("again.json")).want(t, statusOK, "numbers of answers", "")

	var drawn, own, again evalReport
	require.NoError(t, json.Unmarshal([]byte(readText(t, at("q.json"))), &drawn))
	require.NoError(t, json.Unmarshal([]byte(readText(t, at("own.json"))), &own))
	require.NoError(t, json.Unmarshal([]byte(readText(t, at("again.json"))), &again))
	if !reflect.DeepEqual(own.Own, again.Own) {
		t.Errorf("two runs find\n%+v and\n%+v", own.Own, again.Own)
	}
	if own.Shapes[0].Mean != drawn.Shapes[0].Mean || drawn.Own != nil {
		t.Errorf("figures are %+v, want %+v", own.Shapes[0].Mean, drawn.Shapes[0].Mean)
	}
	kinds := map[string]claims.Kind{}
	answers := 0
	for _, k := range own.Own.Kinds {
		kinds[k.Name] = k
	}
	for _, b := range own.Own.Bins {
		answers += b.Answers
	}
	heldOut := kinds["held out"]
	if len(kinds) != 9 || heldOut.Questions != 60 || heldOut.True <= kinds["r(h, y), h has facts of r"].True || answers < 1000 {
		t.Errorf("claims are %+v", own.Own)
	}
	if missing := own.Own.Missing.Assumed; own.PutBack != 368 || math.Abs(missing-344./6641) > 1e-12 {
		t.Errorf("%d facts are put back, and %v of all are missing, want 368 of 712 held back, and the others of 6641 whose ends have other facts", own.PutBack, missing)
	}
	if len(own.Own.Counts) != 4 || len(own.Own.Coverage) != 12 {
		t.Errorf("counts are %+v, coverage %+v, want those of four shapes, at three levels", own.Own.Counts, own.Own.Coverage)
	}
	for _, n := range own.Own.Counts {
		if n.Questions < 30 || n.Known < n.Questions || n.True == 0 || !(n.Expected > 0) || 2*n.Within < n.Questions || n.Within > n.Questions {
			t.Errorf("the numbers of answers are %+v", n)
		}
	}
	for i, c := range own.Own.Coverage {
		if c.Questions < 10 || float64(c.Covered) < (c.Level-0.3)*float64(c.Questions) || c.Covered > c.Questions {
			t.Errorf("%+v is far from its level", c)
		}
		if before := own.Own.Coverage[max(0, i-1)]; before.Shape == c.Shape && (before.Covered > c.Covered || before.Answers > c.Answers) {
			t.Errorf("%+v follows %+v", c, before)
		}
	}
	for i, b := range own.Own.Best[1:] {
		if before := own.Own.Best[i]; b.Expected < before.Expected || b.True < before.True || b.True > b.Facts {
			t.Errorf("the best missing facts are %+v after %+v", b, before)
		}
	}
}
