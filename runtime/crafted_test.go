package runtime_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// craftedTables are the tables of crafted bundles, with the type of the rows beside codes.
var craftedTables = [][2]table.Type{
	{table.Float32}, {table.Int8, table.Float32}, {table.Int8},
}

// craftedSpec is a model of five entities and two relations that has every optional part.
func craftedSpec(t testing.TB, table table.Type, exact ...table.Type) modeltest.Spec {
	t.Helper()
	numbers, relations := make([]float32, 20), make([]float32, 16)
	for i := range numbers {
		numbers[i] = float32(i)/4 - 2
	}
	for i := range relations {
		relations[i] = 1 / float32(i+1)
	}
	settings := model.DefaultSettings()
	settings.Degrees = model.DefaultDegrees()
	settings.Degrees.Mass = true
	claims := model.Claims{
		Applies: 1, Evidence: 0.5, Margin: 0.25, Offsets: []float64{0.1, -0.1, 0.2, -0.2}, Unlinked: 0.3,
		Curve: model.Curve{X: []float64{-1, 1}, Y: []float64{0.2, 0.5}}, Queries: 3, Answers: 30,
		Refuted: model.Curve{X: []float64{-5}, Y: []float64{0.1}},
	}
	return modeltest.Spec{
		Manifest: model.Manifest{
			Name: "small", Description: "made up", Settings: settings, Visible: "train",
			Temperatures: []float64{0.5, 1, 2, 1},
			Semantics:    model.Mixed,
			TypeRelation: "likes", Prefixes: map[string]string{"ex": "http://x.org/"}, Literals: map[string]int{"age": 3},
			Confidence: model.Confidence{"mixed": {Ordinary: claims, HeldOut: claims, Lacking: claims}},
			Missing:    model.Missing{HeldOut: 0.2, Assumed: 0.1, HeldBack: []byte{3}},
			Sources:    []model.Source{{Role: "graph", File: "train.tsv", Bytes: 3}},
		},
		EntityNames: []string{"e0", "e1", "e2", "e3", "e4"}, EntityLabels: []string{"Ada", "", "Ben", "Ben", ""},
		RelationNames: []string{"knows", "likes"}, RelationLabels: []string{"Knows", ""},
		Facts:   []graph.Triple{{Head: 0, Relation: 0, Tail: 1}, {Head: 1, Relation: 0, Tail: 2}, {Head: 1, Relation: 1, Tail: 1}, {Head: 4, Relation: 1, Tail: 0}},
		Heldout: []graph.Triple{{Head: 2, Relation: 0, Tail: 3}},
		Rank:    2, Rows: numbers, RelationRows: relations, Table: table, Exact: append(exact, "")[0],
	}
}

// crafted is the bundle of that model.
func crafted(t testing.TB, table table.Type, exact ...table.Type) *bundleParts {
	t.Helper()
	var out bytes.Buffer
	m, err := modeltest.New(t, craftedSpec(t, table, exact...)).WithValues([]values.AttributeValues{
		{Name: "height", Kind: values.NumberKind, Values: []values.EntityValue{{Entity: 0, Number: 1.5}, {Entity: 3, Number: 2}}},
	})
	require.NoError(t, err)
	m, _, err = m.With(model.Change{Untrue: []graph.Triple{{Head: 3, Relation: 1, Tail: 4}}})
	require.NoError(t, err)
	// The facts are too few to overlap.
	m.Manifest.Regularities[0].Overlaps = []graph.Overlap{{With: 2, Facts: 1}}
	m.Manifest.ScoreTerms = model.ScoreTerms{Frequency: 0.3, Loop: 1, Second: 0.5}
	require.NoError(t, model.Write(&out, m))
	b, err := openParts(out.Bytes())
	require.NoError(t, err)
	return b
}

// questions have positive, negated and joined atoms, a variable besides y, a cycle,
// and two disjuncts.
var questions = []string{
	"r1(s1,f)", "(r1(s1,e1))&(r2(e1,f))", "(r1(s1,f))&(!(r2(s2,f)))", "(r1(s1,f))|(r2(s2,f))", "(r1(s1,e1))&(r2(e1,f))&(r1(e1,f))",
}

// engine answers the questions on any model, with plans that are compiled once.
type engine struct {
	cache   stages.Cache
	queries []*lang.Query
}

func newEngine(t testing.TB) *engine {
	t.Helper()
	e := &engine{}
	for _, text := range questions {
		q, err := lang.ParseBenchmark(text)
		require.NoError(t, err)
		e.queries = append(e.queries, q)
	}
	return e
}

// answer asks a model all questions in all semantics and returns the first fault of the answers.
// Settings that are nil are the model's.
func (e *engine) answer(t testing.TB, m *runtime.Model, settings *model.Settings) error {
	t.Helper()
	for i := range e.queries {
		for _, semantics := range model.AllSemantics {
			if err := e.ask(t, m, i, semantics, settings); err != nil {
				return fmt.Errorf("%s, %s: %w", questions[i], semantics, err)
			}
		}
	}
	return nil
}

