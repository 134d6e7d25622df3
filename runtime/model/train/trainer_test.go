package train

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// randomGraph has heads with many tails, and a relation that never occurs.
func randomGraph(t testing.TB, n, relations, facts int) *graph.Graph {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 8))
	var triples []graph.Triple
	for range facts {
		triples = append(triples, graph.Triple{
			Head: graph.EntityID(rng.IntN(n) * rng.IntN(n) / n), Relation: int32(rng.IntN(relations - 1)), Tail: graph.EntityID(rng.IntN(n)),
		})
	}
	g, err := graph.New(n, relations, triples)
	require.NoError(t, err)
	return g
}

// plain is the loss of a batch as the papers state it: example by example, in
// float64, over tables of complex numbers.
type plain struct {
	o                   Options
	n                   int
	entities, relations [][]complex128
	sample              []int32 // nil for all entities
}

// widen copies a table.
func widen(t *weights) [][]complex128 {
	out := make([][]complex128, t.values.rows)
	for i := range out {
		row := t.values.row(i)
		for k := range t.rank {
			out[i] = append(out[i], complex(float64(row[k]), float64(row[t.half+k])))
		}
	}
	return out
}

func (p *plain) score(h, r, t int32) float64 {
	sum := 0.0
	for k, x := range p.entities[h] {
		y := p.entities[t][k]
		sum += real(x * p.relations[r][k] * complex(real(y), -imag(y)))
	}
	return sum
}

// loss returns the mean cross-entropies and the regulariser of the examples.
func (p *plain) loss(examples [][3]int32) (entities, relations, n3 float64) {
	for _, x := range examples {
		h, r, t := x[0], x[1], x[2]
		z := math.Exp(p.score(h, r, t))
		if p.sample == nil {
			for e := range int32(p.n) {
				if e != t {
					z += math.Exp(p.score(h, r, e))
				}
			}
		}
		for _, e := range p.sample {
			if e != t {
				z += math.Exp(p.score(h, r, e) + math.Log(float64(p.n)/float64(len(p.sample))))
			}
		}
		entities += math.Log(z) - p.score(h, r, t)
		z = 0
		for other := range p.relations {
			z += math.Exp(p.score(h, int32(other), t))
		}
		relations += math.Log(z) - p.score(h, r, t)
		for _, row := range [][]complex128{p.entities[h], p.relations[r], p.entities[t]} {
			for _, v := range row {
				n3 += math.Pow(math.Hypot(real(v), imag(v)), 3)
			}
		}
	}
	count := float64(len(examples))
	return entities / count, relations / count, n3 / count
}

// total is what a step descends on.
func (p *plain) total(examples [][3]int32) float64 {
	entities, relations, n3 := p.loss(examples)
	return entities + p.o.Relations*relations + p.o.N3*n3
}

// eachUnit runs a test with every unit of package product that this machine has.
func eachUnit(t *testing.T, test func(t *testing.T)) {
	best := product.Unit()
	t.Cleanup(func() {
		if err := product.Use(best); err != nil {
			t.Error(err)
		}
	})
	for _, unit := range product.Units() {
		require.NoError(t, product.Use(unit))
		t.Run(unit, test)
	}
}

// coarseness returns by how much the products of a step are coarser than float32 ones: with one
// term, 2^8 times as coarse as with two, which tests take for float32.
func coarseness() float64 {
	if product.Unit() == "float32" {
		return 1
	}
	return 0x1p8
}

// TestGradient compares steps with finite differences of the plain loss: the
// squares of Adagrad hold the squared gradient, the move its sign. A gradient has few terms
// here, whose sizes are below 1: it may be off by a sixteenth of the coarseness of products.
func TestGradient(t *testing.T) { eachUnit(t, testGradient) }

