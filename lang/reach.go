package lang

import "fmt"

// reach checks that the variables of an SCQ are anchored: connected to an entity
// through literals of either sign. It records an error for a missing free variable
// and for unanchored variables, and a warning for variables that are not connected
// to the free one. It reports whether the SCQ is sound; which names the disjunct in
// messages.
func (n *normalizer) reach(r *reporter, warn func(pos Pos, hint, format string, args ...any), scq SCQ, which string) bool {
	free := n.q.Free
	sound, hasFree := true, false
	for _, part := range components(scq) {
		if part.has(free) {
			hasFree = true
		}
		first := part.vars[0].Pos
		switch {
		case !part.anchored:
			sound = false
			are, it := "is", "it"
			if len(part.vars) > 1 {
				are, it = "are", "one of them"
			}
			r.add(first, fmt.Sprintf("tie %s to an entity in quotes or to an entity parameter", it),
				"%s %s not anchored to an entity%s", names(part.vars), are, which)
		case !part.has(free):
			warn(first, "", "%s cannot influence the answers: no atom links it to %s%s", names(part.vars), free, which)
		}
	}
	if !hasFree {
		sound = false
		r.add(scq.Literals[0].Pos, "each disjunct must say something about "+free,
			"the free variable %s does not occur%s", free, which)
	}
	return sound
}

// component is a set of variables that literals connect.
type component struct {
	// vars are the variables, each at its first place, in order of appearance.
	vars []Term
	// anchored says that a literal connects one of them to an entity.
	anchored bool
}

// has reports whether a variable is in the component.
func (c *component) has(name string) bool {
	for _, v := range c.vars {
		if v.Name == name {
			return true
		}
	}
	return false
}

// components returns the connected components of an SCQ's variables, in order
// of appearance. Entities connect nothing: each atom has its own.
func components(scq SCQ) []*component {
	var parts []*component
	for _, l := range scq.Literals {
		// Collect the components that the literal touches into the first.
		var home *component
		keep := parts[:0]
		for _, p := range parts {
			touched := l.Head.Kind == Variable && p.has(l.Head.Name) || l.Tail.Kind == Variable && p.has(l.Tail.Name)
			switch {
			case !touched:
				keep = append(keep, p)
			case home == nil:
				home = p
				keep = append(keep, p)
			default:
				home.vars = append(home.vars, p.vars...)
				home.anchored = home.anchored || p.anchored
			}
		}
		if parts = keep; home == nil {
			home = &component{}
			parts = append(parts, home)
		}
		for _, t := range []Term{l.Head, l.Tail} {
			switch {
			case t.Kind != Variable:
				home.anchored = true
			case !home.has(t.Name):
				home.vars = append(home.vars, t)
			}
		}
	}
	return parts
}
