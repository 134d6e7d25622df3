package model

import (
	"bytes"
	"fmt"
	"math"
	"sort"
	"sync/atomic"

	"github.com/efoc/efoc/kernels/quant"
)

// Grown returns the model with more entities, whose rows of 2d numbers lie end to end in rows. It is a
// snapshot that shares what it can with m, which does not change. The entities take the ids from n on
// and have no facts yet: With adds some. Names must be new. Rows are rounded as the table's are.
//
// The first call copies the entity table to Go's heap, with room for a quarter more rows. Later
// calls on its result copy only the new rows, and the order of the names: 4 bytes per entity.
func (m *Model) Grown(names []string, rows []float32) (*Model, error) {
	if err := m.Hold(); err != nil {
		return nil, err
	}
	defer m.Release()
	width := 2 * m.Predictor.Rank
	if len(names) == 0 || len(rows) != len(names)*width {
		return nil, fmt.Errorf("%d numbers for %d new entities, want %d for each", len(rows), len(names), width)
	}
	if n := m.NumEntities(); n > math.MaxInt32-len(names) {
		return nil, fmt.Errorf("%d entities and %d more, want at most %d", n, len(names), math.MaxInt32)
	}
	next := *m
	var err error
	next.Entities, err = m.Entities.grown(names)
	if err != nil {
		return nil, err
	}
	next.Predictor, err = m.Predictor.grown(rows)
	if err != nil {
		return nil, err
	}
	next.lows, next.columns = m.lows.grown(), &columnSquares{}
	next.Graph = m.Graph.Grown(len(names))
	if m.Heldout != nil {
		next.Heldout = m.Heldout.Grown(len(names))
	}
	if m.Untrue != nil {
		next.Untrue = m.Untrue.Grown(len(names))
	}
	next.Manifest.Entities += len(names)
	return &next, nil
}

// sharedEnd is where lists end whose memory several snapshots share. Only the snapshot that moves
// it first may write behind it.
type sharedEnd struct{ end atomic.Int64 }

// take moves the end of lists of n entries by some more. It reports false, with a new end,
// if the room behind them is not free.
func (t *sharedEnd) take(n, more int) (*sharedEnd, bool) {
	if t != nil && t.end.CompareAndSwap(int64(n), int64(n+more)) {
		return t, true
	}
	t = &sharedEnd{}
	t.end.Store(int64(n + more))
	return t, false
}

// appendShared appends to a list in the room behind it if that is its own, otherwise to a copy.
func appendShared[T any](list, more []T, own bool) []T {
	switch {
	case len(more) == 0:
		return list
	case !own:
		list = list[:len(list):len(list)]
	}
	return append(list, more...)
}

// grown returns the predictor with more rows.
func (p *Predictor) grown(values []float32) (Predictor, error) {
	t := &p.EntityTable
	table, exact := t.types()
	more, err := MakeTable(values, t.width, table, exact)
	if err != nil {
		return *p, err
	}
	norms := more.norms()
	for i, norm := range norms {
		if !(norm <= MaxLength) {
			return *p, fmt.Errorf("new row %d has length %v, want at most %v", i, norm, float32(MaxLength))
		}
	}
	if err := more.checkCodes(norms); err != nil {
		return *p, err
	}
	next := *p
	end, own := t.sharedEnd.take(t.Rows(), more.Rows())
	next.EntityNorms = appendShared(p.EntityNorms, norms, own)
	next.EntityTable = Table{
		dtype: t.dtype, width: t.width, f32: appendShared(t.f32, more.f32, own), half: appendShared(t.half, more.half, own),
		residual: max(t.residual, more.residual), norm: max(t.norm, more.norm), sharedEnd: end,
	}
	c := t.codes
	x := more.codes
	if c != nil {
		next.EntityTable.codes = &quant.Table{
			Width: c.Width, Codes: appendShared(c.Codes, x.Codes, own),
			Scales: appendShared(c.Scales, x.Scales, own), Residuals: appendShared(c.Residuals, x.Residuals, own),
		}
	}
	return next, nil
}

// grown returns the names with more ids, which have no labels. Names that are numbers stay
// so where the new ones are the next numbers.
func (x *Names) grown(names []string) (*Names, error) {
	more, err := newStringTable(names, true)
	if err != nil {
		return nil, fmt.Errorf("new %s names: %w", x.kind, err)
	}
	next := NumberedNames(x.kind, x.n+len(names))
	numbers := x.Numbered()
	for i, name := range names {
		if _, err := x.findName(name); err == nil {
			return nil, fmt.Errorf("%s %q is there already", x.kind, name)
		}
		numbers = numbers && name == next.Name(int32(x.n+i))
	}
	old := x.names
	if x.Numbered() && !numbers {
		old, err = x.numbered()
		if err != nil {
			return nil, err
		}
	}
	end, own := x.sharedEnd.take(x.n, len(names))
	next.sharedEnd = end
	if !numbers {
		next.names = old.appended(&more, own)
	}
	if x.hasLabels() {
		none := stringTable{offsets: offsets{words: make([]int32, len(names)+1)}}
		next.labels = x.labels.appended(&none, own)
	}
	return next, nil
}

// numbered returns the names that are numbers as a table.
func (x *Names) numbered() (stringTable, error) {
	list := make([]string, x.n)
	for id := range list {
		list[id] = x.Name(int32(id))
	}
	return newStringTable(list, true)
}

// appended returns the table with the strings of another one behind its own.
func (t *stringTable) appended(more *stringTable, own bool) stringTable {
	n := int32(t.offsets.len() - 1)
	next := stringTable{
		text:    appendShared(t.text, more.text, own),
		offsets: t.offsets.appended(&more.offsets, int64(len(t.text)), own),
	}
	// The order is merged: ids of both, by their strings.
	next.order = make([]int32, 0, len(t.order)+len(more.order))
	rest := t.order
	for _, id := range more.order {
		name := more.at(id)
		lo := sort.Search(len(rest), func(i int) bool { return bytes.Compare(t.at(rest[i]), name) >= 0 })
		next.order = append(append(next.order, rest[:lo]...), n+id)
		rest = rest[lo:]
	}
	next.order = append(next.order, rest...)
	return next
}
