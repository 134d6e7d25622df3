package graph

// A traversal of a relation sends numbers between shards in one of two ways: the shard of a tail pulls the numbers of
// the heads, or the shard of a head pushes sums for the tails.

// PullBytes returns the bytes that the shards of a model exchange in a traversal if each pulls the numbers of the
// heads of r: 4 bytes for each head and each shard, other than its own, with a tail of it. PullBytes of the inverse
// is the number of bytes if the sums for the tails of r are pushed.
func (g *Graph) PullBytes(r RelationID, of int) int64 {
	n := g.NumEntities()
	sent := int64(0)
	own := 0
	last := -1
	head := int32(-1) // the shards of a head, and of the tail before
	heads, tails := g.Edges(r)
	for i, h := range heads {
		if h != head {
			own = shardFrom(n, of, own, h)
			last = -1
			head = h
		}
		// Tails ascend, so that the tails of a shard stand together.
		if at := shardFrom(n, of, max(last, 0), tails[i]); at != last {
			last = at
			if at != own {
				sent++
			}
		}
	}
	return 4 * sent
}

// ShardRows returns the range of the n entities in shard i of the given number.
func ShardRows(n, of, i int) (first, rows int) {
	at := func(i int) int { return int(int64(n) * int64(i) / int64(of)) }
	return at(i), at(i+1) - at(i)
}

// shardFrom returns the shard of an entity, searching from shard i.
func shardFrom(n, of, i int, e int32) int {
	for first, rows := ShardRows(n, of, i); int(e) >= first+rows; first, rows = ShardRows(n, of, i) {
		i++
	}
	return i
}

// Pushed returns, ascending, the relations along which the given number of shards push numbers because that sends
// less.
func (g *Graph) Pushed(of int) (list []RelationID) {
	for r := range RelationID(g.NumRelations()) {
		if g.PullBytes(r.Inverse(), of) < g.PullBytes(r, of) {
			list = append(list, r)
		}
	}
	return list
}
