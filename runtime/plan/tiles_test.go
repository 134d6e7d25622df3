package plan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
)

// tilesCase is a state of three messages, a positive one, a negated one and one of loops, on a table of several tiles.
type tilesCase struct {
	m        *model.Model
	settings model.Settings
}

const (
	tilesEntities = 700 // several tiles
	tilesRank     = 16
)

// newTilesCase draws a model whose scores grow from tile to tile, with some facts of each relation.
func newTilesCase(t *testing.T, rng *rand.Rand, facts int, s model.Settings) tilesCase {
	t.Helper()
	spec := modeltest.Spec{Entities: tilesEntities, Relations: 3, Rank: tilesRank}
	for r := range 3 {
		for range facts {
			f := graph.Triple{Relation: int32(r), Tail: graph.EntityID(rng.IntN(tilesEntities))}
			if r == 2 {
				f.Head = f.Tail
			}
			spec.Facts = append(spec.Facts, f)
		}
	}
	for e := range tilesEntities {
		for range 2 * tilesRank {
			spec.Rows = append(spec.Rows, float32(rng.NormFloat64()*(0.5+float64(e)/tilesEntities)))
		}
	}
	for range 6 * 2 * tilesRank {
		spec.RelationRows = append(spec.RelationRows, float32(rng.NormFloat64()))
	}
	return tilesCase{modeltest.New(t, spec), s}
}

// message is N(2(1−w)·softmax(scores) + 2w·N(links)) in double precision.
func (c tilesCase) message(scores, links []float64, negated bool) []float64 {
	top := math.Inf(-1)
	for _, x := range scores {
		top = max(top, x)
	}
	sum := 0.0
	for _, x := range scores {
		sum += math.Exp(x - top)
	}
	if negated {
		for e := range links {
			links[e] = c.settings.Alpha/float64(len(links)) - links[e]
		}
	}
	links = c.normalize(links)
	blend := make([]float64, len(scores))
	for e, x := range scores {
		blend[e] = 2*(1-c.settings.Weight)*math.Exp(x-top)/sum + 2*c.settings.Weight*links[e]
	}
	return c.normalize(blend)
}

// normalize is N.
func (c tilesCase) normalize(x []float64) []float64 {
	sum := 0.0
	to := make([]float64, len(x))
	for e, v := range x {
		if v >= c.settings.Epsilon {
			to[e] = v
			sum += v
		}
	}
	for e := range to {
		to[e] /= max(c.settings.Epsilon, sum)
	}
	return to
}

// want is the state by brute force.
func (c tilesCase) want(queries [2]Embedding) []float64 {
	n := c.m.NumEntities()
	product := make([]float64, n)
	for e := range product {
		product[e] = 1
	}
	for r := range 3 {
		scores := make([]float64, n)
		links := make([]float64, n)
		for e := range scores {
			if r < 2 {
				scores[e] = rowDot(c.m, e, queries[r])
				continue
			}
			row := c.m.Predictor.EntityTable.Row(graph.EntityID(e), nil)
			image := make(Embedding, len(row))
			kernels.Project(image, row, c.m.Predictor.Relation(4), false, false)
			scores[e] = dots(image, row)
		}
		heads, tails := c.m.Graph.Edges(graph.RelationID(2 * r))
		for i, h := range heads {
			if r == 2 && h == tails[i] || r < 2 && h == 0 {
				links[tails[i]] = 1
			}
		}
		for e, v := range c.message(scores, links, r == 1) {
			product[e] *= v
		}
	}
	return c.normalize(product)
}

// TestTiles compares states and their embeddings by loops over tiles with brute force: for few links and many, and for
// thresholds that cut much.
func TestTiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, facts := range []int{0, 3, 20, 400} {
		for _, weight := range []float64{0.5, 0.2, 0.9, 0} {
			for _, epsilon := range []float64{1e-14, 1e-6} {
				s := model.DefaultSettings()
				s.Weight = weight
				s.Epsilon = epsilon
				t.Run(fmt.Sprintf("%d links, w %v, epsilon %v", facts, weight, epsilon), func(t *testing.T) {
					x := newTilesCase(t, rng, facts, s)
					x.check(t, 0)
					x.check(t, 1)
				})
			}
		}
	}
}

// check computes the state by tiles, after some loops, whose directions alternate.
func (c tilesCase) check(t *testing.T, loopsBefore int) {
	t.Helper()
	w := newTestWorkspace(c.m, 8, 5)
	w.settings = c.settings
	var queries [2]Embedding
	for r := range queries {
		query := w.Embedding(Emb(r))
		kernels.Project(query, c.m.Predictor.EntityTable.Row(0, nil), c.m.Predictor.Relation(graph.RelationID(2*r)), false, r == 1)
		queries[r] = query
	}
	tiles := w.Tiles()
	links := tiles.Neighbors(0, 0, 0, graph.Forward)
	absent := tiles.Neighbors(1, 0, 2, graph.Forward)
	loops := tiles.Loops(2, 4)
	for range loopsBefore {
		many := tiles.many
		for tiles.Next() {
		}
		tiles.many = many
	}
	for tiles.Next() {
		tiles.Score(3, 0)
		tiles.Score(4, 1)
		tiles.LoopScore(5, 4, graph.Positive)
		tiles.Estimate(2, 3, 4, 5)
		tiles.Estimate(3, 3, 5)
	}
	first := tiles.Message(3, 3, links, graph.Positive)
	second := tiles.Message(4, 4, absent, graph.Negated)
	third := tiles.Message(5, 5, loops, graph.Positive)
	state := tiles.State(6, first, second, third)
	sum := tiles.Correct(2, state, 2, 3)

	want := c.want(queries)
	exact := make(Vector, len(want))
	for e, v := range want {
		exact[e] = float32(v)
		wantNear(t, fmt.Sprintf("entity %d", e), w.Vector(state)[e], v, 1e-5*v+1e-7)
	}
	numbers, size := exactSum(c.m, exact)
	for i, v := range numbers {
		wantNear(t, fmt.Sprintf("number %d", i), w.Embedding(sum)[i], v, 1e-5*size[i]+1e-7)
	}
}
