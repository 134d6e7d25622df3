package atlas

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/emulate"
	"github.com/efoc/efoc/testdata/require"

	"example.com/atlas/films"
)

// europe returns a model that an emulated device, which is slow, has time for: some
// facts, and a predictor of random numbers.
func europe(t *testing.T) *runtime.Model {
	t.Helper()
	entities := []string{"France", "Spain", "Germany", "Austria", "Italy", "Peru", "French", "German", "Italian", "Spanish", "Europe", "America"}
	relations := []string{"borders", "official_language", "in_continent", "currency"}
	var facts []graph.Triple
	for relation, pairs := range []string{
		"France Spain, Spain France, France Germany, Germany France, Germany Austria, Austria Germany, Austria Italy, France Italy",
		"France French, Spain Spanish, Germany German, Austria German, Italy Italian, Peru Spanish",
		"France Europe, Spain Europe, Germany Europe, Italy Europe, Peru America",
	} {
		for pair := range strings.SplitSeq(pairs, ", ") {
			head, tail, _ := strings.Cut(pair, " ")
			facts = append(facts, graph.Triple{
				Head: graph.EntityID(slices.Index(entities, head)), Relation: int32(relation), Tail: graph.EntityID(slices.Index(entities, tail)),
			})
		}
	}
	g, err := graph.New(len(entities), len(relations), facts)
	require.NoError(t, err)
	entityNames, err := names.New("entity", entities, nil)
	require.NoError(t, err)
	relationNames, err := names.New("relation", relations, nil)
	require.NoError(t, err)
	const rank = 4
	rng := rand.New(rand.NewPCG(1, 2))
	numbers := make([]float32, 2*rank*(len(entities)+2*len(relations)))
	for i := range numbers {
		numbers[i] = float32(rng.NormFloat64())
	}
	split := 2 * rank * len(entities)
	table, err := table.Make(numbers[:split], 2*rank, table.Float32, "")
	require.NoError(t, err)
	m, err := model.New(model.Manifest{Name: "europe", Visible: "all", Settings: model.DefaultSettings()}, g, nil,
		model.Predictor{Rank: rank, EntityTable: table, RelationTable: numbers[split:]}, entityNames, relationNames)
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	return runtime.NewModel(m)
}

// load brings a model to an emulated device, which runs the generated kernels. A
// program that is built with the tag cuda calls nvidia.Open instead.
func load(t *testing.T, m *runtime.Model) (*runtime.Model, *emulate.Driver) {
	t.Helper()
	driver := emulate.New(t)
	d, err := device.Open(func() (cuda.Driver, error) { return driver, nil }, device.Tuning{MapThreads: 32, TopThreads: 32, Splits: 2})
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	onDevice, err := m.On(d)
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := onDevice.Close(); err != nil {
			t.Error(err)
		}
		if driver.Allocated != 0 {
			t.Errorf("%d allocations are left on the device", driver.Allocated)
		}
	})
	return onDevice, driver
}

// template is a generated type with the parameters P and replies R.
type template[P, R any] interface {
	Answer(ctx context.Context, p P, o runtime.Options) (R, error)
	AnswerBatch(ctx context.Context, batch []P, o runtime.Options) ([]R, error)
}

// TestDevice asks the same generated types on the processor and on a device: parameters, a name,
// a negation and a union; one query at a time, and in batches.
func TestDevice(t *testing.T) {
	m := europe(t)
	onDevice, driver := load(t, m)
	france, austria := entity(t, m, "France"), entity(t, m, "Austria")
	t.Run("NewLanguages", func(t *testing.T) {
		same(t, BindNewLanguages, m, onDevice, []NewLanguagesParams{{france}, {austria}}, func(r *NewLanguagesReply) *runtime.Reply { return r.Reply })
	})
	t.Run("Akin", func(t *testing.T) {
		same(t, BindAkin, m, onDevice, []AkinParams{{france}, {austria}}, func(r *AkinReply) *runtime.Reply { return r.Reply })
	})
	t.Run("why", func(t *testing.T) { checkWhy(t, m, onDevice) })
	t.Run("without kernels", func(t *testing.T) {
		p := films.FilmsPlans[0] // of a file that was generated without --cuda
		if _, err := onDevice.Bind(byslot.Spec("DebutVenues", p, nil)); err == nil ||
			!strings.Contains(err.Error(), "query DebutVenues: shape "+p.Shape) || !strings.Contains(err.Error(), "no kernels for a device") {
			t.Errorf("error is %v", err)
		}
	})
	if driver.Launches == 0 {
		t.Error("the device launched nothing")
	}
}

// same compares what a query answers on a model and on the same model on a device.
func same[P, R any, Q template[P, R]](t *testing.T, bind func(*runtime.Model) (Q, error), m, onDevice *runtime.Model, batch []P, of func(R) *runtime.Reply) {
	t.Helper()
	host, err := bind(m)
	require.NoError(t, err)
	there, err := bind(onDevice)
	require.NoError(t, err)
	o := runtime.Options{K: 5, SetSize: 2}
	want, err := host.AnswerBatch(t.Context(), batch, o)
	require.NoError(t, err)
	got, err := there.AnswerBatch(t.Context(), batch, o)
	require.NoError(t, err)
	for i := range batch {
		sameAnswers(t, of(got[i]), of(want[i]))
	}
	alone, err := there.Answer(t.Context(), batch[0], o)
	require.NoError(t, err)
	sameAnswers(t, of(alone), of(want[0]))
}

func sameAnswers(t *testing.T, got, want *runtime.Reply) {
	t.Helper()
	if len(got.Rows) != len(want.Rows) || len(got.Sets) != len(want.Sets) || !slices.Equal(got.Variables, want.Variables) {
		t.Fatalf("got %+v, want %+v", got, want)
	}
	for i, g := range got.Rows {
		// Neighbours may change places where rounding alone orders them.
		w := want.Rows[i]
		at := slices.IndexFunc(want.Rows, func(a runtime.Row) bool { return a.Values[0].ID == g.Values[0].ID })
		if at < 0 || g.Status != want.Rows[at].Status || !sameMember(g, want.Rows[at]) || !near(g.Score, w.Score) {
			t.Errorf("answer %d is %+v, want %+v", i, g, w)
		}
	}
	for i, w := range want.Sets {
		g := got.Sets[i]
		if g.Disjunct != w.Disjunct || g.Variable != w.Variable || len(g.Top) != len(w.Top) {
			t.Fatalf("set %d is %+v, want %+v", i, g, w)
		}
		for j := range w.Top {
			if !sameMember(g.Top[j], w.Top[j]) {
				t.Errorf("set %d, member %d is %+v, want %+v", i, j, g.Top[j], w.Top[j])
			}
		}
	}
}

// sameMember compares but for the order of sums.
func sameMember(got, want runtime.Row) bool {
	return got.Values[0].ID == want.Values[0].ID && near(got.Score, want.Score)
}

func near(got, want float32) bool { return math.Abs(float64(got-want)) <= 1e-4*float64(want) }