func testGradient(t *testing.T) {
	for name, change := range map[string]func(o *Options){
		"all":       func(*Options) {},
		"ungrouped": func(o *Options) { o.Group = 1 },
		"relations": func(o *Options) { o.Relations = 0.7 },
		"sampled":   func(o *Options) { o.Negatives = 13 },
		"both":      func(o *Options) { o.Relations, o.Negatives, o.Rank = 2, 30, 17 },
		"no n3":     func(o *Options) { o.N3 = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Rank: 3, Batch: 12, Group: 4, Rate: 0.1, N3: 0.4, Init: 0.6, Seed: 5}
			change(&o)
			tr, err := New(randomGraph(t, 40, 3, 90), o, 2)
			require.NoError(t, err)
			for range long.Or(3, 1) {
				checkStep(t, tr)
			}
		})
	}
}

func checkStep(t *testing.T, tr *Trainer) {
	t.Helper()
	p := &plain{o: tr.options, n: tr.entities.values.rows, entities: widen(&tr.entities), relations: widen(&tr.relations)}
	before := [2][]float32{slices.Clone(tr.entities.squares.data), slices.Clone(tr.relations.squares.data)}
	loss, err := tr.Step(0)
	require.NoError(t, err)
	slack := max(1, coarseness()/16)
	var examples [][3]int32
	order := tr.order
	for _, g := range order.groups[order.steps[tr.step-1]:order.steps[tr.step]] {
		for _, target := range order.tails[g.start:g.end] {
			examples = append(examples, [3]int32{tr.queries.heads[g.query], tr.queries.relations[g.query], target})
		}
	}
	if tr.negatives > 0 {
		p.sample = slices.Clone(tr.sample[:tr.negatives])
	}
	wantEntities, wantRelations, _ := p.loss(examples)
	near := func(got, want float64) bool { return math.Abs(got-want) <= slack*(2e-4*math.Abs(want)+2e-6) }
	if !near(loss.Mean(), wantEntities) || loss.Examples != len(examples) {
		t.Fatalf("loss is %v over %d, want %v over %d", loss.Mean(), loss.Examples, wantEntities, len(examples))
	}
	if got := loss.Relations / float64(loss.Examples); tr.options.Relations > 0 && !near(got, wantRelations) {
		t.Fatalf("loss of relations is %v, want %v", got, wantRelations)
	}
	for i, part := range []struct {
		rows  [][]complex128
		table *weights
	}{{p.entities, &tr.entities}, {p.relations, &tr.relations}} {
		for row := range part.rows {
			for k := range 2 * part.table.rank {
				at := row*part.table.squares.stride + k
				add := complex(1e-4, 0)
				if k >= part.table.rank {
					add = complex(0, 1e-4)
					at += part.table.half - part.table.rank
				}
				x := &part.rows[row][k%part.table.rank]
				old := *x
				*x = old + add
				up := p.total(examples)
				*x = old - add
				down := p.total(examples)
				*x = old
				want := (up - down) / 2e-4
				squares := float64(part.table.squares.data[at])
				got := math.Sqrt(math.Max(0, squares-float64(before[i][at])))
				if math.Abs(got-math.Abs(want)) > slack*(1e-3*math.Abs(want)+3e-4) {
					t.Fatalf("table %d, row %d, number %d: gradient of size %v, want %v", i, row, k, got, want)
				}
				value := real(old)
				if k >= part.table.rank {
					value = imag(old)
				}
				moved := float64(part.table.values.data[at]) - value
				if step := -tr.options.Rate * math.Copysign(got, want) / (math.Sqrt(squares) + 1e-10); math.Abs(want) > slack*1e-3 && math.Abs(moved-step) > 2e-3*tr.options.Rate {
					t.Fatalf("table %d, row %d, number %d: moved by %v, want %v", i, row, k, moved, step)
				}
			}
		}
	}
}

// TestThreads expects the same numbers from one thread and from five.
func TestThreads(t *testing.T) { eachUnit(t, testThreads) }

func testThreads(t *testing.T) {
	g := randomGraph(t, 700, 5, 1500)
	for _, negatives := range []int{0, 300} {
		o := Options{Rank: 40, Batch: 200, Group: 4, Rate: 0.1, Decay: 0.5, N3: 0.01, Relations: 0.5, Negatives: negatives, Init: 0.1, Seed: 5}
		var sums []string
		for _, threads := range []int{1, 5, 1} {
			tr, err := New(g, o, threads)
			require.NoError(t, err)
			for tr.Epoch() < 2 {
				if _, err := tr.Step(0); err != nil {
					t.Fatal(err)
				}
			}
			sums = append(sums, digest(tr))
		}
		if sums[0] != sums[1] || sums[0] != sums[2] {
			t.Errorf("negatives %d: results differ: %v", negatives, sums)
		}
	}
}

