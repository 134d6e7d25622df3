package runtime_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// coverable opens the world with thresholds of round numbers, which differ for each form of questions.
func coverable(t *testing.T) (*runtime.Model, map[model.Semantics][model.Forms][]float64) {
	t.Helper()
	m := calibrated(t)
	ratios := map[model.Semantics][model.Forms][]float64{}
	for _, s := range model.AllSemantics {
		c := m.Bundle().Manifest.Confidence[s.String()]
		var of [model.Forms][]float64
		for form := range of {
			for i := range 19 {
				x := float64(1+i+form) / 40
				if s == model.NSMP {
					x /= 100
				}
				of[form] = append(of[form], x)
			}
			c.Ordinary.Coverage[form] = model.NewCoverage(slices.Clone(of[form]))
		}
		ratios[s] = of
	}
	return m, ratios
}

// TestCoverage compares the answers at each level with the list of all: they are its first ones, down to the threshold of
// the form. It asks alone, in a batch, for a part of the answers, and with a type.
func TestCoverage(t *testing.T) {
	m, ratios := coverable(t)
	forms := []int{0, 1, 2, 1, 2, 0}
	for i, formula := range append(slices.Clone(formulas), `y: in_continent("Europe") & borders("France", y)`) {
		form := forms[i]
		for _, s := range model.AllSemantics {
			p, all := ask(t, m, formula, s, compiler.EngineAuto, runtime.Options{K: m.NumEntities()})
			first := slices.IndexFunc(all.Rows, func(r runtime.Row) bool { return r.Status != runtime.Known })
			last := 0
			for below, level := range map[int]float64{1: 0.95, 2: 0.9, 10: 0.5} {
				t.Run(fmt.Sprint(formula, s, level), func(t *testing.T) {
					threshold := ratios[s][form][below-1]
					if s != model.NSMP {
						threshold *= float64(all.Rows[first].Score)
					}
					want := first
					for want < len(all.Rows) && float64(all.Rows[want].Score) >= threshold {
						want++
					}
					o := runtime.Options{Coverage: level}
					_, got := ask(t, m, formula, s, compiler.EngineAuto, o)
					if !slices.Equal(entities(got.Rows), entities(all.Rows[:want])) {
						t.Fatalf("there are %d answers, want the first %d", len(got.Rows), want)
					}
					if *got.Coverage != (runtime.Coverage{Level: level, Size: want, Questions: 19}) || got.Next != 0 {
						t.Errorf("the coverage is %+v and the next page %d, want %d answers and none", got.Coverage, got.Next, want)
					}
					o.K = 2
					none, err := p.Args(nil)
					require.NoError(t, err)
					batch, err := p.AskAll(t.Context(), []runtime.Args{none, none}, o)
					require.NoError(t, err)
					for _, r := range batch {
						if r.Coverage.Size != want || len(r.Rows) != min(2, want) {
							t.Errorf("of %d answers, %d are shown, want %d of %d", r.Coverage.Size, len(r.Rows), min(2, want), want)
						}
					}
				})
			}
			for _, level := range []float64{0.5, 0.6, 0.7, 0.8, 0.9, 0.95} {
				_, r := ask(t, m, formula, s, compiler.EngineAuto, runtime.Options{Coverage: level, K: 1})
				if r.Coverage.Size < last {
					t.Errorf("%s, %s: %v takes %d answers, less than the %d of a lower level", formula, s, level, r.Coverage.Size, last)
				}
				last = r.Coverage.Size
			}
		}
	}
}

