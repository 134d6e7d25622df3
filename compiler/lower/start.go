package lower

import (
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/scq"
)

// starts returns, for each variable of a disjunct, the atoms that determine its initial state: the positive
// atoms of an unanchored variable, which no chain of atoms of either sign links to an entity. Other variables,
// and those with only negated atoms, start uninitialised.
func starts(g *scq.Disjunct) [][]int {
	anchored := make([]bool, len(g.Variables))
	for changed := true; changed; {
		changed = false
		is := func(t scq.Term) bool { return t.Constant || anchored[t.Index] }
		for _, a := range g.Atoms {
			if a.Unequal() {
				continue
			}
			for _, ends := range [2][2]scq.Term{{a.Head, a.Tail}, {a.Tail, a.Head}} {
				if is(ends[0]) && !is(ends[1]) {
					anchored[ends[1].Index] = true
					changed = true
				}
			}
		}
	}
	atoms := make([][]int, len(g.Variables))
	for i, a := range g.Atoms {
		for v := range g.Variables {
			if !a.Negated && !anchored[v] && (a.Head == scq.Var(v) || a.Tail == scq.Var(v)) {
				atoms[v] = append(atoms[v], i)
			}
		}
	}
	return atoms
}

// start emits the state of an unanchored variable before the first layer: the unary constraint of its atoms, s
// = N(∏ [e occurs at that end of a fact of r]). Its embedding is Σ_e s[e]·E_e as always.
func (b *builder) start(index int, g *scq.Disjunct, v int, atoms []int) state {
	var ends []*ir.Value
	for _, i := range atoms {
		a := g.Atoms[i]
		end := ir.Value{Op: ir.Ends, Rel: a.Relation, Backward: a.Head != scq.Var(v)}
		if a.Head == a.Tail {
			end.Op = ir.Loops
		}
		end.Origin = ir.Origin{Role: ir.Start, Disjunct: index, To: ir.Term{Index: v}, Edges: []ir.Edge{{Index: i}}}
		ends = append(ends, b.add(end))
	}
	return b.update(ends, ir.Origin{Disjunct: index, To: ir.Term{Index: v}})
}
