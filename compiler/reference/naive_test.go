package reference_test

import (
	"math"
	"slices"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/plantest"
)

// naive computes NSMP directly from the equations over a normal form: no plan, no slots, dense matrices,
// float64 throughout. It shares no code with the compiler.
type naive struct {
	settings   model.Settings
	n, rank    int
	entities   [][]complex128
	relations  [][]complex128
	adjacency  [][][]float64 // of each directed relation, [head][tail]
	args       plantest.Arguments
	lastStates map[string][][]float64
}

// knowledge is the state of a term: a fuzzy vector and a complex embedding.
type knowledge struct {
	fuzzy   []float64
	vector  []complex128
	updated bool
}

func newNaive(m *model.Model, s model.Settings, args plantest.Arguments) *naive {
	nv := &naive{settings: s, n: m.NumEntities(), rank: m.Predictor.Rank, args: args}
	complexRow := func(row []float32) []complex128 {
		z := make([]complex128, nv.rank)
		for k := range z {
			z[k] = complex(float64(row[k]), float64(row[nv.rank+k]))
		}
		return z
	}
	for e := range nv.n {
		nv.entities = append(nv.entities, complexRow(m.Predictor.EntityTable.Row(graph.EntityID(e), nil)))
	}
	for r := range m.NumRelations() {
		nv.relations = append(nv.relations, complexRow(m.Predictor.Relation(graph.RelationID(r))))
		matrix := make([][]float64, nv.n)
		for h := range matrix {
			matrix[h] = make([]float64, nv.n)
			for t := range matrix[h] {
				if m.Graph.Has(graph.EntityID(h), graph.RelationID(r), graph.EntityID(t)) {
					matrix[h][t] = 1
				}
			}
		}
		nv.adjacency = append(nv.adjacency, matrix)
	}
	return nv
}

// answer returns the probability of every entity.
func (nv *naive) answer(d *ast.DNF) []float64 {
	if len(d.Disjuncts) == 1 {
		return nv.disjunct(d.Disjuncts[0], d.Free)
	}
	union := make([]float64, nv.n)
	for _, s := range d.Disjuncts {
		p := nv.disjunct(s, d.Free)
		best := 0.0
		for _, x := range p {
			best = math.Max(best, x)
		}
		for e, x := range p {
			if best > 0 {
				union[e] = math.Max(union[e], x/best)
			}
		}
	}
	return over(union, sum(union))
}

// disjunct runs L layers on one disjunct and computes the readout.
func (nv *naive) disjunct(s ast.Disjunct, free string) []float64 {
	states := map[string]knowledge{free: nv.nothing()}
	for _, l := range s.Literals {
		for _, t := range l.Terms() {
			if t.Kind == ast.Variable {
				states[t.Name] = nv.nothing()
			}
		}
	}
	for v := range states {
		if ends := nv.ends(s, v); len(ends) > 0 && !anchored(s, v) {
			states[v] = nv.update(ends)
		}
	}
	layers := nv.settings.Layers
	if layers == 0 {
		layers = len(states) + 1
	}
	nv.lastStates = map[string][][]float64{}
	for range layers {
		states = nv.layer(s, states)
		for v, st := range states {
			nv.lastStates[v] = append(nv.lastStates[v], st.fuzzy)
		}
	}
	y := states[free]
	cosines := make([]float64, nv.n)
	for e := range cosines {
		if size := length(y.vector) * length(nv.entities[e]); size > 0 {
			cosines[e] = inner(y.vector, nv.entities[e]) / size
		}
	}
	p := make([]float64, nv.n)
	for e, near := range softmax(cosines) {
		p[e] = nv.settings.Lambda*y.fuzzy[e] + (1-nv.settings.Lambda)*near
	}
	excluded := false
	for _, l := range s.Literals {
		switch {
		case l.Head.Name != free:
		case l.Kind == ast.FilterAtom:
			excluded = true
			for e, factor := range plantest.Factors(nv.args.Model, l.Condition) {
				p[e] *= factor
			}
		case l.Kind == ast.SameAtom && l.Tail.Kind != ast.Variable:
			excluded = true
			for e, x := range nv.know(l.Tail, nil).fuzzy {
				p[e] *= 1 - x
			}
		}
	}
	if excluded {
		return over(p, sum(p))
	}
	return p
}

