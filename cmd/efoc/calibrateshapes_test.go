package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/efoc/efoc/cmd/internal/tune"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
)

// TestCalibratePerShape goes the whole way on the built-in world: queries are sampled,
// settings tuned on some of them, and used by eval, ask, info and generated plans.
func TestCalibratePerShape(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	// λ = 0 leaves the embeddings alone to answer, which is a poor choice.
	folder, world := filepath.Join("..", "..", "testdata", "world"), at("world.efoc")
	efoc(t, "import", folder, "-c", filepath.Join(folder, "predictor.safetensors"), "--with", "lambda=0", "--no-calibration", "-o", world).want(t, statusOK, "712 held back", "")
	worldFolder(t, at("graph"))
	for i, name := range []string{"valid.jsonl", "eval.jsonl"} {
		efoc(t, "sample", "-g", at("graph"), "--split", "valid", "--shape", "2p,2i,2u,pni", "-n", "60", "--seed", strconv.Itoa(11+i), "-o", at(name)).want(t, statusOK, "wrote 240 queries", "")
	}
	r := efoc(t, "calibrate", world, "--per-shape", at("valid.jsonl"), "--sweep", "lambda=0,0.1,0.9", "--sweep", "alpha=10", "--sweep", "weight=0.2,0.8", "-o", at("tuned.efoc"), "--json", at("r.json"))
	r.want(t, statusOK, "held-out gain", "")
	text, err := os.ReadFile(at("r.json"))
	require.NoError(t, err)
	var report tune.Report
	require.NoError(t, json.Unmarshal(text, &report))
	m, err := query.Open(at("tuned.efoc"))
	require.NoError(t, err)
	defer m.Close()
	tuned2i := slices.IndexFunc(report.Shapes, func(s tune.Shape) bool { return s.Name == "2i" })
	if tuned2i < 0 || len(report.Shapes) != 4 || len(report.Shapes[tuned2i].Tuned) == 0 || len(m.Manifest.Tuned) == 0 {
		t.Fatalf("2i has no settings of its own:\n%s", r.stdout)
	}
	shape := report.Shapes[tuned2i]
	want := shape.Tuned[0]
	if got := m.Manifest.SettingsFor(shape.Key); got != want || want == m.Manifest.Settings {
		t.Errorf("the model has settings %+v for 2i, the report %+v", got, want)
	}
	// The MRR that tune saw before and after is that of eval on the same queries.
	mrr := func(queries string, args ...string) float64 {
		t.Helper()
		efoc(t, append([]string{"eval", at(queries), "--semantics", "nsmp", "--shape", "2i", "--json", at("e.json")}, args...)...).want(t, statusOK, "2i", "")
		return readReport(t, at("e.json")).Runs[0].Shapes[0].MRR
	}
	near := func(x, y float64) bool { return x-y < 1e-4 && y-x < 1e-4 }
	tuned, before := mrr("valid.jsonl", "-m", at("tuned.efoc")), mrr("valid.jsonl", "-m", world)
	if !near(tuned, shape.Fitted) || !near(before, shape.Before) || !near(mrr("valid.jsonl", "-m", at("tuned.efoc"), "--untuned"), before) {
		t.Errorf("eval has an MRR of %v before and %v after, tune had %v and %v", before, tuned, shape.Before, shape.Fitted)
	}
	if mrr("eval.jsonl", "-m", at("tuned.efoc")) < mrr("eval.jsonl", "-m", world) {
		t.Error("tuning made other queries worse")
	}
	efoc(t, "eval", at("eval.jsonl"), "-m", at("tuned.efoc")).want(t, statusOK, "shapes as tuned", "")
	efoc(t, "info", at("tuned.efoc")).want(t, statusOK, "2i: ", "")
	// ask.
	var answer struct{ Settings model.Settings }
	a := efoc(t, "ask", "-m", at("tuned.efoc"), "--semantics", "nsmp", "--format", "json", `borders("France", y) & borders("Spain", y)`)
	if err := json.Unmarshal([]byte(a.stdout), &answer); err != nil || answer.Settings != want {
		t.Errorf("ask used %+v (%v), want %+v", answer.Settings, err, want)
	}
	// A generated plan, which is told no settings.
	plan := shapes.ShapesPlans[slices.IndexFunc(shapes.ShapesPlans, func(p *query.Plan) bool { return p.Shape == shape.Key })]
	q, err := query.New(m, plan, query.Names{})
	require.NoError(t, err)
	scores := func(s *model.Settings) (out []float32) {
		b := scq.Bindings{Constants: []model.EntityID{3, 5}, Relations: []model.RelationID{0, 2}}
		require.NoError(t, q.Scores(context.Background(), b, s, func(x query.Vector, _ []query.Vector) error {
			out = slices.Clone(x)
			return nil
		}))
		return out
	}
	own := m.Manifest.Settings
	if used := scores(nil); !slices.Equal(used, scores(&want)) || slices.Equal(used, scores(&own)) {
		t.Error("the generated plan does not use the tuned settings")
	}
	// A shape again, into the file that is read.
	whole, err := os.ReadFile(at("tuned.efoc"))
	require.NoError(t, err)
	efoc(t, "calibrate", at("tuned.efoc"), "--per-shape", at("valid.jsonl"), "--shape", "2i", "--sweep", "lambda=0,0.1,0.9", "--sweep", "alpha=10", "--sweep", "weight=0.2,0.8", "-o", at("tuned.efoc")).
		want(t, statusOK, "wrote", "")
	if again, err := os.ReadFile(at("tuned.efoc")); err != nil || !bytes.Equal(again, whole) {
		t.Errorf("tuning in place gave another model: %v", err)
	}
}

