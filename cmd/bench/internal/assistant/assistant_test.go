package assistant

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// tiny is a model that stores r(a, b) and s(c, d), and holds r(a, c) back. Every answer that is not known has
// confidence 0.3.
func tiny(t *testing.T) *model.Model {
	t.Helper()
	claims := model.Claims{Offsets: make([]float64, 4), Curve: model.Curve{X: []float64{-6, 2}, Y: []float64{0.3, 0.3}}}
	calibration := &model.Calibration{Ordinary: claims, HeldOut: claims, Lacking: claims}
	return modeltest.New(t, modeltest.Spec{
		EntityNames: []string{"a", "b", "c", "d"}, RelationNames: []string{"r", "s"}, Rank: 1,
		Rows: make([]float32, 4*2), RelationRows: make([]float32, 4*2),
		Facts: []graph.Triple{{Head: 0, Relation: 0, Tail: 1}, {Head: 2, Relation: 1, Tail: 3}}, Heldout: []graph.Triple{{Head: 0, Relation: 0, Tail: 2}},
		Manifest: model.Manifest{Confidence: model.Confidence{"nsmp": calibration, "fit": calibration, "mixed": calibration}},
	})
}

// all are the questions about the tiny model with their true answers and the F1 of those that are known. The others have
// one or two answers, and F1 0.
var all = map[string]struct {
	truth string
	known float64
}{
	`r("a", y)`:                           {"b c", 2. / 3},
	`r^-1("c", y)`:                        {"a", 0},
	`exists x. r("a", x) & s(x, y)`:       {"d", 0},
	`exists x. s^-1("d", x) & r^-1(x, y)`: {"a", 0},
	`exists x. r^-1("c", x) & r(x, y)`:    {"b c", 0},
	`exists x. r^-1("b", x) & r(x, y)`:    {"b c", 2. / 3},
	`r("a", y) & s^-1("d", y)`:            {"c", 0},
	`r^-1("c", y) & r^-1("b", y)`:         {"a", 0},
}

// TestDraw draws all questions about the tiny model, and no other.
func TestDraw(t *testing.T) {
	m := runtime.NewModel(tiny(t))
	seen := map[string]bool{}
	for seed := range uint64(50) {
		d := &drawer{m, rand.New(rand.NewPCG(seed, 0)), false}
		list, err := d.draw(4)
		require.NoError(t, err)
		for i, q := range list {
			seen[q.formula] = true
			truth := strings.Join(slices.Sorted(maps.Keys(q.truth)), " ")
			if want, ok := all[q.formula]; !ok || truth != want.truth || (i < 2) != !strings.ContainsAny(q.formula, "&") {
				t.Errorf("question %d is %s, whose answers are %s, want %s", i, q.formula, truth, want.truth)
			}
		}
	}
	if len(seen) != len(all) {
		t.Errorf("only %v are drawn", seen)
	}
	if _, err := (&drawer{m, rand.New(rand.NewPCG(1, 0)), false}).draw(40); err == nil || !strings.Contains(err.Error(), "--questions is 40") {
		t.Errorf("40 questions: error %v, want that there are not so many", err)
	}
}

// TestDrawAny draws all questions of one link about the tiny model.
func TestDrawAny(t *testing.T) {
	d := &drawer{runtime.NewModel(tiny(t)), rand.New(rand.NewPCG(1, 0)), true}
	list, err := d.draw(11)
	require.NoError(t, err)
	got := map[string]bool{}
	for _, q := range list[:5] {
		got[q.formula] = true
	}
	for _, want := range []string{`r("a", y)`, `r^-1("b", y)`, `r^-1("c", y)`, `s("c", y)`, `s^-1("d", y)`} {
		if !got[want] {
			t.Errorf("%s is not among %v", want, got)
		}
	}
}

// TestRun measures efoc mcp on the tiny model. Predictions of confidence 0.2 or more are all other entities.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "efoc")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = "../../../efoc"
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	file := write(t, dir, tiny(t))

	c := Command{Model: file, Questions: 4, Seed: 1}
	list, err := c.draw()
	require.NoError(t, err)
	known := 0.0
	everything := 0.0
	for _, q := range list {
		known += all[q.formula].known / 4
		everything += 2 * float64(len(q.truth)) / float64(4+len(q.truth)) / 4
	}
	if math.Abs(known-everything) < 0.01 {
		t.Fatalf("both are %v", known)
	}
	status, out := run(t, file, "--questions", "4", "--efoc", program)
	for _, want := range []string{
		fmt.Sprintf("known answers only                         %.3f ", known),
		fmt.Sprintf("confidence 0.5 or more  %.3f ", known),
		fmt.Sprintf("confidence 0.2 or more  %.3f ", everything),
		fmt.Sprintf("confidence 0.1 or more  %.3f ", everything),
		"means of 4 questions",
	} {
		if status != cli.StatusOK || !strings.Contains(out, want) {
			t.Errorf("status %d, want %q in\n%s", status, want, out)
		}
	}
}

// TestRunErrors gives a model without facts held back, and a program that is not there.
func TestRunErrors(t *testing.T) {
	file := write(t, t.TempDir(), modeltest.New(t, modeltest.Spec{Entities: 2, Relations: 1, Rows: make([]float32, 4), RelationRows: make([]float32, 4)}))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{file}, "the model holds no facts back"},
		{[]string{"../../../efoc/world/world.efoc", "--efoc", "/nowhere/efoc"}, "/nowhere/efoc mcp: "},
	} {
		if status, text := run(t, c.args...); status != cli.StatusFailure || !strings.Contains(text, c.want) {
			t.Errorf("%q: status %d, want a failure with %q:\n%s", c.args, status, c.want, text)
		}
	}
}

// TestF1 has the measure of answers some of which are true.
func TestF1(t *testing.T) {
	q := question{truth: map[string]bool{"a": true, "b": true, "c": true}}
	for answers, want := range map[string]float64{"": 0, "x": 0, "a": 0.5, "a b c": 1, "a b x": 2. / 3, "a x y z w": 0.25} {
		if got := q.f1(strings.Fields(answers)); math.Abs(got-want) > 1e-12 {
			t.Errorf("F1 of %q is %v, want %v", answers, got, want)
		}
	}
}

// write writes a model into a folder, and returns its path.
func write(t *testing.T, dir string, m *model.Model) string {
	t.Helper()
	var bundle bytes.Buffer
	require.NoError(t, model.Write(&bundle, m))
	file := filepath.Join(dir, "model.efoc")
	require.NoError(t, os.WriteFile(file, bundle.Bytes(), 0o644))
	return file
}

// run runs the command and returns its status and what it printed.
func run(t *testing.T, args ...string) (status int, text string) {
	t.Helper()
	var stdout, stderr bytes.Buffer // the server writes to stderr at the same time
	status = cli.Run(t.Context(), "mcp", "", &Command{}, args, &stdout, &stderr)
	return status, stdout.String() + stderr.String()
}
