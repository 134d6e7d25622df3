package search

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
)

// prefix holds values of the first variables, or of all.
type prefix struct {
	values      []graph.EntityID
	probability float64   // the product of the values' probabilities
	own         []float64 // by disjunct, the degree of the atoms between the values
	alive       uint64    // the disjuncts that no inequality of the values excludes
	score       float32   // of the row, or the sort key of a shorter prefix
	bound       float32   // of the scores of its rows
}

// key identifies the values.
func (p *prefix) key() string { return fmt.Sprint(p.values) }

// loses reports whether no row with the prefix can beat the last of the best rows.
func (p *prefix) loses(last *prefix) bool {
	return p.bound < last.score || p.bound == last.score && slices.Compare(p.values, last.values[:len(p.values)]) > 0
}

// compare orders prefixes by score, ties by ids.
func (p *prefix) compare(o *prefix) int {
	return cmp.Or(cmp.Compare(o.score, p.score), slices.Compare(p.values, o.values))
}

// shortlist keeps the best prefixes, keep of them.
type shortlist struct {
	list []*prefix // the first keep of them sorted, once that many are there
	keep int
	lost *prefix // the dropped one with the largest bound, the first of several
}

// full returns the last of the best prefixes, nil while there are too few.
func (l *shortlist) full() *prefix {
	if len(l.list) < l.keep {
		return nil
	}
	return l.list[l.keep-1]
}

// add adds the prefix p with the values before, then e.
func (l *shortlist) add(p prefix, before []graph.EntityID, e graph.EntityID) {
	dropped := l.full() != nil && p.score < l.full().score
	if dropped && l.lost != nil && p.bound <= l.lost.bound {
		return
	}
	p.values, p.own = append(slices.Clip(before), e), slices.Clone(p.own)
	if dropped {
		l.lost = &p
		return
	}
	l.list = append(l.list, &p)
	if len(l.list) == l.keep || len(l.list) >= 2*l.keep+256 {
		l.cut()
	}
}

// cut sorts the list and drops all but the best.
func (l *shortlist) cut() {
	slices.SortFunc(l.list, (*prefix).compare)
	if len(l.list) <= l.keep {
		return
	}
	for _, p := range l.list[l.keep:] {
		if l.lost == nil || p.bound > l.lost.bound || p.bound == l.lost.bound && slices.Compare(p.values, l.lost.values) < 0 {
			l.lost = p
		}
	}
	clear(l.list[l.keep:])
	l.list = l.list[:l.keep]
}