// digest tells states of a training apart.
func digest(t *Trainer) string {
	h := uint64(14695981039346656037)
	for _, m := range []*matrix{&t.entities.values, &t.entities.squares, &t.relations.values, &t.relations.squares} {
		for i := range m.rows {
			for _, v := range m.row(i) {
				h = (h ^ uint64(math.Float32bits(v))) * 1099511628211
			}
		}
	}
	return fmt.Sprintf("%d.%d:%016x", t.number, t.step, h)
}

// TestEpoch checks that an epoch takes every example once, in steps of about a
// batch, in another order each time.
func TestEpoch(t *testing.T) {
	g := randomGraph(t, 50, 4, 300)
	q := newQueries(g)
	o := Options{Batch: 32, Group: 3, Seed: 9}
	var last []group
	var old *epoch
	for number := range 3 {
		e := q.epoch(&o, number, old)
		old = &epoch{tails: e.tails, groups: slices.Clone(e.groups)}
		if fresh := q.epoch(&o, number, nil); !reflect.DeepEqual(e, fresh) {
			t.Fatalf("epoch %d in the memory of another differs from one in memory of its own", number)
		}
		seen := map[[3]int32]int{}
		for s := range len(e.steps) - 1 {
			examples := 0
			for _, g := range e.groups[e.steps[s]:e.steps[s+1]] {
				if size := g.end - g.start; size < 1 || size > 3 {
					t.Fatalf("group of %d", size)
				}
				examples += int(g.end - g.start)
				for _, target := range e.tails[g.start:g.end] {
					seen[[3]int32{q.heads[g.query], q.relations[g.query], target}]++
				}
			}
			if examples >= 32+3 || examples < 32 && s < len(e.steps)-2 {
				t.Fatalf("step of %d examples", examples)
			}
		}
		if len(seen) != 2*g.NumTriples() {
			t.Fatalf("%d different examples, want %d", len(seen), 2*g.NumTriples())
		}
		for x, count := range seen {
			if count != 1 || !g.Has(graph.EntityID(x[0]), graph.RelationID(x[1]), graph.EntityID(x[2])) {
				t.Fatalf("example %v came %d times", x, count)
			}
		}
		if slices.Equal(last, e.groups) {
			t.Error("two epochs have one order")
		}
		last = e.groups
	}
}

// TestDiverged expects an error, and tables as they were, when the loss is no
// number.
func TestDiverged(t *testing.T) {
	o := Options{Rank: 4, Batch: 50, Group: 4, Rate: 1e30, Init: 0.1, Seed: 5}
	tr, err := New(randomGraph(t, 50, 4, 300), o, 1)
	require.NoError(t, err)
	before := ""
	for range 100 {
		before = digest(tr)
		if _, err = tr.Step(0); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrDiverged) {
		t.Fatalf("error is %v, want ErrDiverged", err)
	}
	if after := digest(tr); after != before {
		t.Errorf("state %s became %s", before, after)
	}
}

// TestDecay checks the learning rate and the regulariser over a training.
func TestDecay(t *testing.T) {
	o := Options{Rate: 0.1, Decay: 0.25}
	for share, want := range map[float64]float64{0: 0.1, 0.75: 0.1, 0.8125: 0.075, 0.90625: 0.0375, 1: 0.001} {
		if got := o.rateAt(share); math.Abs(got-want) > 1e-12 {
			t.Errorf("after %v of the training the rate is %v, want %v", share, got, want)
		}
	}
	o.N3 = 1
	if o.n3At(0.75) != 1 || o.n3At(0.76) != 0.7 {
		t.Errorf("N3 is %v before the rate falls and %v then", o.n3At(0.75), o.n3At(0.76))
	}
	o.Decay = 0
	if got := o.rateAt(1); got != 0.1 {
		t.Errorf("a constant rate is %v", got)
	}
}
