package exchange

import (
	"math/bits"
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
)

// Numbers travel along the links of a relation, from heads to tails, in one of two ways. Either the shard of a tail
// pulls the numbers of its heads, or the shard of a head pushes the sum of its heads' numbers for each tail. With the
// links a→x, b→x, c→x and c→y of heads in one shard and tails in another,
//
//	pull sends   a, b, c
//	push sends   a+b+c, c
//
// Which sends less depends only on the links, and is chosen for each relation when the model is split: see
// model.Shard. Both sides know which numbers are sent, because each also has the links of the inverse relation: the
// heads here that others need are the tails of those links.

// room is the memory of one exchange along links.
type room struct {
	values, out []float32
	from, to    [][]float32
	wanted      []uint64 // a bit for each row
	counts      []int
	came        bool // receive buffer
}

// take returns room for an exchange; give returns it.
func (p *Shard) take() *room {
	p.root.mu.Lock()
	defer p.root.mu.Unlock()
	if n := len(p.root.idle); n > 0 {
		r := p.root.idle[n-1]
		p.root.idle = p.root.idle[:n-1]
		return r
	}
	n := p.Size()
	return &room{from: make([][]float32, n), to: make([][]float32, n), wanted: make([]uint64, (p.Rows+63)/64), counts: make([]int, n)}
}

func (p *Shard) give(r *room) {
	p.root.mu.Lock()
	defer p.root.mu.Unlock()
	p.root.idle = append(p.root.idle, r)
}

// receive makes room for counts[i] rows of width numbers from each rank i.
func (r *room) receive(counts []int, width int) {
	total := 0
	for _, c := range counts {
		total += c * width
	}
	r.values = slices.Grow(r.values[:0], total)[:total]
	rest := r.values
	for i, c := range counts {
		r.from[i] = rest[: c*width : c*width]
		rest = rest[c*width:]
	}
}

// send sets the data for each rank: the numbers in out up to each end in turn.
func (r *room) send(ends []int) {
	start := 0
	for i, end := range ends {
		r.to[i] = r.out[start:end:end]
		start = end
	}
}

// EachHead pulls numbers and calls use for each head of links of r whose tail is in this shard, in order, with the
// head's number and those tails. at returns the number of a head by its row in its own shard. After an error there
// are none.
func (p *Shard) EachHead(g *graph.Graph, r graph.RelationID, at func(row int32) float32, use func(value float32, head int32, tails []int32)) {
	if p == nil {
		eachHead(g, r, func(_ int, head int32, tails []int32) { use(at(head), head, tails) })
		return
	}
	x := reached{part: p, graph: g, relation: r, room: p.take()}
	x.pull(at)
	p.Exchange()
	x.eachHead(use)
}

// EachTail calls use with each tail of r in this shard and the number of each of its heads; the caller takes the largest.
// Numbers are pushed or pulled, as chosen for r. at returns the number of a head by its row in this shard. After an error
// there are no calls.
func (p *Shard) EachTail(g *graph.Graph, r graph.RelationID, at func(row int32) float32, use func(value float32, tail int32)) {
	if p == nil {
		eachHead(g, r, func(_ int, head int32, tails []int32) { eachOf(at(head), tails, use) })
		return
	}
	x := p.reach(g, r, true, at)
	p.Exchange()
	x.eachTail(use)
}

// AddLinks sets dst, at the next exchange, to the sum of the numbers of the heads of each tail of r in this shard. at
// returns the number of a head by its row in this shard.
func (p *Shard) AddLinks(dst []float32, g *graph.Graph, r graph.RelationID, at func(row int32) float32) {
	x := p.reach(g, r, false, at)
	p.Then(func() {
		clear(dst)
		x.eachTail(func(value float32, tail int32) { dst[tail] += value })
	})
}

// reached holds the numbers that the links of a relation bring to the tails in a shard.
type reached struct {
	part     *Shard
	graph    *graph.Graph
	relation graph.RelationID
	room     *room
	pushed   bool
}

// reach schedules, for the next exchange, the heads' numbers or, for each tail, their sum or maximum, as chosen for
// r.
func (p *Shard) reach(g *graph.Graph, r graph.RelationID, largest bool, at func(row int32) float32) reached {
	x := reached{p, g, r, p.take(), p.pushes[r]}
	if x.pushed {
		x.push(largest, at)
	} else {
		x.pull(at)
	}
	return x
}

