package plan

import (
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/moments"
	"github.com/efoc/efoc/runtime/model"
)

// Access is how plans read the entity table of a model. Codes, estimates and bounds trade arithmetic for bytes, which
// pays only if the table exceeds the second-level cache.
type Access struct {
	// Floats makes sweeps read float rows; otherwise they read codes, and read rows that matter again.
	Floats bool `json:"floats"`
	// Estimates makes a sweep sum the rows of a state while it scores them, weighted by an estimate of the state;
	// Workspace.Correct corrects the sum. Otherwise a second sweep sums the rows.
	Estimates bool `json:"estimates"`
	// Bounds finds the best answers by bounds; otherwise a sweep finds them.
	Bounds bool `json:"bounds"`
}

// Exact reads float rows in sweeps only: no approximation, no corrections, and no truth degrees that wait until the
// best answers need them.
var Exact = Access{Floats: true}

// AccessTo chooses the access to the table of a model: float rows if the second-level cache holds them, otherwise
// codes, if any. For a table of up to twice the cache, a second sweep is faster than estimates and bounds. The
// measured break-even is 2.7 times the cache on a Zen 4, and 0.8 to 3.7 times on a Sapphire Rapids, whose third-level
// cache is slower.
func AccessTo(m *model.Model) Access { return sizeOf(m).access(simd.CacheSize()) }

// tableSize is the size of an entity table: the bytes of its float rows and of its codes, 0 without them.
type tableSize struct{ rows, width, floats, codes int }

func sizeOf(m *model.Model) tableSize {
	t := &m.Predictor.EntityTable
	s := tableSize{rows: t.Rows(), width: t.Width(), floats: t.RowBytes()}
	if t.Codes() != nil {
		s.codes = t.Codes().Bytes()
	}
	return s
}

// vectorBytes is what a sweep reads and writes per entity besides the row: a score, a message, a state and a norm.
const vectorBytes = 4 * 4

// access is AccessTo for a cache of some bytes.
func (s tableSize) access(cache int) Access {
	left := cache - vectorBytes*s.rows
	a := Access{Floats: s.codes == 0 || s.floats > 0 && s.floats <= left}
	if s.swept(a) > 2*left {
		a.Estimates = true
		a.Bounds = s.pays(moments.Bytes(s.width))
	}
	return a
}

// pays reports whether to replace a sweep by bounds that read the given bytes: if the sweep reads at least twice as
// many.
func (s tableSize) pays(bytes int) bool { return 2*bytes <= s.swept(Access{}) }

// mostCoordinates bounds the memory of coordinates: for twenty million rows they would add more than a gigabyte to the
// table.
const mostCoordinates = 1 << 30

// coordinates reports whether bounds also use coordinates.
func (s tableSize) coordinates() bool {
	bytes := moments.CoordinateBytes(s.rows, s.width)
	return bytes <= mostCoordinates && s.pays(moments.Bytes(s.width)+bytes)
}

// swept returns the bytes that a sweep reads.
func (s tableSize) swept(a Access) int {
	if s.codes == 0 || a.Floats && s.floats > 0 {
		return s.floats
	}
	return s.codes
}

// SweepBytes returns the bytes that a sweep of a model's entity table reads.
func (a Access) SweepBytes(m *model.Model) int { return sizeOf(m).swept(a) }

// helpers returns the number of threads that help the caller of one question: one for each second-level cache that a
// sweep of the table fills. A table that the cache holds is read before another thread wakes. Tiles have no helpers.
func (s tableSize) helpers(a Access, cache int) int { return s.swept(a) / cache }

// String describes the access, such as "float rows, exact sums, one more sweep for the best answers".
func (a Access) String() string {
	text := "codes"
	if a.Floats {
		text = "float rows"
	}
	if a.Estimates {
		text += ", estimated sums"
	} else {
		text += ", exact sums"
	}
	if a.Bounds {
		return text + ", bounds for the best answers"
	}
	return text + ", one more sweep for the best answers"
}
