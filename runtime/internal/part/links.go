package part

import (
	"math/bits"
	"slices"

	"github.com/efoc/efoc/runtime/model"
)

// Numbers go along the links of a relation, from heads to tails, in one of two ways. Either
// the part of a tail pulls the numbers of the heads that lead to it, or the part of a head
// pushes what its heads give to each tail, added up. With the links a→x, b→x, c→x and c→y of
// heads in one part and tails in another,
//
//	pull sends   a, b, c
//	push sends   a+b+c, c
//
// Which sends less depends on the links alone, and is chosen for each relation when the model
// is split: see model.Shard. Both sides know what is sent, as each has the links of the
// inverse too: what others want of the heads here are the tails of those.

// room is the memory of one exchange along links.
type room struct {
	values, out []float32
	from, to    [][]float32
	wanted      []uint64 // a bit for each row
	counts      []int
}

// take returns room for an exchange, give gives it back.
func (p *Part) take() *room {
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

func (p *Part) give(r *room) {
	p.root.mu.Lock()
	defer p.root.mu.Unlock()
	p.root.idle = append(p.root.idle, r)
}

// receive makes room for so many numbers, of some width, from each rank.
func (r *room) receive(counts []int, width int) {
	total := 0
	for _, c := range counts {
		total += c * width
	}
	r.values = slices.Grow(r.values[:0], total)[:total]
	rest := r.values
	for i, c := range counts {
		r.from[i], rest = rest[:c*width:c*width], rest[c*width:]
	}
}

// send sets what goes to each rank, the numbers in out up to each end in turn.
func (r *room) send(ends []int) {
	start := 0
	for i, end := range ends {
		r.to[i], start = r.out[start:end:end], end
	}
}

// EachLink calls use for each link of r whose tail is in this part, with the number of its head,
// which at returns for a row of the part that has it: numbers are pulled. Links come by their
// heads; after an error there are none.
func (p *Part) EachLink(r model.RelationID, at func(row int32) float32, use func(value float32, head, tail int32)) {
	room := p.take()
	defer p.give(room)
	if p.pull(room, r, at) {
		p.pulled(room, r, use)
	}
}

// Reach exchanges the numbers of the heads of r, or for each tail their sum, or the largest of
// them: pulled or pushed, as is chosen for r. at returns the number of a row of the part that
// has a head. What it returns is to be gone through once.
func (p *Part) Reach(r model.RelationID, largest bool, at func(row int32) float32) Reached {
	x := Reached{part: p, room: p.take(), relation: r, pushed: p.pushes[r]}
	if x.pushed {
		x.ok = p.push(x.room, r, largest, at)
	} else {
		x.ok = p.pull(x.room, r, at)
	}
	return x
}

// Reached is what the links of a relation brought to the tails in a part.
type Reached struct {
	part       *Part
	room       *room
	relation   model.RelationID
	pushed, ok bool
}

// Each calls use for the numbers of each tail in this part, which are to be added up, or
// compared, in turn. After an error there are none.
func (x Reached) Each(use func(value float32, tail int32)) {
	defer x.part.give(x.room)
	switch {
	case !x.ok:
	case x.pushed:
		x.part.pushed(x.room, x.relation, use)
	default:
		x.part.pulled(x.room, x.relation, func(value float32, _, tail int32) { use(value, tail) })
	}
}

// pull fetches the numbers of the heads of r that have a tail in this part, ascending.
func (p *Part) pull(room *room, r model.RelationID, at func(row int32) float32) bool {
	// What others want of this part are the tails of the inverse of r, by the heads of that.
	others, mine := p.graph.Edges(r.Inverse())
	room.out = room.out[:0]
	p.eachRank(others, func(rank, lo, hi int) {
		room.eachOf(mine[lo:hi], func(row int32) { room.out = append(room.out, at(row)) })
		room.counts[rank] = len(room.out)
	})
	room.send(room.counts)
	heads, _ := p.graph.Edges(r)
	p.eachRank(heads, func(rank, lo, hi int) {
		room.counts[rank] = 0
		for i := lo; i < hi; i++ {
			if i == lo || heads[i] != heads[i-1] {
				room.counts[rank]++
			}
		}
	})
	room.receive(room.counts, 1)
	return p.Swap(room.from, room.to)
}

// pulled goes through the links of r whose tail is in this part.
func (p *Part) pulled(room *room, r model.RelationID, use func(value float32, head, tail int32)) {
	heads, tails := p.graph.Edges(r)
	next := -1
	for i, h := range heads {
		if i == 0 || h != heads[i-1] {
			next++
		}
		use(room.values[next], h, tails[i])
	}
}

// push sends each tail of r the sum of its heads in this part, or the largest of them.
func (p *Part) push(room *room, r model.RelationID, largest bool, at func(row int32) float32) bool {
	// The links of the heads here are those of the inverse, by the tails of r.
	tails, mine := p.graph.Edges(r.Inverse())
	room.out = room.out[:0]
	p.eachRank(tails, func(rank, lo, hi int) {
		for i := lo; i < hi; i++ {
			value, last := at(mine[i]), len(room.out)-1
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
	p.eachPushed(room, r, func(rank int, _ int32) { room.counts[rank]++ })
	room.receive(room.counts, 1)
	return p.Swap(room.from, room.to)
}

// pushed goes through what was sent to the tails of r in this part.
func (p *Part) pushed(room *room, r model.RelationID, use func(value float32, tail int32)) {
	next := room.values
	p.eachPushed(room, r, func(_ int, row int32) {
		use(next[0], row)
		next = next[1:]
	})
}

// eachPushed calls do for each rank in turn, with the rows that its heads of r lead to, ascending.
func (p *Part) eachPushed(room *room, r model.RelationID, do func(rank int, row int32)) {
	heads, tails := p.graph.Edges(r)
	p.eachRank(heads, func(rank, lo, hi int) {
		room.eachOf(tails[lo:hi], func(row int32) { do(rank, row) })
	})
}

// eachOf calls do for the rows of a list, each once, ascending.
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

// eachRank calls do for each rank in turn, with the range of ids, which ascend, that are of its
// part.
func (p *Part) eachRank(ids []int32, do func(rank, lo, hi int)) {
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
