package tune

import (
	"fmt"
	"slices"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/runtime/model"
)

// stateVersion is the version of the state file.
const stateVersion = 2

// header is the first line of a state file: what the results depend on.
type header struct {
	Version   int             `json:"efoc_tune"`
	Model     string          `json:"model"`
	Queries   string          `json:"queries"`
	Semantics model.Semantics `json:"semantics"`
	// Bases are the settings that each shape has before.
	Bases []model.Settings `json:"settings"`
	Grid  Grid             `json:"grid"`
}

// record is every other line: the results of a point of a shape under all free
// values.
type record struct {
	Shape int `json:"shape"`
	Point int `json:"point"`
	// MRR is that of each query, by free value.
	MRR [][]float32 `json:"mrr"`
}

// State is a journal of results.
type State struct {
	*eval.Journal
	mrr [][][]float32 // as in subject, by shape
}

// OpenState opens the state file of a search, or begins it. Results of another
// model, query set or grid are refused.
func OpenState(path string, set *queryset.Set, c Config) (*State, error) {
	list, err := subjects(set, c)
	if err != nil {
		return nil, err
	}
	s := &State{}
	h := header{Version: stateVersion, Model: eval.ModelSum(c.Model), Queries: eval.SetSum(set), Semantics: c.Semantics, Grid: c.Grid}
	for _, x := range list {
		s.mrr, h.Bases = append(s.mrr, x.mrr), append(h.Bases, x.base)
	}
	s.Journal, err = eval.OpenJournal(path, h, func(r record) error { return r.take(list) })
	return s, err
}

// take gives the results to their shape.
func (r record) take(list []*subject) error {
	if r.Shape < 0 || r.Shape >= len(list) || r.Point < 0 || r.Point >= len(list[r.Shape].points) {
		return fmt.Errorf("shape %d and point %d: there is none", r.Shape, r.Point)
	}
	x := list[r.Shape]
	if len(r.MRR) != len(x.free) {
		return fmt.Errorf("rows for %d values, want %d", len(r.MRR), len(x.free))
	}
	for _, row := range r.MRR {
		if len(row) != x.queries() || slices.ContainsFunc(row, func(m float32) bool { return !(m > 0 && m <= 1) }) {
			return fmt.Errorf("want %d numbers above 0, to 1", x.queries())
		}
	}
	copy(x.mrr[r.Point*len(x.free):], r.MRR)
	return nil
}