// TestCalibratePerShapeMixed tunes truth degrees and the mixture behind message passing, with the
// temperatures of relations, and checks what eval makes of them.
func TestCalibratePerShapeMixed(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	folder, world := filepath.Join("..", "..", "testdata", "world"), at("world.efoc")
	efoc(t, "import", folder, "-c", filepath.Join(folder, "predictor.safetensors"), "--no-calibration", "-o", world).want(t, statusOK, "712 held back", "")
	worldFolder(t, at("graph"))
	efoc(t, "sample", "-g", at("graph"), "--split", "valid", "--shape", "2p,2in,2il", "-n", "60", "--seed", "11", "-o", at("valid.jsonl")).want(t, statusOK, "wrote 180 queries", "")
	efoc(t, "calibrate", world, "-g", at("graph"), "--only", "settings", "-o", world).want(t, statusOK, "wrote", "")
	efoc(t, "calibrate", world, "--per-shape", at("valid.jsonl"), "--sweep", "lambda=0,0.9", "--sweep", "alpha=10", "--sweep", "weight=0.2,0.8", "-o", at("messages.efoc")).want(t, statusOK, "wrote", "")
	grid := []string{"--sweep", "candidates=2,8", "--sweep", "temperature=0.3,3", "--sweep", "threshold=0.0002", "--sweep", "negation=1,3", "--sweep", "leaf=0.01,0.3", "--sweep", "mixture=0,0.2,0.8,1", "--semantics", "mixed"}
	tuned := append([]string{"calibrate", at("messages.efoc"), "--per-shape", at("valid.jsonl"), "-o", at("tuned.efoc"), "--json", at("r.json")}, grid...)
	r := efoc(t, tuned...)
	r.want(t, statusOK, "held-out gain", "")
	text, err := os.ReadFile(at("r.json"))
	require.NoError(t, err)
	var report tune.Report
	require.NoError(t, json.Unmarshal(text, &report))
	var manifests []model.Manifest
	for _, name := range []string{"messages.efoc", "tuned.efoc"} {
		m, err := query.Open(at(name))
		require.NoError(t, err)
		defer m.Close()
		manifests = append(manifests, m.Manifest)
	}
	if got := manifests[1]; len(got.Temperatures) != 2*got.Relations || !slices.Equal(got.Temperatures, manifests[0].Temperatures) {
		t.Errorf("the relations have temperatures %v, before %v", got.Temperatures, manifests[0].Temperatures)
	}
	found := 0
	for _, s := range report.Shapes {
		before, after := manifests[0].SettingsFor(s.Key), manifests[1].SettingsFor(s.Key)
		if len(s.Tuned) > 0 {
			found++
			before.Degrees = s.Tuned[0].Degrees
		}
		if after != before {
			t.Errorf("%s has settings %+v, want %+v", s.Name, after, before)
		}
	}
	if found == 0 || len(report.Shapes) != 3 {
		t.Fatalf("no shape has its own settings:\n%s", r.stdout)
	}
	// The MRR that tune saw is that of eval.
	efoc(t, "eval", at("valid.jsonl"), "-m", at("tuned.efoc"), "--semantics", "mixed", "--json", at("e.json")).want(t, statusOK, "shapes as tuned", "")
	for _, got := range readReport(t, at("e.json")).Runs[0].Shapes {
		i := slices.IndexFunc(report.Shapes, func(s tune.Shape) bool { return s.Name == got.Name })
		if i < 0 {
			t.Fatalf("tune reported no %s", got.Name)
		}
		if want := report.Shapes[i].Fitted; got.MRR-want > 1e-4 || want-got.MRR > 1e-4 {
			t.Errorf("eval has an MRR of %v for %s, tune had %v", got.MRR, got.Name, want)
		}
	}
	efoc(t, "info", at("tuned.efoc")).want(t, statusOK, "temperatures  by relation", "")
}

