package server

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The part of SPARQL that queries with values are compared by, evaluated as its algebra states: each pattern has the list
// of its solutions. Nothing of it is shared with the endpoint.

// solution gives variables their terms, in N-Triples.
type solution map[string]string

// compatible reports whether two solutions agree on the variables that both have.
func (s solution) compatible(o solution) (agree, share bool) {
	for v, x := range s {
		y, ok := o[v]
		if ok && x != y {
			return false, true
		}
		share = share || ok
	}
	return true, share
}

// patternPart is a part of a group. Terms that begin with ? are variables.
type patternPart interface {
	text() string
	// eval returns the solutions of a group so far after this part.
	eval(facts [][3]string, so []solution) []solution
}

type triplePart [3]string

func (t triplePart) text() string { return strings.Join(t[:], " ") + " ." }

func (t triplePart) eval(facts [][3]string, so []solution) (out []solution) {
	for _, s := range so {
		for _, fact := range facts {
			next := maps.Clone(s)
			fits := true
			for i, term := range t {
				known, bound := next[term]
				switch {
				case term[0] != '?':
					fits = fits && equalTerms(term, fact[i])
				case bound:
					fits = fits && known == fact[i]
				default:
					next[term] = fact[i]
				}
			}
			if fits {
				out = append(out, next)
			}
		}
	}
	return out
}

// comparePart is a FILTER: comparisons that && joins.
type comparePart []comparison

type comparison struct {
	variable, op, literal string
	reversed              bool // the literal stands first
}

func (c comparePart) text() string {
	var list []string
	for _, x := range c {
		left, op, right := x.variable, x.op, x.literal
		if x.reversed {
			left = x.literal
			right = x.variable
			op = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<="}[op]
			if op == "" {
				op = x.op
			}
		}
		list = append(list, left+" "+op+" "+right)
	}
	return "FILTER(" + strings.Join(list, " && ") + ")"
}

func (c comparePart) eval(_ [][3]string, so []solution) (out []solution) {
	for _, s := range so {
		holds := true
		for _, x := range c {
			value, bound := s[x.variable]
			sign, comparable := order(value, x.literal)
			holds = holds && bound && comparable && map[string]bool{"<": sign < 0, "<=": sign <= 0, ">": sign > 0, ">=": sign >= 0, "=": sign == 0, "!=": sign != 0}[x.op]
		}
		if holds {
			out = append(out, s)
		}
	}
	return out
}

// order compares two literals, and reports whether SPARQL does: numbers with numbers, dates with dates.
func order(a, b string) (sign int, comparable bool) {
	x, typeOfX, okX := strings.Cut(strings.TrimPrefix(a, `"`), `"^^`)
	y, typeOfY, okY := strings.Cut(strings.TrimPrefix(b, `"`), `"^^`)
	date := strings.HasSuffix(typeOfX, "#date>")
	if !okX || !okY || date != strings.HasSuffix(typeOfY, "#date>") {
		return 0, false
	}
	if date {
		return strings.Compare(x, y), true
	}
	v, _ := strconv.ParseFloat(x, 64)
	w, _ := strconv.ParseFloat(y, 64)
	switch {
	case v < w:
		return -1, true
	case v > w:
		return 1, true
	}
	return 0, true
}

// equalTerms reports whether a term of a query is a term of the graph. Here, numbers are equal by value.
func equalTerms(a, b string) bool {
	sign, comparable := order(a, b)
	return a == b || comparable && sign == 0
}

// groupPart is a group, whose filters see all of it.
type groupPart []patternPart

func (g groupPart) text() string {
	var list []string
	for _, part := range g {
		list = append(list, part.text())
	}
	return "{ " + strings.Join(list, " ") + " }"
}

// solutions returns the solutions that go on from one.
func (g groupPart) solutions(facts [][3]string, from solution) []solution {
	so := []solution{from}
	var filters []patternPart
	for _, part := range g {
		switch part.(type) {
		case comparePart, existsPart:
			filters = append(filters, part)
		default:
			so = part.eval(facts, so)
		}
	}
	for _, f := range filters {
		so = f.eval(facts, so)
	}
	return so
}

func (g groupPart) eval(facts [][3]string, so []solution) []solution {
	return unionPart{g}.eval(facts, so)
}

type unionPart []groupPart

func (u unionPart) text() string {
	var list []string
	for _, g := range u {
		list = append(list, g.text())
	}
	return strings.Join(list, " UNION ")
}

func (u unionPart) eval(facts [][3]string, so []solution) (out []solution) {
	for _, g := range u {
		for _, inner := range g.solutions(facts, solution{}) {
			for _, s := range so {
				if agree, _ := s.compatible(inner); agree {
					joined := maps.Clone(s)
					maps.Copy(joined, inner)
					out = append(out, joined)
				}
			}
		}
	}
	return out
}

// existsPart is FILTER EXISTS, or FILTER NOT EXISTS.
type existsPart struct {
	not   bool
	group groupPart
}

func (e existsPart) text() string {
	if e.not {
		return "FILTER NOT EXISTS " + e.group.text()
	}
	return "FILTER EXISTS " + e.group.text()
}

func (e existsPart) eval(facts [][3]string, so []solution) (out []solution) {
	for _, s := range so {
		if (len(e.group.solutions(facts, s)) > 0) != e.not {
			out = append(out, s)
		}
	}
	return out
}

type minusPart struct{ group groupPart }

func (m minusPart) text() string { return "MINUS " + m.group.text() }

func (m minusPart) eval(facts [][3]string, so []solution) (out []solution) {
	without := m.group.solutions(facts, solution{})
	for _, s := range so {
		if !slices.ContainsFunc(without, func(o solution) bool {
			agree, share := s.compatible(o)
			return agree && share
		}) {
			out = append(out, s)
		}
	}
	return out
}
