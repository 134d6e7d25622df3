package plan

import (
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/moments"
	"github.com/efoc/efoc/runtime/model"
)

// Access is how plans read the entity table of a model. Codes, estimates and bounds save bytes at the price of
// arithmetic, which pays only where most bytes come from beyond the second-level cache.
type Access struct {
	// Floats has sweeps read float rows; otherwise they read codes, and rows that matter again.
	Floats bool `json:"floats"`
	// Estimates has a sweep sum the rows of a state while it scores them, weighted by an estimate of the state, which
	// Workspace.Correct corrects. Otherwise another sweep sums them.
	Estimates bool `json:"estimates"`
	// Bounds has bounds find the best answers; otherwise a sweep does.
	Bounds bool `json:"bounds"`
}

// Exact is the access to float rows by sweeps alone: nothing is approximated, and nothing repaired.
var Exact = Access{Floats: true}

// AccessTo chooses the access to the table of a model: to float rows if the second-level cache holds them, otherwise to
// codes if there are any. Another sweep of a table of up to twice the cache takes less than estimates and bounds do. By
// measurement they take as long from 2.7 times the cache on, on a Zen 4, and on a Sapphire Rapids, whose third-level cache
// is slower, somewhere between 0.8 and 3.7 times.
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

// vectorBytes is what a sweep reads and writes beside a row: a score, a message, a state and a norm.
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

// pays reports whether bounds that read some bytes take the place of a sweep that reads at least twice as many.
func (s tableSize) pays(bytes int) bool { return 2*bytes <= s.swept(Access{}) }

// mostCoordinates bounds the memory of coordinates: for ten million rows they would take more than a gigabyte
// beside the table.
const mostCoordinates = 1 << 30

// coordinates reports whether bounds take coordinates too.
func (s tableSize) coordinates() bool {
	bytes := moments.CoordinateBytes(s.rows, s.width)
	return bytes <= mostCoordinates && s.pays(moments.Bytes(s.width)+bytes)
}

// swept returns what a sweep reads.
func (s tableSize) swept(a Access) int {
	if s.codes == 0 || a.Floats && s.floats > 0 {
		return s.floats
	}
	return s.codes
}

// SweepBytes returns what a sweep of the table of a model reads.
func (a Access) SweepBytes(m *model.Model) int { return sizeOf(m).swept(a) }

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
