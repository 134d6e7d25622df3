package fullfit

import (
	"slices"

	"github.com/efoc/efoc/runtime/model"
)

// Key names a matrix: that of a directed relation under the settings that degrees of
// atoms depend on.
type Key struct {
	Relation               model.RelationID
	Threshold, Temperature float64
	Mass                   bool
}

// KeyOf returns the key of a relation's matrix under the given settings.
func KeyOf(r model.RelationID, d model.Degrees) Key {
	d = d.OrDefault()
	return Key{Relation: r, Threshold: d.Threshold, Temperature: d.Temperature, Mass: d.Mass}
}

// matrix holds for each head the tails that have a degree, in order of their id.
type matrix struct {
	start []int64 // of the row of each head; the last is the number of entries
	ids   []int32
	deg   []float32
}

// row returns the tails of a head and their degrees.
func (m *matrix) row(h int) ([]int32, []float32) {
	lo, hi := m.start[h], m.start[h+1]
	return m.ids[lo:hi], m.deg[lo:hi]
}

// at returns one degree.
func (m *matrix) at(h, t int) float32 {
	ids, deg := m.row(h)
	if i, ok := slices.BinarySearch(ids, int32(t)); ok {
		return deg[i]
	}
	return 0
}

// entryBytes is the memory of an entry, startBytes that of a row besides.
const (
	entryBytes = 8
	startBytes = 8
)

// matrixBytes returns the memory of a matrix.
func matrixBytes(n int, entries int64) int64 { return entries*entryBytes + int64(n+1)*startBytes }

// cursor walks along a row in order.
type cursor struct {
	ids []int32
	deg []float32
}

// at returns the degree of a tail that is not before the one asked for last.
func (c *cursor) at(t int32) float32 {
	i := 0
	for i < len(c.ids) && c.ids[i] < t {
		i++
	}
	c.ids, c.deg = c.ids[i:], c.deg[i:]
	if len(c.ids) > 0 && c.ids[0] == t {
		return c.deg[0]
	}
	return 0
}
