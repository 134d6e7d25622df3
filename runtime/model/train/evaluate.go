package train

import (
	"context"
	"slices"

	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Metrics summarise filtered ranks of facts, each as (h, r, ?) and as (?, r, t). A rank is 1 + the number of entities
// with a higher score + half the number of those with the same score, excluding entities that form another known
// fact.
type Metrics struct {
	// Ranks is the number of ranks: two per fact.
	Ranks  int     `json:"ranks"`
	MRR    float64 `json:"mrr"`
	Hits1  float64 `json:"hits_at_1"`
	Hits3  float64 `json:"hits_at_3"`
	Hits10 float64 `json:"hits_at_10"`
}

// Test is a set of facts to evaluate a model on.
type Test struct {
	examples [][3]int32 // head, directed relation, tail; by relation and head
	known    *graph.Graph
}

// NewTest returns a test on the given facts. known holds all facts, including the given ones.
func NewTest(facts []graph.Triple, known *graph.Graph) *Test {
	s := &Test{known: known}
	for _, f := range facts {
		s.examples = append(s.examples,
			[3]int32{int32(f.Head), 2 * f.Relation, int32(f.Tail)},
			[3]int32{int32(f.Tail), 2*f.Relation + 1, int32(f.Head)})
	}
	slices.SortFunc(s.examples, func(a, b [3]int32) int {
		return slices.Compare([]int32{a[1], a[0], a[2]}, []int32{b[1], b[0], b[2]})
	})
	return s
}

// Facts returns the number of facts.
func (s *Test) Facts() int { return len(s.examples) / 2 }

// Sample returns a test on at most the given number of its facts, drawn by the seed.
func (s *Test) Sample(facts int, seed uint64) *Test {
	if s.Facts() <= facts {
		return s
	}
	var forward []graph.Triple
	for _, x := range s.examples {
		if x[1]%2 == 0 {
			forward = append(forward, graph.Triple{Head: graph.EntityID(x[0]), Relation: x[1] / 2, Tail: graph.EntityID(x[2])})
		}
	}
	o := Options{Seed: seed}
	o.stream(streamValidation, 0, 0).Shuffle(len(forward), func(i, j int) { forward[i], forward[j] = forward[j], forward[i] })
	return NewTest(forward[:facts], s.known)
}

// Baseline returns the metrics of the better of two rankings without embeddings: in random order, and by the number
// of facts with the entity at that end of the relation, ties in random order.
func (s *Test) Baseline(g *graph.Graph) Metrics {
	harmonic := make([]float64, g.NumEntities()+1)
	for i := 1; i < len(harmonic); i++ {
		harmonic[i] = harmonic[i-1] + 1/float64(i)
	}
	var random, popular Metrics
	relation := int32(-1)
	var counts []int    // number of facts, by entity
	var ascending []int // counts, sorted
	for _, x := range s.examples {
		if x[1] != relation {
			relation = x[1]
			counts = make([]int, g.NumEntities())
			_, tails := g.Edges(graph.RelationID(relation))
			for _, t := range tails {
				counts[t]++
			}
			ascending = slices.Sorted(slices.Values(counts))
		}
		count := counts[x[2]]
		from, _ := slices.BinarySearch(ascending, count)
		to, _ := slices.BinarySearch(ascending, count+1)
		higher := len(ascending) - to
		level := to - from - 1
		others := len(ascending) - 1
		for _, t := range s.known.Tails(graph.EntityID(x[0]), graph.RelationID(x[1])) {
			if int32(t) == x[2] {
				continue
			}
			others--
			switch {
			case counts[t] > count:
				higher--
			case counts[t] == count:
				level--
			}
		}
		popular.addTied(harmonic, higher, level)
		random.addTied(harmonic, 0, others)
	}
	if popular.MRR > random.MRR {
		return popular.mean()
	}
	return random.mean()
}

// addTied adds the expected reciprocal rank and hits of an entity below higher others and in random order with level
// others. harmonic holds sums of 1/i.
func (m *Metrics) addTied(harmonic []float64, higher, level int) {
	places := float64(level + 1)
	m.Ranks++
	m.MRR += (harmonic[higher+level+1] - harmonic[higher]) / places
	for _, hits := range m.hits() {
		*hits.count += max(0, min(1, (hits.at-float64(higher))/places))
	}
}

// testBatch is the number of examples scored at once.
const testBatch = 256

// Evaluate ranks the facts of a test by the current tables. progress, if not nil, receives the number of ranks done
// and the total.
func (t *Trainer) Evaluate(ctx context.Context, s *Test, progress func(done, total int)) (Metrics, error) {
	return evaluate(ctx, &t.entities.values, &t.relations.values, t.workers, s, progress)
}

// evaluate returns the metrics of all ranks. It converts a panic to an error.
func evaluate(ctx context.Context, entities, relations *matrix, workers *pool.Pool, s *Test, progress func(done, total int)) (all Metrics, err error) {
	defer pool.Catch(&err)
	r := newRanking(entities, s.known, workers)
	for lo := 0; lo < len(s.examples); lo += testBatch {
		if err := ctx.Err(); err != nil {
			return Metrics{}, err
		}
		batch := s.examples[lo:min(lo+testBatch, len(s.examples))]
		for _, rank := range r.ranks(batch, relations) {
			all.add(rank)
		}
		if progress != nil {
			progress(lo+len(batch), len(s.examples))
		}
	}
	return all.mean(), nil
}

func (m *Metrics) add(rank float64) {
	m.Ranks++
	m.MRR += 1 / rank
	for _, hits := range m.hits() {
		if rank <= hits.at {
			*hits.count++
		}
	}
}

// hits is the number of ranks up to a limit.
type hits struct {
	at    float64
	count *float64
}

func (m *Metrics) hits() [3]hits { return [3]hits{{1, &m.Hits1}, {3, &m.Hits3}, {10, &m.Hits10}} }

func (m Metrics) mean() Metrics {
	n := float64(max(1, m.Ranks))
	return Metrics{m.Ranks, m.MRR / n, m.Hits1 / n, m.Hits3 / n, m.Hits10 / n}
}
