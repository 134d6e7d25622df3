package tune

import (
	"encoding/json"
	"fmt"
	"reflect"
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

// State is a journal of results. A nil State keeps nothing.
type State struct {
	journal *eval.Journal
	mrr     [][][]float32 // as in subject
}

// OpenState opens the state file of a search, or begins it. Results of another
// model, query set or grid are refused.
func OpenState(path string, set *queryset.Set, c Config) (*State, error) {
	c = c.withDefaults()
	list, err := subjects(set, c)
	if err != nil {
		return nil, err
	}
	s := &State{}
	want := header{Version: stateVersion, Model: eval.ModelSum(c.Model), Queries: eval.SetSum(set), Semantics: c.Semantics, Grid: c.Grid}
	for _, x := range list {
		s.mrr = append(s.mrr, make([][]float32, len(x.points)*len(x.free)))
		want.Bases = append(want.Bases, x.base)
	}
	s.journal, err = eval.OpenJournal(path, want, want.compare, func(line []byte) error { return s.take(line, list) })
	return s, err
}

// Close closes the file.
func (s *State) Close() error { return s.journal.Close() }

// compare reports that a header differs.
func (h header) compare(line []byte) error {
	var got header
	if err := json.Unmarshal(line, &got); err != nil {
		return err
	}
	if !reflect.DeepEqual(got, h) {
		return fmt.Errorf("the results are of another model, other queries, other semantics or another grid: use the same, or a new state file")
	}
	return nil
}

// take takes the results of a line over.
func (s *State) take(line []byte, list []*subject) error {
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
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
	copy(s.mrr[r.Shape][r.Point*len(x.free):], r.MRR)
	return nil
}

// found returns the results of a shape that were in the file.
func (s *State) found(index int, x *subject) [][]float32 {
	if s == nil {
		return make([][]float32, len(x.points)*len(x.free))
	}
	return s.mrr[index]
}

// append adds results.
func (s *State) append(r record) error {
	if s == nil {
		return nil
	}
	return s.journal.Append(r)
}
