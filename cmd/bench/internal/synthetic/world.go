package synthetic

import (
	"math"
	"slices"
)

// world is a graph made up, with embeddings that fit it. Everything about an entity or a
// relation follows from the seed and its id, so that nothing has to be kept.
//
// Entities belong to K clusters, entity e to cluster e mod K, and relation r leads from
// cluster c to cluster c + s_r mod K, so that a fact is predicted by what the other members
// of its clusters have. The embeddings say so: with frequencies f_k an entity
// of cluster c has exp(2πi·c·f_k/K), up to noise, and the relation exp(2πi·s_r·f_k/K), so that
// ComplEx scores Σ_k cos(2π(c_h + s_r − c_t)f_k/K), which is largest for the right cluster. Tails are
// drawn by a power law among the members of their cluster. Tails of relation 0 are drawn among a few hubs;
// the first hub gets two fifths of them.
type world struct {
	Entities, Relations, Rank int // without embeddings, Rank is 0
	// Facts is the mean number of facts that an entity is the head of.
	Facts int
	// Members is the number of entities in a cluster; where it is 0, there are at most
	// 1024 clusters.
	Members int
	Seed    uint64

	cos, sin []float32 // of 2πj/K
	freq     []int     // f_k
	shifts   []int     // s_r

	pairs []uint64 // of the last relation that was drawn
}

const (
	// hubs is the number of tails of relation 0.
	hubs = 16
	// strength is the score of a link into the right cluster.
	strength = 18
	// noise is the size of the noise added to a number, as a share of it.
	noise = 0.5
	// steepness is the exponent of the power law: member m of M is drawn with a probability
	// that falls like m^(1/steepness − 1).
	steepness = 4
)

// complete fills in what follows from the sizes.
func (w *world) complete() {
	k := min(1024, max(2, w.Entities/16))
	if w.Members > 0 {
		k = max(2, w.Entities/w.Members)
	}
	w.cos = make([]float32, k)
	w.sin = make([]float32, k)
	for j := range k {
		s, c := math.Sincos(2 * math.Pi * float64(j) / float64(k))
		w.cos[j] = float32(c)
		w.sin[j] = float32(s)
	}
	for i := range w.Rank {
		w.freq = append(w.freq, 1+int(mix(w.Seed, 1, uint64(i))%uint64(k-1)))
	}
	for r := range w.Relations {
		w.shifts = append(w.shifts, int(mix(w.Seed, 2, uint64(r))%uint64(k)))
	}
}

// mix returns random bits that follow from numbers (splitmix64).
func mix(seed, kind, i uint64) uint64 {
	x := seed*0x9e3779b97f4a7c15 + kind*0xd1342543de82ef95 + i*0xbf58476d1ce4e5b9
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// phases sets to to the numbers of a cluster or shift.
func (w *world) phases(to []float32, c int) {
	d := w.Rank
	k := len(w.cos)
	for i, f := range w.freq {
		at := c * f % k
		to[i], to[d+i] = w.cos[at], w.sin[at]
	}
}

// row sets to to the embedding of an entity.
func (w *world) row(e int, to []float32) {
	k := len(w.cos)
	w.phases(to, e%k)
	// The first members of a cluster, which have most facts, are a little longer.
	size := float32(math.Sqrt(strength/float64(w.Rank)) * (1 + 0.2/(1+float64(e/k))))
	bits := uint64(0)
	state := mix(w.Seed, 3, uint64(e))
	for i := range to {
		if i%4 == 0 {
			bits = mix(state, 4, uint64(i))
		}
		to[i] = size * (to[i] + noise*(float32(bits&0xffff)/0x8000-1))
		bits >>= 16
	}
}

// draw draws the facts of a relation, sorted: head and tail in a number.
func (w *world) draw(r int) []uint64 {
	k := len(w.cos)
	w.pairs = w.pairs[:0]
	for h := range w.Entities {
		bits := mix(w.Seed+uint64(r), 5, uint64(h))
		// The share of this relation, rounded up or down at random.
		n := (uint64(w.Facts) + bits>>32%uint64(w.Relations)) / uint64(w.Relations)
		for i := range n {
			u := math.Pow(float64(mix(bits, 6, i)>>11)/(1<<53), steepness)
			tail := int(hubs * math.Pow(float64(mix(bits, 6, i)>>11)/(1<<53), 3))
			if r > 0 {
				cluster := (h + w.shifts[r]) % k
				members := (w.Entities - cluster + k - 1) / k
				tail = cluster + k*int(u*float64(members))
			}
			w.pairs = append(w.pairs, uint64(h)<<32|uint64(min(tail, w.Entities-1)))
		}
	}
	slices.Sort(w.pairs)
	return slices.Compact(w.pairs)
}