// eachTail visits the received numbers once; none after an error.
func (x reached) eachTail(use func(value float32, tail int32)) {
	if !x.pushed {
		x.eachHead(func(value float32, _ int32, tails []int32) { eachOf(value, tails, use) })
		return
	}
	defer x.part.give(x.room)
	if next := x.room.values; x.room.came {
		x.eachPushed(func(_ int, row int32) {
			use(next[0], row)
			next = next[1:]
		})
	}
}

// eachHead is eachTail for the heads of pulled numbers.
func (x reached) eachHead(use func(value float32, head int32, tails []int32)) {
	defer x.part.give(x.room)
	if x.room.came {
		eachHead(x.graph, x.relation, func(i int, head int32, tails []int32) { use(x.room.values[i], head, tails) })
	}
}

// eachHead calls use for the heads of r in order.
func eachHead(g *graph.Graph, r graph.RelationID, use func(i int, head int32, tails []int32)) {
	heads, tails := g.Edges(r)
	for i, lo := 0, 0; lo < len(heads); i++ {
		hi := lo + 1
		for hi < len(heads) && heads[hi] == heads[lo] {
			hi++
		}
		use(i, heads[lo], tails[lo:hi])
		lo = hi
	}
}

func eachOf(value float32, tails []int32, use func(value float32, tail int32)) {
	for _, t := range tails {
		use(value, t)
	}
}

// pull fetches the numbers of the heads that have a tail in this shard, ascending.
func (x reached) pull(at func(row int32) float32) {
	// The other shards need the tails of the inverse of r here, by its heads.
	p := x.part
	room := x.room
	others, mine := x.graph.Edges(x.relation.Inverse())
	room.out = room.out[:0]
	p.eachRank(others, func(rank, lo, hi int) {
		room.eachOf(mine[lo:hi], func(row int32) { room.out = append(room.out, at(row)) })
		room.counts[rank] = len(room.out)
	})
	room.send(room.counts)
	heads, _ := x.graph.Edges(x.relation)
	p.eachRank(heads, func(rank, lo, hi int) {
		room.counts[rank] = 0
		for i := lo; i < hi; i++ {
			if i == lo || heads[i] != heads[i-1] {
				room.counts[rank]++
			}
		}
	})
	p.swap(room)
}

// push sends each tail the sum or the maximum of its heads in this shard.
func (x reached) push(largest bool, at func(row int32) float32) {
	// The inverse relation has the links of the heads here, by the tails of r.
	p := x.part
	room := x.room
	tails, mine := x.graph.Edges(x.relation.Inverse())
	room.out = room.out[:0]
	p.eachRank(tails, func(rank, lo, hi int) {
		for i := lo; i < hi; i++ {
			value := at(mine[i])
			last := len(room.out) - 1
			switch {
			case i == lo || tails[i] != tails[i-1]:
				room.out = append(room.out, value)
			case largest:
				room.out[last] = max(room.out[last], value)
			default:
				room.out[last] += value
			}
		}
		room.counts[rank] = len(room.out)
	})
	room.send(room.counts)
	clear(room.counts)
	x.eachPushed(func(rank int, _ int32) { room.counts[rank]++ })
	p.swap(room)
}

// swap makes room for r.counts numbers from each rank, and schedules the exchange.
func (p *Shard) swap(r *room) {
	r.receive(r.counts, 1)
	r.came = false
	p.SwapLater(r.from, r.to)
	p.Then(func() { r.came = true })
}

// eachPushed calls do for each rank in turn, with the rows at the tails of its heads of r, ascending.
func (x reached) eachPushed(do func(rank int, row int32)) {
	heads, tails := x.graph.Edges(x.relation)
	x.part.eachRank(heads, func(rank, lo, hi int) {
		x.room.eachOf(tails[lo:hi], func(row int32) { do(rank, row) })
	})
}

// eachOf calls do for each distinct row of a list, ascending.
func (r *room) eachOf(rows []int32, do func(row int32)) {
	if len(rows) == 0 {
		return
	}
	clear(r.wanted)
	for _, row := range rows {
		r.wanted[row/64] |= 1 << (row % 64)
	}
	for k, word := range r.wanted {
		for ; word != 0; word &= word - 1 {
			do(int32(64*k + bits.TrailingZeros64(word)))
		}
	}
}

// eachRank calls do for each rank in turn, with the range of ids, which ascend, in its shard.
func (p *Shard) eachRank(ids []int32, do func(rank, lo, hi int)) {
	lo := 0
	for rank := range p.Size() {
		_, end := p.bounds(rank)
		hi := lo
		for hi < len(ids) && int(ids[hi]) < end {
			hi++
		}
		do(rank, lo, hi)
		lo = hi
	}
}