func TestCalibratePerShapeErrors(t *testing.T) {
	dir := likesFolder(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	q, err := os.ReadFile(at("q.jsonl"))
	require.NoError(t, err)
	write(t, at("fb-test.jsonl"), string(q))
	write(t, at("split.jsonl"), string(q)+`{"type":"1p","s1":0,"r1":0,"split":"test","hard":[1]}`+"\n")
	write(t, at("easy.jsonl"), `{"type":"1p","s1":0,"r1":0,"easy":[1,2]}`)
	write(t, at("other.jsonl"), `{"type":"1p","s1":0,"r1":0,"hard":[99]}`)
	write(t, at("betae/test-queries.pkl"), "")
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{at("betae")}, statusFailure, "no valid queries"},
		{[]string{at("betae/test-queries.pkl")}, statusUsage, "the name says that these are test queries"},
		{[]string{at("fb-test.jsonl")}, statusUsage, "the name says that these are test queries"},
		{[]string{at("q.jsonl"), "--limit=-1"}, statusUsage, "--limit is -1"},
		{[]string{at("q.jsonl"), "--graph", dir}, statusUsage, "leave out --graph"},
		{[]string{at("q.jsonl"), "--sweep", "lambda"}, statusUsage, "--sweep lambda: want NAME=VALUE,VALUE,..."},
		{[]string{at("q.jsonl"), "--sweep", "lamda=1"}, statusUsage, `unknown name "lamda", did you mean "lambda"?`},
		{[]string{at("q.jsonl"), "--sweep", "lambda=0", "--sweep", "lambda=1"}, statusUsage, "--sweep lambda is given twice"},
		{[]string{at("q.jsonl"), "--sweep", "lambda=0,2"}, statusUsage, "lambda is 2"},
		{[]string{at("q.jsonl"), "--sweep", "alpha=0"}, statusUsage, "alpha is 0"},
		{[]string{at("q.jsonl"), "--sweep", "mixture=0.5"}, statusUsage, `unknown name "mixture", want lambda, alpha, weight, layers`},
		{[]string{at("q.jsonl"), "--semantics", "fit", "--sweep", "mixture=0.5"}, statusUsage, `unknown name "mixture"`},
		{[]string{at("q.jsonl"), "--semantics", "mixed", "--sweep", "weight=0.5"}, statusUsage, `unknown name "weight"`},
		{[]string{at("q.jsonl"), "--semantics", "mixed", "--sweep", "candidates=0"}, statusUsage, "candidates is 0"},
		{[]string{at("q.jsonl"), "--semantics", "mixed", "--sweep", "mixture=0,2"}, statusUsage, "mixture is 2"},
		{[]string{at("q.jsonl"), "--semantics", "fit", "--sweep", "negation=0"}, statusUsage, "negation is 0"},
		{[]string{at("q.jsonl"), "--semantics", "both"}, statusUsage, `semantics is "both", want nsmp, fit or mixed`},
		{[]string{at("split.jsonl")}, statusUsage, "split.jsonl: there are queries of the test split"},
		{[]string{at("q.jsonl"), "--sweep", "layers=3"}, statusUsage, `want values such as D+1, got "3"`},
		{[]string{at("q.jsonl"), "--sweep", "layers=D+64"}, statusUsage, "layers is 65"},
		{[]string{at("easy.jsonl")}, statusFailure, "no query has a hard answer"},
		{[]string{at("other.jsonl")}, statusFailure, "is it the model of these queries?"},
	} {
		r := efoc(t, append([]string{"calibrate", at("likes.efoc"), "-o", at("out.efoc"), "--per-shape"}, c.args...)...)
		r.want(t, c.status, "", c.want)
	}
	for _, args := range [][]string{{"--sweep", "lambda=0", "-g", dir}, {"--json", at("r.json"), "-g", dir}} {
		efoc(t, append([]string{"calibrate", at("likes.efoc"), "-o", at("out.efoc")}, args...)...).want(t, statusUsage, "", "are for --per-shape")
	}
	efoc(t, "calibrate", at("likes.efoc"), "-o", at("out.efoc")).want(t, statusUsage, "", "want validation facts, by --graph FOLDER, or validation queries")
	if _, err := os.Stat(at("out.efoc")); err == nil {
		t.Error("a failed command wrote a model")
	}
}

// TestCalibratePerShapeInterrupted checks that an interrupt writes no model, and leaves that in
// place alone.
func TestCalibratePerShapeInterrupted(t *testing.T) {
	dir := likesFolder(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	before, err := os.ReadFile(at("likes.efoc"))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, out := range []string{"out.efoc", "likes.efoc"} {
		interrupted(ctx, t, "calibrate", at("likes.efoc"), "--per-shape", at("q.jsonl"), "-o", at(out)).want(t, statusInterrupted, "", "interrupted")
	}
	if after, err := os.ReadFile(at("likes.efoc")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the model was changed: %v", err)
	}
	if files, err := filepath.Glob(at("*out.efoc*")); err != nil || len(files) > 0 {
		t.Errorf("an interrupt left %v (%v)", files, err)
	}
}