// ends returns, for each positive literal of a variable, the entities that occur at that end of its relation's
// facts.
func (nv *naive) ends(s ast.Disjunct, v string) [][]float64 {
	var all [][]float64
	for _, l := range s.Literals {
		if l.Kind != ast.LinkAtom {
			continue
		}
		r := nv.args.Relation(l.Relation)
		for end, t := range []ast.Term{l.Head, l.Tail} {
			if l.Negated || t.Kind != ast.Variable || t.Name != v || l.Head == l.Tail && end == 1 {
				continue
			}
			may := make([]float64, nv.n)
			for h, row := range nv.adjacency[r] {
				for u, holds := range row {
					switch {
					case holds == 0 || l.Head == l.Tail && h != u:
					case end == 0:
						may[h] = 1
					default:
						may[u] = 1
					}
				}
			}
			all = append(all, may)
		}
	}
	return all
}

// anchored reports whether a chain of literals links a variable to an entity.
func anchored(s ast.Disjunct, v string) bool {
	reached := []string{v}
	for i := 0; i < len(reached); i++ {
		for _, l := range s.Literals {
			for _, ends := range [][2]ast.Term{{l.Head, l.Tail}, {l.Tail, l.Head}} {
				switch {
				case l.Kind != ast.LinkAtom:
				case ends[0].Kind != ast.Variable || ends[0].Name != reached[i]:
				case ends[1].Kind != ast.Variable:
					return true
				case !slices.Contains(reached, ends[1].Name):
					reached = append(reached, ends[1].Name)
				}
			}
		}
	}
	return false
}

// layer returns the states after one more layer.
func (nv *naive) layer(s ast.Disjunct, before map[string]knowledge) map[string]knowledge {
	received := map[string][][]float64{}
	for _, l := range s.Literals {
		if l.Kind != ast.LinkAtom {
			continue
		}
		r := nv.args.Relation(l.Relation)
		if l.Head == l.Tail {
			if from := before[l.Head.Name]; from.updated {
				received[l.Head.Name] = append(received[l.Head.Name], nv.loop(r, l.Negated))
			}
			continue
		}
		if from := nv.know(l.Head, before); l.Tail.Kind == ast.Variable && from.updated {
			received[l.Tail.Name] = append(received[l.Tail.Name], nv.send(from, r, false, l.Negated))
		}
		if from := nv.know(l.Tail, before); l.Head.Kind == ast.Variable && from.updated {
			received[l.Head.Name] = append(received[l.Head.Name], nv.send(from, r, true, l.Negated))
		}
	}
	// An inequality or a filter excludes entities only for a variable that also receives other messages.
	for _, l := range s.Literals {
		if l.Kind == ast.FilterAtom && received[l.Head.Name] != nil {
			received[l.Head.Name] = append(received[l.Head.Name], plantest.Factors(nv.args.Model, l.Condition))
		}
		if l.Kind != ast.SameAtom {
			continue
		}
		for _, side := range [][2]ast.Term{{l.Head, l.Tail}, {l.Tail, l.Head}} {
			from := nv.know(side[0], before)
			if to := side[1]; to.Kind != ast.Variable || !from.updated || received[to.Name] == nil {
				continue
			}
			not := make([]float64, nv.n)
			for e, x := range from.fuzzy {
				not[e] = 1 - x
			}
			received[side[1].Name] = append(received[side[1].Name], not)
		}
	}
	after := map[string]knowledge{}
	for v, st := range before {
		if messages := received[v]; len(messages) > 0 {
			st = nv.update(messages)
		}
		after[v] = st
	}
	return after
}

func (nv *naive) nothing() knowledge {
	return knowledge{fuzzy: make([]float64, nv.n), vector: make([]complex128, nv.rank)}
}

