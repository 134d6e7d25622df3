package difftest

import (
	"cmp"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/plantest"
)

// A world describes how a random model is drawn. The cases in testdata/regress depend on its facts and
// embeddings: neither may change, which fingerprint checks.
type world struct {
	Seed      uint64     `json:"seed"`
	Entities  int        `json:"entities"`
	Relations int        `json:"relations"`
	Rank      int        `json:"rank"`
	Table     table.Type `json:"table"`
	// Exact is the type of the rows stored with codes, float32 if empty.
	Exact table.Type `json:"exact,omitempty"`
	// Facts is the number of facts drawn for each relation.
	Facts int `json:"facts"`
	// Scale is the standard deviation of the scores of entities; Shift is added to all of them.
	Scale float64 `json:"scale"`
	Shift float64 `json:"shift"`
	// Temperatures gives each relation its own temperature.
	Temperatures bool `json:"temperatures,omitempty"`
	// Access is how plans read the entity table; nil means by codes and estimates.
	Access *plan.Access `json:"access,omitempty"`
}

// model draws the model. The caller closes it.
func (w world) model() (*runtime.Model, error) {
	var manifest model.Manifest
	if w.Temperatures {
		for r := range 2 * w.Relations {
			manifest.Temperatures = append(manifest.Temperatures, 0.8+float64(r)/10)
		}
	}
	entities, relations := w.embeddings()
	m, err := modeltest.Spec{
		Manifest: manifest, Entities: w.Entities, Relations: w.Relations, Facts: w.facts(),
		Rank: w.Rank, Rows: entities, RelationRows: relations, Table: w.Table, Exact: cmp.Or(w.Exact, table.Float32),
	}.Model()
	if err == nil {
		m, err = m.WithValues(plantest.Values(w.Seed, w.Entities))
	}
	if err != nil {
		return nil, err
	}
	opened := runtime.NewModel(m)
	access := plan.Access{Estimates: true}
	if w.Access != nil {
		access = *w.Access
	}
	opened.Use(access)
	return opened, nil
}

// facts draws the triples: some entities have many, some none, some have links to themselves.
func (w world) facts() []graph.Triple {
	rng := rand.New(rand.NewPCG(w.Seed, 1))
	var out []graph.Triple
	pick := func() graph.EntityID {
		x := rng.Float64()
		return graph.EntityID(x * x * float64(w.Entities))
	}
	for r := range w.Relations {
		for range w.Facts {
			h, t := pick(), pick()
			if rng.IntN(8) == 0 {
				t = h
			}
			out = append(out, graph.Triple{Head: h, Relation: int32(r), Tail: t})
		}
	}
	return out
}

// embeddings draws both tables. One coordinate implements the shift: it is 1 in every entity, and the shift in
// every relation.
func (w world) embeddings() (entities, relations []float32) {
	rng := rand.New(rand.NewPCG(w.Seed, 2))
	d := w.Rank
	// A score is a sum of 4d products of three numbers. The size is rounded, so that machines with different
	// rounding draw the same.
	size := float64(float32(math.Cbrt(w.Scale / (2 * math.Sqrt(float64(d))))))
	draw := func(rows int) []float32 {
		x := make([]float32, rows*2*d)
		for i := range x {
			x[i] = float32(size * rng.NormFloat64())
		}
		return x
	}
	entities, relations = draw(w.Entities), draw(2*w.Relations)
	if rng.IntN(4) == 0 {
		e := rng.IntN(w.Entities)
		clear(entities[e*2*d : (e+1)*2*d])
	}
	if w.Shift != 0 {
		for e := range w.Entities {
			entities[e*2*d], entities[e*2*d+d] = 1, 0
		}
		for r := range 2 * w.Relations {
			relations[r*2*d], relations[r*2*d+d] = float32(w.Shift), 0
		}
	}
	return entities, relations
}

// fingerprint is a checksum of the drawn numbers.
func (w world) fingerprint() uint64 {
	h := fnv.New64a()
	write := func(x uint32) { h.Write([]byte{byte(x), byte(x >> 8), byte(x >> 16), byte(x >> 24)}) }
	for _, t := range w.facts() {
		write(uint32(t.Head))
		write(uint32(t.Relation))
		write(uint32(t.Tail))
	}
	entities, relations := w.embeddings()
	for _, table := range [][]float32{entities, relations} {
		for _, x := range table {
			write(math.Float32bits(x))
		}
	}
	return h.Sum64()
}