// TestCoverageErrors refuses options that a promise excludes, and levels that the calibration does not support.
func TestCoverageErrors(t *testing.T) {
	m, _ := coverable(t)
	const one = `borders("France", y)`
	others := m.Settings()
	others.Alpha *= 2
	for _, c := range []struct {
		formula string
		o       runtime.Options
		want    string
	}{
		{one, runtime.Options{Coverage: 0.96}, "0.96 takes 24 validation questions of this form that lack answers, and the model has 19: ask for less, or calibrate"},
		{one, runtime.Options{Coverage: 0.9, HeldOut: 0.1}, "the model has 0"},
		{one, runtime.Options{Coverage: 1}, "from 0.5 to 0.99, not 1"},
		{one, runtime.Options{Coverage: 0.4}, "from 0.5 to 0.99, not 0.4"},
		{one, runtime.Options{Coverage: -1}, "from 0.5 to 0.99, not -1"},
		{one, runtime.Options{Coverage: 0.9, Offset: 1}, "leave out the offset and filters"},
		{one, runtime.Options{Coverage: 0.9, NoStatus: true}, "with their statuses"},
		{one, runtime.Options{Coverage: 0.9, Filter: runtime.AnswerFilter{InRange: true}}, "leave out the offset and filters"},
		{one, runtime.Options{Coverage: 0.9, Settings: &others}, "calibrated with other settings"},
		{`x, y: borders(x, y)`, runtime.Options{Coverage: 0.9}, "answers of one variable"},
		{`borders("France", "Spain")`, runtime.Options{Coverage: 0.9}, "the question asks yes or no"},
	} {
		p, err := compiler.Prepare(m, c.formula, compiler.Options{})
		require.NoError(t, err)
		_, err = p.Ask(t.Context(), nil, c.o)
		checked := p.Check(c.o)
		if _, is := errors.AsType[*runtime.OptionError](err); !is || checked == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v and %v, want %q", c.formula, err, checked, c.want)
		}
	}
	p, err := compiler.Prepare(m, one, compiler.Options{})
	require.NoError(t, err)
	if _, err := p.AskAgainst(t.Context(), p.Question, nil, runtime.Options{Coverage: 0.9}); err == nil {
		t.Error("covering answers are compared")
	}
}

// TestCoverageOfTheWorld asks for facts that calibration did not see: those that the world holds back and that are not its
// validation facts. Nine of ten questions must have all of these answers among those shown, within three standard errors.
func TestCoverageOfTheWorld(t *testing.T) {
	type link struct {
		head     graph.EntityID
		relation graph.RelationID
	}
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	lines := func(name string) []string {
		text, err := os.ReadFile(filepath.Join("../cmd/efoc/world", name))
		require.NoError(t, err)
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	valid := lines("valid.tsv")
	hidden := map[link][]graph.EntityID{}
	for _, line := range lines("heldout.tsv") {
		if slices.Contains(valid, line) {
			continue
		}
		names := strings.Split(line, "\t")
		head, err := m.Entity(names[0])
		require.NoError(t, err)
		r, err := m.Relation(names[1])
		require.NoError(t, err)
		tail, err := m.Entity(names[2])
		require.NoError(t, err)
		for _, q := range []link{{head.ID(), r.ID()}, {tail.ID(), r.ID().Inverse()}} {
			other := tail.ID()
			if q.relation.IsInverse() {
				other = head.ID()
			}
			hidden[q] = append(hidden[q], other)
		}
	}
	var questions []runtime.LinkQuestion
	for q := range hidden {
		questions = append(questions, runtime.LinkQuestion{Head: q.head, Relation: q.relation})
	}
	replies, err := m.Links(t.Context(), questions, runtime.LinkOptions{Options: runtime.Options{Coverage: 0.9}})
	require.NoError(t, err)
	covered := 0
	for i, r := range replies {
		shown := entities(r.Rows)
		missed := slices.ContainsFunc(hidden[link{questions[i].Head, questions[i].Relation}], func(e graph.EntityID) bool { return !slices.Contains(shown, e) })
		if !missed {
			covered++
		}
	}
	n := float64(len(questions))
	trials := float64(replies[0].Coverage.Questions)
	t.Logf("%d of %v questions are covered, by %v validation questions", covered, n, trials)
	if float64(covered)/n < 0.9-3*math.Sqrt(0.9*0.1*(1/n+1/trials)) {
		t.Errorf("%d of %v questions are covered, want nine of ten", covered, n)
	}
}
