package scq

// Families are what Family returns, in the order in which it looks for them.
var Families = []string{"negation", "union", "cycle", "open", "link", "path", "intersection", "tree"}

// Family names the kind of a query in a few words, so that queries of shapes that nobody
// has seen are like others: negation (with a negated atom), union (of several disjuncts),
// cycle (cycles or parallel edges among the variables), open (with an end that no constant
// holds), link (a single atom), path (a chain from one constant), intersection (atoms
// with constants alone, on one variable) or tree.
func Family(disjuncts []Graph) string {
	for i := range disjuncts {
		for _, a := range disjuncts[i].Atoms {
			if a.Negated {
				return "negation"
			}
		}
	}
	if len(disjuncts) != 1 {
		return "union"
	}
	g := &disjuncts[0]
	anchors, between := 0, 0
	ends := make([]int, len(g.Variables)) // atoms at each variable
	for _, a := range g.Atoms {
		constants := 0
		for _, t := range []Term{a.Head, a.Tail} {
			if t.Constant {
				constants++
			} else {
				ends[t.Index]++
			}
		}
		anchors += constants
		if constants == 0 {
			between++
		}
	}
	open := anchors == 0
	for v, n := range ends {
		open = open || v > 0 && n == 1
	}
	switch {
	case between >= len(g.Variables):
		return "cycle" // more edges than a tree of the variables has
	case open:
		return "open"
	case len(g.Atoms) == 1:
		return "link"
	case anchors == 1:
		return "path"
	case len(g.Variables) == 1:
		return "intersection"
	}
	return "tree"
}