// ask asks one of the questions.
func (e *engine) ask(t testing.TB, m *runtime.Model, i int, semantics model.Semantics, settings *model.Settings) error {
	t.Helper()
	if m.NumRelations() == 0 || m.NumEntities() < 2 {
		return nil
	}
	m.DegreeCache().SetBudget(1 << 20)
	q := e.queries[i]
	o := compiler.Options{Cache: &e.cache, Semantics: new(semantics), Engine: compiler.EngineInterpreted, Settings: settings}
	p, err := compiler.Prepare(m, q, o)
	if err != nil && strings.Contains(err.Error(), "layers") {
		return nil // too few for the shape, as the settings have them
	}
	if err != nil {
		return err
	}
	args := make([]int32, len(q.Params))
	for k := range args {
		args[k] = int32(k) % 2
	}
	b := p.Spec().Args(args...)
	err = p.Each(t.Context(), []runtime.Args{b}, &p.Settings, func(_ int, r *runtime.Run) error {
		answer := r.Scores()
		sets := r.Sets()
		for _, x := range append([]plan.Vector{answer}, sets...) {
			for entity, v := range x {
				if !(v >= 0 && v <= 1.0001) {
					return fmt.Errorf("entity %d has the degree %v", entity, v)
				}
			}
		}
		return nil
	})
	if err == nil {
		_, err = p.Ask(t.Context(), b, runtime.Options{K: 3, SetSize: 2, Settings: &p.Settings})
	}
	return err
}

// FuzzCrafted opens bundles with right checksums in which a field of the manifest has
// another value and a word of a tensor other bits, and asks one
// question of what opens.
func FuzzCrafted(f *testing.F) {
	debug.SetGCPercent(1000) // next to nothing is kept
	e := newEngine(f)
	const hole = "<value>"
	var bundles []*bundleParts
	var manifests [][][]field // of each, with a hole in each place
	for _, of := range craftedTables {
		b := crafted(f, of[0], of[1])
		if of[0] != table.Float32 { // one has all parts, and the others are quick
			b.Lean()
		}
		var list [][]field
		objectMutants("", b.Manifest, []string{hole}, func(what, _ string, fields []field) {
			if strings.HasSuffix(what, " = "+hole) {
				list = append(list, fields)
			}
		})
		bundles, manifests = append(bundles, b), append(manifests, list)
	}
	f.Add(uint8(0), uint16(0), `"x"`, uint8(0), uint16(0), uint32(0), uint8(0))
	f.Add(uint8(1), uint16(9), "1e9", uint8(2), uint16(3), uint32(0x7fc00000), uint8(7))
	f.Fuzz(func(t *testing.T, table uint8, field uint16, value string, tensor uint8, at uint16, bits uint32, question uint8) {
		if len(value) > 40 {
			return // the fuzzer minimises longer values for too long
		}
		b := bundles[int(table)%len(bundles)].Clone()
		if int(table) < len(bundles) { // else the manifest stays
			list := manifests[table]
			b.Manifest = slices.Clone(list[int(field)%len(list)])
			for i := range b.Manifest {
				b.Manifest[i].Value = strings.ReplaceAll(b.Manifest[i].Value, hole, value)
			}
		}
		if x := &b.Tensors[int(tensor)%len(b.Tensors)]; int(tensor) < 2*len(b.Tensors) && len(x.Data) > 0 {
			word := binary.LittleEndian.AppendUint32(nil, bits)
			copy(x.Data[int(at)%len(x.Data)&^3:], word)
		}
		m, err := runtime.OpenBytes("fuzz", b.Seal())
		if err != nil {
			return
		}
		i := int(question) % (len(e.queries) * len(model.AllSemantics))
		if err := e.ask(t, m, i/len(model.AllSemantics), model.AllSemantics[i%len(model.AllSemantics)], nil); err != nil {
			t.Error(err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestExtremeModels asks models of very long, very short and zero rows under settings at
// both ends of their ranges, one and all at a time.
func TestExtremeModels(t *testing.T) {
	e := newEngine(t)
	var low, high model.Settings
	for _, x := range model.AllSettings() {
		if x.Name == "layers" || x.IsSwitch() {
			continue
		}
		x.Set(&low, x.Low)
		x.Set(&high, x.High)
	}
	all := []model.Settings{low, high}
	for _, ends := range [][2]model.Settings{{low, high}, {high, low}} {
		for _, x := range model.AllSettings() {
			s := ends[0]
			x.Set(&s, x.Get(ends[1]))
			if s != ends[0] {
				all = append(all, s)
			}
		}
	}
	cases := 0
	for _, entity := range []float64{0, 1e-45, 1e-25, 1, table.MaxLength} {
		for _, relation := range []float64{0, 1e-45, 1, table.MaxLength} {
			for _, factor := range []float64{model.TemperatureRange.Low, model.TemperatureRange.High} {
				m := extreme(t, float32(entity), float32(relation), factor)
				for i := range all {
					if err := e.answer(t, m, &all[i]); err != nil {
						t.Errorf("entities of length %v, relations of %v, factor %v, settings %+v: %v", entity, relation, factor, all[i], err)
					}
					cases++
				}
				if err := m.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
	t.Logf("%d models and settings, %d questions each", cases, len(questions)*len(model.AllSemantics))
}

// extreme is a model whose rows have those lengths, in several directions, and whose
// relations have that factor of the temperature.
func extreme(t testing.TB, entity, relation float32, factor float64) *runtime.Model {
	t.Helper()
	s := craftedSpec(t, table.Float32)
	clear(s.Rows)
	for e := range 5 { // each row has one number that is not 0
		if s.Rows[4*e+e%4] = entity; e%2 == 1 {
			s.Rows[4*e+e%4] = -entity
		}
	}
	clear(s.RelationRows)
	for r := range 4 {
		s.RelationRows[4*r+r] = relation
	}
	s.Manifest.Temperatures = []float64{factor, factor, factor, factor}
	return runtime.NewModel(modeltest.New(t, s))
}
