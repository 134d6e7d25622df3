package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/efoc/efoc/cmd/internal/claims"
	"github.com/efoc/efoc/testdata/require"
)

// TestEvalOwn asks about facts that the built-in model holds back: the figures are those of the same
// queries drawn by sample, and there are claims about questions of all kinds.
func TestEvalOwn(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	efoc(t, "sample", "--like", "betae", "--shape", "1p", "-n", "60", "--seed", "1", "-o", at("q.jsonl")).want(t, statusOK, "wrote 60 queries", "")
	efoc(t, "eval", at("q.jsonl"), "--json", at("q.json")).want(t, statusOK, "1p", "")
	efoc(t, "eval", "--own", "--limit", "60", "--json", at("own.json")).want(t, statusOK, "held out, as efoc eval reports it", "")

	var drawn, own evalReport
	require.NoError(t, json.Unmarshal([]byte(readText(t, at("q.json"))), &drawn))
	require.NoError(t, json.Unmarshal([]byte(readText(t, at("own.json"))), &own))
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
	if len(kinds) != 10 || heldOut.Questions != 60 || heldOut.True <= kinds["r(h, y), h has facts of r"].True || own.Own.InRange < 0.7 || answers < 1000 {
		t.Errorf("claims are %+v", own.Own)
	}
	if len(own.Own.Coverage) != 9 {
		t.Errorf("coverage is %+v, want three levels of three shapes", own.Own.Coverage)
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
