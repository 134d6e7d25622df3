package compiler_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/bundletest"
	"github.com/efoc/efoc/runtime/fit"
)

// crafted is a bundle of five entities and two relations that has every optional
// part.
func crafted(t testing.TB, table runtime.TableType) *bundletest.Bundle {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	entities, err := runtime.NewNames("entity", []string{"e0", "e1", "e2", "e3", "e4"}, []string{"Ada", "", "Ben", "Ben", ""})
	must(err)
	relations, err := runtime.NewNames("relation", []string{"knows", "likes"}, []string{"Knows", ""})
	must(err)
	visible, err := runtime.NewGraph(5, 2, []runtime.Triple{{Head: 0, Relation: 0, Tail: 1}, {Head: 1, Relation: 0, Tail: 2}, {Head: 1, Relation: 1, Tail: 1}, {Head: 4, Relation: 1, Tail: 0}})
	must(err)
	heldout, err := runtime.NewGraph(5, 2, []runtime.Triple{{Head: 2, Relation: 0, Tail: 3}})
	must(err)
	numbers, p := make([]float32, 20), runtime.Predictor{Rank: 2, RelationTable: make([]float32, 16)}
	for i := range numbers {
		numbers[i] = float32(i)/4 - 2
	}
	for i := range p.RelationTable {
		p.RelationTable[i] = 1 / float32(i+1)
	}
	p.EntityTable, err = runtime.NewTable(numbers, 4, table)
	must(err)
	settings := runtime.DefaultSettings()
	settings.Degrees = runtime.DefaultDegrees()
	settings.Degrees.Mass = true
	m, err := runtime.NewModel(runtime.Manifest{
		Name: "small", Description: "made up", Settings: settings, Visible: "train",
		Tuned:        map[string][]runtime.Settings{compiledShape(t): {settings}},
		Temperatures: []float64{0.5, 1, 2, 1},
		Sources:      []runtime.Source{{Role: "graph", File: "train.tsv", Bytes: 3}},
	}, visible, heldout, p, entities, relations)
	must(err)
	var out bytes.Buffer
	must(runtime.WriteBundle(&out, m))
	b, err := bundletest.Open(out.Bytes())
	must(err)
	return b
}

// questions have positive, negated and joined atoms, a variable besides y, a cycle,
// and two disjuncts.
var questions = []string{
	"r1(s1,f)", "(r1(s1,e1))&(r2(e1,f))", "(r1(s1,f))&(!(r2(s2,f)))", "(r1(s1,f))|(r2(s2,f))", "(r1(s1,e1))&(r2(e1,f))&(r1(e1,f))",
}

// compiledShape is the canonical key of the first question.
func compiledShape(t testing.TB) string {
	t.Helper()
	q, err := lang.ParseBenchmark(questions[0])
	if err != nil {
		t.Fatal(err)
	}
	dnf, _, err := lang.Normalize(q)
	if err != nil {
		t.Fatal(err)
	}
	return lower.NewShape(dnf).Key
}

// engine answers the questions on any model, with plans that are compiled once.
type engine struct {
	cache   compiler.Cache
	queries []*lang.Query
}

func newEngine(t testing.TB) *engine {
	t.Helper()
	e := &engine{}
	for _, text := range questions {
		q, err := lang.ParseBenchmark(text)
		if err != nil {
			t.Fatal(err)
		}
		e.queries = append(e.queries, q)
	}
	return e
}

// answer asks a model all questions in all semantics and returns what is wrong with
// the answers. Settings that are nil are the model's.
func (e *engine) answer(t testing.TB, m *runtime.Model, settings *runtime.Settings) error {
	t.Helper()
	fit.RowsOf(m).SetBudget(1 << 20)
	for i, q := range e.queries {
		for _, semantics := range fit.All {
			o := compiler.PrepareOptions{Cache: &e.cache, Semantics: semantics, Engine: compiler.EngineInterp}
			if settings != nil {
				o.Settings = func(string) runtime.Settings { return *settings }
			}
			p, err := compiler.Prepare(m, q, o)
			if err != nil && strings.Contains(err.Error(), "layers") {
				continue // too few for the shape, as the settings have them
			}
			if err != nil {
				return fmt.Errorf("%s: %w", questions[i], err)
			}
			args := make([]int32, len(q.Params))
			for k, param := range q.Params {
				if args[k] = int32(k) % 2; param.Kind == lang.RelationKind {
					args[k] %= int32(max(1, m.NumRelations()))
				}
			}
			b, err := p.BindingsByID(args)
			if err != nil {
				if m.NumRelations() == 0 || m.NumEntities() < 2 {
					continue
				}
				return err
			}
			err = p.Query.Scores(t.Context(), b, &p.Settings, func(answer runtime.Vector, sets []runtime.Vector) error {
				for _, x := range append([]runtime.Vector{answer}, sets...) {
					for entity, v := range x {
						if !(v >= 0 && v <= 1.0001) || math.IsNaN(float64(v)) {
							return fmt.Errorf("entity %d has the degree %v", entity, v)
						}
					}
				}
				return nil
			})
			if err == nil {
				_, err = p.Query.Answer(t.Context(), b, runtime.Options{K: 3, SetSize: 2, Settings: &p.Settings})
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", questions[i], semantics, err)
			}
		}
	}
	return nil
}