// know returns the state of a term.
func (nv *naive) know(t ast.Term, states map[string]knowledge) knowledge {
	if t.Kind == ast.Variable {
		return states[t.Name]
	}
	e := nv.args.Entity(t)
	k := knowledge{fuzzy: make([]float64, nv.n), vector: nv.entities[e], updated: true}
	k.fuzzy[e] = 1
	return k
}

// send computes a message along an edge of relation r.
func (nv *naive) send(from knowledge, r graph.RelationID, towardsHead, negated bool) []float64 {
	target := make([]complex128, nv.rank)
	for k, z := range nv.relations[r] {
		if towardsHead {
			z = complex(real(z), -imag(z))
		}
		target[k] = z * from.vector[k]
	}
	scores, symbolic := make([]float64, nv.n), make([]float64, nv.n)
	for e := range nv.n {
		scores[e] = inner(target, nv.entities[e])
		for other, x := range from.fuzzy {
			if towardsHead {
				symbolic[e] += nv.adjacency[r][e][other] * x
			} else {
				symbolic[e] += nv.adjacency[r][other][e] * x
			}
		}
	}
	return nv.message(scores, symbolic, negated)
}

// loop computes the message of an atom r(x,x): its neural part scores each
// entity with itself, its symbolic part is the diagonal of the adjacency.
func (nv *naive) loop(r graph.RelationID, negated bool) []float64 {
	scores, symbolic := make([]float64, nv.n), make([]float64, nv.n)
	for e := range nv.n {
		image := make([]complex128, nv.rank)
		for k := range image {
			image[k] = nv.relations[r][k] * nv.entities[e][k]
		}
		scores[e] = inner(image, nv.entities[e])
		symbolic[e] = nv.adjacency[r][e][e]
	}
	return nv.message(scores, symbolic, negated)
}

// message computes N(2(1−w)·f(ρ) + 2w·μ).
func (nv *naive) message(scores, symbolic []float64, negated bool) []float64 {
	if negated {
		share := nv.settings.Alpha / float64(nv.n)
		for e := range nv.n {
			scores[e] = -scores[e]
			symbolic[e] = share - symbolic[e]
		}
	}
	f, mu := softmax(scores), nv.cut(symbolic)
	w := nv.settings.Weight
	for e := range f {
		f[e] = 2*(1-w)*f[e] + 2*w*mu[e]
	}
	return nv.cut(f)
}

// update multiplies the messages of a variable and embeds the result.
func (nv *naive) update(messages [][]float64) knowledge {
	product := make([]float64, nv.n)
	for e := range product {
		product[e] = 1
		for _, m := range messages {
			product[e] *= m[e]
		}
	}
	k := nv.nothing()
	k.updated = true
	k.fuzzy = nv.cut(product)
	for e, p := range k.fuzzy {
		for i, z := range nv.entities[e] {
			k.vector[i] += complex(p, 0) * z
		}
	}
	return k
}

// cut computes N(p).
func (nv *naive) cut(p []float64) []float64 {
	epsilon := nv.settings.Epsilon
	kept := make([]float64, len(p))
	for e, x := range p {
		if x >= epsilon {
			kept[e] = x
		}
	}
	return over(kept, math.Max(epsilon, sum(kept)))
}

func softmax(x []float64) []float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = math.Max(top, v)
	}
	p := make([]float64, len(x))
	for i, v := range x {
		p[i] = math.Exp(v - top)
	}
	return over(p, sum(p))
}

func over(x []float64, by float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		if by > 0 {
			y[i] = v / by
		}
	}
	return y
}

func sum(x []float64) float64 {
	total := 0.0
	for _, v := range x {
		total += v
	}
	return total
}

// inner is the real inner product of two complex vectors, regarded as real ones of twice the length.
func inner(x, y []complex128) float64 {
	total := 0.0
	for k := range x {
		total += real(x[k])*real(y[k]) + imag(x[k])*imag(y[k])
	}
	return total
}

func length(x []complex128) float64 { return math.Sqrt(inner(x, x)) }
