package run

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/efoc/efoc/runtime/internal/collective"
	"github.com/efoc/efoc/runtime/internal/exchange"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// TestTogetherOnShards asks how many queries run at a time on one of two shards of 0.3 MB: small
// ones together, and besides the first they take 4 MB at most, of vectors alone, or whole ones.
func TestTogetherOnShards(t *testing.T) {
	const n, most = 10_000, 4 << 20
	m := modeltest.New(t, modeltest.Spec{Entities: n, Relations: 1, Rank: 4})
	var first *model.Model
	require.NoError(t, m.Shards(2, func(s *model.Model) error {
		if first == nil {
			first = s
		}
		return nil
	}))
	p := exchange.New(first, collective.NewGroup(collective.Local(2, time.Minute)[0]))
	own := &Shard{model: plan.Host{Model: first, Shared: plan.NewShared(first, p)}, part: p}
	s := &Shards{own: own}
	for _, whole := range []bool{false, true} {
		last := n
		for _, vectors := range []int{1, 2, 4, 8, 16, 64, 1000, 100_000} {
			got := s.together(&plan.Plan{Vectors: vectors, Embeddings: vectors}, whole)
			bytes := 4 * vectors * n / 2
			if whole {
				bytes += 4 * n
			}
			if got < 1 || got > last || (got-1)*bytes > most {
				t.Errorf("%d queries of %d vectors, whole %v, take %d bytes besides the first", got, vectors, whole, (got-1)*bytes)
			}
			if last = got; vectors == 1 && got < 8 || vectors == 100_000 && got != 1 {
				t.Errorf("%d queries of %d vectors, whole %v", got, vectors, whole)
			}
		}
	}
}

// TestShardBind has a shard refuse what no plan can be run with, and select by filters among its own entities.
func TestShardBind(t *testing.T) {
	whole, err := modeltest.New(t, modeltest.Spec{Entities: 6, Relations: 1, Rank: 4}).WithValues([]values.AttributeValues{
		{Name: "size", Values: []values.EntityValue{{Entity: 1, Number: 7}, {Entity: 4, Number: 5}, {Entity: 5, Number: 7}}, Kind: values.NumberKind},
	})
	require.NoError(t, err)
	var last *model.Model
	require.NoError(t, whole.Shards(2, func(s *model.Model) error { last = s; return nil }))
	s := &Shard{model: plan.Host{Model: last}, part: exchange.New(last, collective.NewGroup(collective.Local(2, time.Minute)[0]))}

	right := model.Selector{Condition: model.Condition{Attribute: "size", Comparisons: []model.Comparison{{Operator: ">"}}}, By: []values.Span{{First: 6, Last: 6}}, Unknown: 0.5}
	ask := func(change func(b *scq.Bindings, c *model.Selector, q *question)) (*scq.Bindings, error) {
		b := scq.Bindings{Constants: []graph.EntityID{5}, Relations: []graph.RelationID{1}}
		c := right
		c.By = slices.Clone(c.By)
		c.Condition.Comparisons = slices.Clone(c.Condition.Comparisons)
		q := &question{Filters: make([][]model.Selector, 1)}
		change(&b, &c, q)
		q.Batch = []scq.Bindings{b}
		if len(q.Filters) == 1 {
			q.Filters[0] = []model.Selector{c}
		}
		return &q.Batch[0], s.bind(q)
	}
	for want, change := range map[string]func(b *scq.Bindings, c *model.Selector, q *question){
		"1 queries have the filters of 0":  func(_ *scq.Bindings, _ *model.Selector, q *question) { q.Filters = nil },
		"no entity -1":                     func(b *scq.Bindings, _ *model.Selector, _ *question) { b.Constants[0] = -1 },
		"no entity 6":                      func(b *scq.Bindings, _ *model.Selector, _ *question) { b.Constants[0]++ },
		"no relation 2":                    func(b *scq.Bindings, _ *model.Selector, _ *question) { b.Relations[0]++ },
		"shard 1 of 2: unknown attribute":  func(_ *scq.Bindings, c *model.Selector, _ *question) { c.Condition.Attribute = "age" },
		"size is a number":                 func(_ *scq.Bindings, c *model.Selector, _ *question) { c.Condition.Quoted = true },
		"the operator \"~\"":               func(_ *scq.Bindings, c *model.Selector, _ *question) { c.Condition.Comparisons[0].Operator = "~" },
		"compares with NaN to 6":           func(_ *scq.Bindings, c *model.Selector, _ *question) { c.By[0].First = math.NaN() },
		"compares with -Inf to 6":          func(_ *scq.Bindings, c *model.Selector, _ *question) { c.By[0].First = math.Inf(-1) },
		"compares with 7 to 6":             func(_ *scq.Bindings, c *model.Selector, _ *question) { c.By[0].First++ },
		"has 1 comparisons with 0 values":  func(_ *scq.Bindings, c *model.Selector, _ *question) { c.By = nil },
		"unknown values to the degree 1.5": func(_ *scq.Bindings, c *model.Selector, _ *question) { c.Unknown++ },
	} {
		if _, err := ask(change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %s", err, want)
		}
	}

	b, err := ask(func(*scq.Bindings, *model.Selector, *question) {})
	require.NoError(t, err)
	factors := make([]float32, last.NumEntities())
	b.Filters[0].Factors(factors)
	if want := []float32{0.5, 0, 1}; !slices.Equal(factors, want) { // of the entities 3, 4 and 5
		t.Errorf("the shard's entities meet the filter to %v, want %v", factors, want)
	}
}
