package plan

import (
	"math"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model/graph"
)

// A linked entity takes as long as linkFloats numbers of the table, and at most mostLinkFloats of a row count, because
// a list of most entities is never faster than an operation on all of them.
const (
	linkFloats     = 384
	mostLinkFloats = linkFloats / 2
)

// tooMany reports whether a list of linked entities is no faster than an operation on all entities.
func (t *Tiles) tooMany(links int) bool { return links*linkFloats > t.n*min(t.width, mostLinkFloats) }

// linked lists the entities at the ends of observed links, unless there are many.
type linked struct {
	ids  []int32
	many bool
}

// sent is the message made from a column: factor·g + constant, plus more at the listed entities. There it is base without
// the links and whole with them; base + more would lose what a large constant rounds off. With many links it has no such
// form.
type sent struct {
	linked
	value            Vec // unsent before it is made
	x                Vector
	negated          bool
	factor, constant float64
	more             []float32
	base, whole      []float32
}

// unsent is not the number of any value.
const unsent = math.MinInt32

// list returns an empty list for a value with at most the given links, and its vector of zeros.
func (t *Tiles) list(v Vec, links int) (*linked, Vector) {
	for len(t.lists) <= int(v) {
		t.lists = append(t.lists, linked{})
	}
	l := &t.lists[v]
	l.ids = l.ids[:0]
	l.many = t.tooMany(links)
	t.many = t.many || l.many
	to := t.w.Vector(v)
	clear(to)
	return l, to
}

// Neighbors is Workspace.Neighbors.
func (t *Tiles) Neighbors(dst Vec, e graph.EntityID, r graph.RelationID, d graph.Direction) Vec {
	tails := t.w.model.Graph.Tails(e, r.Toward(d))
	l, to := t.list(dst, len(tails))
	for _, tail := range tails {
		l.add(to, tail, 1-to[tail])
	}
	return dst
}

// Traverse is Workspace.Traverse.
func (t *Tiles) Traverse(dst, x Vec, r graph.RelationID, d graph.Direction) Vec {
	heads, tails := t.w.model.Graph.Edges(r)
	if d == graph.Backward {
		heads, tails = tails, heads
	}
	l, to := t.list(dst, len(heads))
	from := t.w.Vector(x)
	if l.many {
		kernels.Traverse(to, from, heads, tails)
		return dst
	}
	for i, h := range heads {
		l.add(to, tails[i], from[h])
	}
	return dst
}

// Loops is Workspace.Loops.
func (t *Tiles) Loops(dst Vec, r graph.RelationID) Vec {
	heads, tails := t.w.model.Graph.Edges(r)
	l, to := t.list(dst, len(heads))
	for i, h := range heads {
		if tails[i] == h {
			l.add(to, h, 1-to[h])
		}
	}
	return dst
}

// add adds v to the entry of an entity.
func (l *linked) add(to Vector, e int32, v float32) {
	if v == 0 {
		return
	}
	if to[e] == 0 {
		l.ids = append(l.ids, e)
	}
	to[e] += v
}

// Message computes N(2(1−w)·softmax(scores) + 2w·N(links)) from scores of the last loop; if negated, α/n − links
// replaces links. It does not cut the smallest entries to 0: they add up to nothing that counts (Host.small), and they
// are below ε in all products with other messages, where State cuts them. dst may be scores.
func (t *Tiles) Message(dst, scores, links Vec, s graph.Sign) Vec {
	c := t.columnOf(scores)
	m := &c.message
	l := &t.lists[links]
	m.value = dst
	m.x = t.w.Vector(dst)
	m.negated = bool(s)
	m.many = l.many
	m.ids = append(m.ids[:0], l.ids...)

	// The observed part before normalisation.
	weight := t.w.settings.Weight
	epsilon := t.w.settings.Epsilon
	absent := t.absent(m)
	observed := t.observed
	counts := t.w.Vector(links)
	total := 0.0
	if m.many {
		from := counts
		if m.negated {
			kernels.Complement(observed, counts, t.w.settings.Alpha/float64(t.n))
			from = observed
		}
		total = kernels.SumCut(from, float32(epsilon))
		simd.ScaleAbove(observed, from, float32(epsilon), 1)
	} else {
		total = float64(absent)*float64(t.n) + m.listed(counts, absent, t.w.settings.Alpha/float64(t.n), epsilon)
	}

	// N divides by the sum of its operand, without entries below ε.
	each := 2 * weight / max(epsilon, total)
	by := 1 / max(epsilon, 2*(1-weight)+each*total)
	m.factor = 2 * (1 - weight) / c.total * by
	m.constant = float64(absent) * each * by
	simd.Scale(m.x, c.g, float32(m.factor))
	if m.many {
		simd.ScaleAdd(m.x, m.x, float32(each*by), observed)
		return dst
	}
	m.whole = m.whole[:0]
	for i, e := range m.ids {
		m.whole = append(m.whole, m.x[e]+(absent+m.more[i])*float32(each*by))
	}
	if absent > 0 {
		simd.AddConst(m.x, m.x, float32(m.constant))
	}
	m.base = m.base[:0]
	for i, e := range m.ids {
		m.more[i] *= float32(each * by)
		m.base = append(m.base, m.x[e])
		m.x[e] = m.whole[i]
	}
	return dst
}

// absent returns the observed part of a message at entities without links.
func (t *Tiles) absent(m *sent) float32 {
	if !m.negated {
		return 0
	}
	return cutAt(t.w.settings.Alpha/float64(t.n), t.w.settings.Epsilon)
}

// listed sets the surplus of the observed part at the listed entities over the others, and returns its sum.
func (m *sent) listed(counts Vector, absent float32, share, epsilon float64) (sum float64) {
	m.more = m.more[:0]
	for _, e := range m.ids {
		count := float64(counts[e])
		if m.negated {
			count = share - count
		}
		more := cutAt(count, epsilon) - absent
		m.more = append(m.more, more)
		sum += float64(more)
	}
	return sum
}

// cutAt returns x, 0 if it is below ε.
func cutAt(x, epsilon float64) float32 {
	if x >= epsilon {
		return float32(x)
	}
	return 0
}
