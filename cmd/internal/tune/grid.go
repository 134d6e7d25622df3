package tune

import (
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/model"
)

// Grid holds the values to choose from. A semantics reads its own alone.
type Grid struct {
	// Of message passing.
	Lambda []float64 `json:"lambda,omitempty"`
	Alpha  []float64 `json:"alpha,omitempty"`
	Weight []float64 `json:"weight,omitempty"`
	// Over are numbers of layers beyond that of a shape's variables, D: 1 is D+1.
	Over []int `json:"layers_over_variables,omitempty"`

	// Of truth degrees, and Mixture of the mixture.
	Mixture     []float64 `json:"mixture,omitempty"`
	Candidates  []int     `json:"candidates,omitempty"`
	Negation    []float64 `json:"negation,omitempty"`
	Threshold   []float64 `json:"threshold,omitempty"`
	Temperature []float64 `json:"temperature,omitempty"`
	Leaf        []float64 `json:"leaf,omitempty"`
}

// DefaultGrid has values around the best on FB15k-237 and NELL995, those that a
// semantics reads. Finer steps change the MRR by less than a few hundred queries can
// resolve; λ and g may be fine, as they are free.
func DefaultGrid(s model.Semantics) Grid {
	if s == model.NSMP {
		return Grid{
			Lambda: []float64{0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1},
			Alpha:  []float64{1, 10, 100, 1000, 10000},
			Weight: []float64{0.1, 0.3, 0.5, 0.7, 0.9},
			Over:   []int{1},
		}
	}
	g := Grid{
		Candidates:  []int{2, 8, 32},
		Negation:    []float64{1, 2},
		Threshold:   []float64{0.0002, 0.005},
		Temperature: []float64{1, 1.5, 2, 3},
		Leaf:        []float64{0.03, 0.1, 0.3},
	}
	if s == model.Mixed {
		g.Mixture = []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}
	}
	return g
}

// values is a list of the grid, and how a setting gets one of its values.
type values struct {
	name string
	list []float64
	set  func(s *model.Settings, x float64)
}

// read returns the lists that a semantics reads.
func (g Grid) read(s model.Semantics) []values {
	if s == model.NSMP {
		return []values{
			{"lambda", g.Lambda, func(s *model.Settings, x float64) { s.Lambda = x }},
			{"alpha", g.Alpha, func(s *model.Settings, x float64) { s.Alpha = x }},
			{"weight", g.Weight, func(s *model.Settings, x float64) { s.Weight = x }},
			{"layers", floats(g.Over), nil},
		}
	}
	list := []values{
		{"candidates", floats(g.Candidates), func(s *model.Settings, x float64) { s.Degrees.Candidates = int(x) }},
		{"negation", g.Negation, func(s *model.Settings, x float64) { s.Degrees.Negation = x }},
		{"threshold", g.Threshold, func(s *model.Settings, x float64) { s.Degrees.Threshold = x }},
		{"temperature", g.Temperature, func(s *model.Settings, x float64) { s.Degrees.Temperature = x }},
		{"leaf", g.Leaf, func(s *model.Settings, x float64) { s.Degrees.Leaf = x }},
	}
	if s == model.Mixed {
		list = append(list, values{"mixture", g.Mixture, func(s *model.Settings, x float64) { s.Degrees.Mixture = x }})
	}
	return list
}

func floats(list []int) []float64 {
	var out []float64
	for _, x := range list {
		out = append(out, float64(x))
	}
	return out
}

// Validate reports, of the lists that a semantics reads, the first value that is no
// setting, or an empty list.
func (g Grid) Validate(s model.Semantics) error {
	for _, v := range g.read(s) {
		if len(v.list) == 0 {
			return fmt.Errorf("%s has no values: a grid needs at least one", v.name)
		}
		if v.set == nil {
			continue
		}
		for _, x := range v.list {
			s := model.DefaultSettings()
			s.Degrees = model.DefaultDegrees()
			v.set(&s, x)
			if err := s.Validate(); err != nil {
				return err
			}
		}
	}
	for _, over := range g.Over {
		if over < 0 || over > model.MaxLayers {
			return fmt.Errorf("layers is D+%d, want D to D+%d", over, model.MaxLayers)
		}
	}
	return nil
}

// with returns a list that has a value, ascending and each value once.
func with[T float64 | int](list []T, value T) []T {
	list = append(slices.Clone(list), value)
	slices.Sort(list)
	return slices.Compact(list)
}

// where returns with(list, value) if a setting makes a difference, otherwise the
// value alone.
func where[T float64 | int](matters bool, list []T, value T) []T {
	if !matters {
		return []T{value}
	}
	return with(list, value)
}
