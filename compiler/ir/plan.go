package ir

import "slices"

// Plan is the code that evaluates a query shape.
type Plan struct {
	// Shape is the canonical text of the query shape.
	Shape string
	// Constants, Relations and Filters are the numbers of slots.
	Constants, Relations, Filters int
	// Layers holds the number of layers L of each disjunct, 0 for disjuncts without message passing.
	Layers []int
	// Values in execution order: operands precede their users.
	Values []*Value
	// Answer is the fuzzy vector of the free variable.
	Answer *Value
	// Sets are the fuzzy sets of variables that are reported with the answer.
	Sets []Set
}

// Value is one operation of a plan and its result.
type Value struct {
	Op   Op
	Args []*Value
	// Const is a constant slot, Rel a relation slot, Filter a filter slot, for the ops that have one.
	Const, Rel, Filter int
	// Index is the atom or the variable that the op belongs to.
	Index int
	// Backward says that the op works from tail to head.
	Backward bool
	// Negated says that the op belongs to a negated atom and flips a sign.
	Negated bool
	// Sweep numbers the sweep of the entity table that computes the value, from 1; 0 means a separate sweep. Only
	// ops that need a sweep have one.
	Sweep int
	// Exchange numbers the exchange between machines that completes the value, from 1, in a plan for several
	// machines: see pass.Distribute. It follows the last value that it completes.
	Exchange int
	// Note describes the value in the query, using the names of the shape.
	Note string
	// Origin is the same as structured data.
	Origin Origin
}

// Space returns the value's type.
func (v *Value) Space() Space { return v.Op.Info().Result }

// Set is the fuzzy set of a variable: the last state of the variable that contributes to the answer.
type Set struct {
	// Disjunct counts from 0.
	Disjunct int
	// Variable is the variable's name in the shape: e1, e2, …
	Variable string
	Value    *Value
}

// Results returns the values that are read after the run: the answer and the sets.
func (p *Plan) Results() []*Value {
	results := []*Value{p.Answer}
	for _, s := range p.Sets {
		results = append(results, s.Value)
	}
	return results
}

// Links returns the observed links of a score's message, if the sweep that computes the score can read them:
// the second operand of blend in N(blend(softmax(score), links)), before normalisation if a plan for several
// machines cannot wait for that. It returns nil for other values.
func (p *Plan) Links(score *Value) *Value {
	if score.Op != Score || score.Sweep == 0 {
		return nil
	}
	first := slices.IndexFunc(p.Values, func(v *Value) bool { return v.Sweep == score.Sweep })
	ready := func(v *Value) bool { return slices.Contains(p.Values[:first], v) }
	for _, v := range p.Values {
		if v.Op != Blend || v.Args[0].Op != Softmax || v.Args[0].Args[0] != score {
			continue
		}
		switch links := v.Args[1]; {
		case ready(links):
			return links
		case links.Exchange > 0 && ready(links.Args[0]):
			return links.Args[0]
		}
	}
	return nil
}

// Levels returns the level of each value: the maximum over its operands of the operand's level plus
// wait(operand, v). The values of a sweep have the same level and do not wait for one another.
func (p *Plan) Levels(wait func(operand, v *Value) int) map[*Value]int {
	levels := make(map[*Value]int, len(p.Values))
	for _, group := range p.Groups() {
		level := 0
		for _, v := range group {
			for _, a := range v.Args {
				if v.Sweep == 0 || a.Sweep != v.Sweep {
					level = max(level, levels[a]+wait(a, v))
				}
			}
		}
		for _, v := range group {
			levels[v] = level
		}
	}
	return levels
}

// Groups returns the groups of values that share a sweep; each other value is its own group.
func (p *Plan) Groups() [][]*Value {
	var groups [][]*Value
	for i, v := range p.Values {
		if i > 0 && v.Sweep > 0 && v.Sweep == p.Values[i-1].Sweep {
			groups[len(groups)-1] = append(groups[len(groups)-1], v)
			continue
		}
		groups = append(groups, []*Value{v})
	}
	return groups
}

// Live returns the values on which the results depend.
func (p *Plan) Live() map[*Value]bool {
	live := map[*Value]bool{}
	for _, v := range p.Results() {
		live[v] = true
	}
	for _, v := range slices.Backward(p.Values) {
		if live[v] {
			for _, a := range v.Args {
				live[a] = true
			}
		}
	}
	return live
}

// LastUses returns the index of the last value that reads each value; results are read after the last value.
func (p *Plan) LastUses() map[*Value]int {
	last := make(map[*Value]int, len(p.Values))
	for i, v := range p.Values {
		for _, a := range v.Args {
			last[a] = i
		}
	}
	for _, v := range p.Results() {
		last[v] = len(p.Values)
	}
	return last
}

// Sweeps returns the plan's cost in sweeps of the entity table, counting shared sweeps once.
func (p *Plan) Sweeps() int {
	total := 0
	sweeps := map[int]bool{}
	for _, v := range p.Values {
		if v.Sweep == 0 {
			total += v.Op.Info().Sweeps
		} else if !sweeps[v.Sweep] {
			sweeps[v.Sweep] = true
			total++
		}
	}
	return total
}

// Tiled reports whether the plan is for small tables, as pass.Fuse makes it: each sweep is a loop over tiles of the table,
// except for rows of truth degrees.
func (p *Plan) Tiled() bool {
	return slices.ContainsFunc(p.Values, func(v *Value) bool { return v.Op.Info().Tiles })
}

// Messages returns the message-passing part of a mixture, otherwise the answer.
func (p *Plan) Messages() *Value {
	if p.Answer != nil && p.Answer.Op == Mixture {
		return p.Answer.Args[0]
	}
	return p.Answer
}

// WholeSweeps returns the cost if the whole answer is needed, not only the best entities.
func (p *Plan) WholeSweeps() int {
	total := p.Sweeps()
	for _, v := range p.Values {
		total += v.Op.Info().WholeSweeps
	}
	return total
}

// Count returns the number of occurrences of each op, indexed by Op.
func (p *Plan) Count() []int {
	n := make([]int, numOps)
	for _, v := range p.Values {
		n[v.Op]++
	}
	return n
}

// Uses counts the uses of each value by other values and by the results.
func (p *Plan) Uses() map[*Value]int {
	uses := map[*Value]int{}
	for _, v := range p.Values {
		for _, a := range v.Args {
			uses[a]++
		}
	}
	for _, v := range p.Results() {
		uses[v]++
	}
	return uses
}

// Clone returns a deep copy of the plan.
func (p *Plan) Clone() *Plan {
	q := *p
	q.Layers, q.Sets = slices.Clone(p.Layers), slices.Clone(p.Sets)
	q.Values = make([]*Value, len(p.Values))
	copied := make(map[*Value]*Value, len(p.Values))
	for i, v := range p.Values {
		w := *v
		w.Args = slices.Clone(v.Args)
		copied[v] = &w
		q.Values[i] = &w
	}
	q.Replace(copied)
	return &q
}

// Replace replaces every use of a value v in the plan by with[v], if present. Entries must not chain.
func (p *Plan) Replace(with map[*Value]*Value) {
	p.each(func(v **Value) {
		if w, ok := with[*v]; ok {
			*v = w
		}
	})
}

// each calls f for every use of a value, in values and results.
func (p *Plan) each(f func(v **Value)) {
	for _, v := range p.Values {
		for i := range v.Args {
			f(&v.Args[i])
		}
	}
	f(&p.Answer)
	for i := range p.Sets {
		f(&p.Sets[i].Value)
	}
}
