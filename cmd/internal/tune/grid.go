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
	// Over are numbers of layers beyond that of a shape's variables, D: 1 is D+1. Cycles
	// are further ones for shapes whose variables form a cycle.
	Over   []int `json:"layers_over_variables,omitempty"`
	Cycles []int `json:"layers_over_variables_of_cycles,omitempty"`

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
			Cycles: []int{0}, // 3c and 3cm gain 2 points by it
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

// dimension is a setting of which several values are tried.
type dimension struct {
	name string
	list []float64
	get  func(s model.Settings) float64
	set  func(s *model.Settings, x float64)
	// matters says that it makes a difference for the shape.
	matters bool
}

// newDimension returns the dimension of the setting that at points to.
func newDimension[T float64 | int](name string, list []T, matters bool, at func(s *model.Settings) *T) dimension {
	d := dimension{
		name: name, matters: matters,
		get: func(s model.Settings) float64 { return float64(*at(&s)) },
		set: func(s *model.Settings, x float64) { *at(s) = T(x) },
	}
	for _, x := range list {
		d.list = append(d.list, float64(x))
	}
	return d
}

// values returns the list with the value of the base: ascending, each once.
func (d dimension) values(base model.Settings) []float64 {
	list := append(slices.Clone(d.list), d.get(base))
	slices.Sort(list)
	return slices.Compact(list)
}

// free returns the dimension that costs nothing.
func (g Grid) free(s model.Semantics) dimension {
	at := func(x *model.Settings) *float64 { return freeOf(x, s) }
	switch s {
	case model.NSMP:
		return newDimension("lambda", g.Lambda, true, at)
	case model.FIT: // which does not read it
		return newDimension("mixture", nil, true, at)
	}
	return newDimension("mixture", g.Mixture, true, at)
}

// costly returns the other dimensions of a shape. Those of which all values read the same
// rows come last.
func (g Grid) costly(s model.Semantics, t traits) []dimension {
	if s == model.NSMP {
		var layers []int
		list := g.Over
		if t.cyclic {
			list = slices.Concat(g.Over, g.Cycles)
		}
		for _, over := range list {
			if over == 1 {
				layers = append(layers, 0)
			} else {
				layers = append(layers, t.variables+over)
			}
		}
		return []dimension{
			newDimension("layers", layers, true, func(s *model.Settings) *int { return &s.Layers }),
			newDimension("weight", g.Weight, true, func(s *model.Settings) *float64 { return &s.Weight }),
			newDimension("alpha", g.Alpha, t.alpha, func(s *model.Settings) *float64 { return &s.Alpha }),
		}
	}
	return []dimension{
		newDimension("temperature", g.Temperature, true, func(s *model.Settings) *float64 { return &s.Degrees.Temperature }),
		newDimension("threshold", g.Threshold, true, func(s *model.Settings) *float64 { return &s.Degrees.Threshold }),
		newDimension("negation", g.Negation, t.negated, func(s *model.Settings) *float64 { return &s.Degrees.Negation }),
		newDimension("leaf", g.Leaf, t.leaf, func(s *model.Settings) *float64 { return &s.Degrees.Leaf }),
		newDimension("candidates", g.Candidates, t.links, func(s *model.Settings) *int { return &s.Degrees.Candidates }),
	}
}

// points returns the settings to run a shape with, without the free one, the base first.
func (g Grid) points(s model.Semantics, base model.Settings, t traits) []model.Settings {
	list := []model.Settings{base}
	for _, d := range g.costly(s, t) {
		if !d.matters {
			continue
		}
		var product []model.Settings
		for _, x := range list {
			for _, value := range d.values(base) {
				d.set(&x, value)
				product = append(product, x)
			}
		}
		list = product
	}
	return append([]model.Settings{base}, slices.DeleteFunc(list, func(x model.Settings) bool { return x == base })...)
}

// Validate reports, of the lists that a semantics reads, an empty one, or the first value
// that the setting cannot have.
func (g Grid) Validate(s model.Semantics) error {
	for _, over := range slices.Concat(g.Over, g.Cycles) {
		if over < 0 || over > model.MaxLayers {
			return fmt.Errorf("layers is D+%d, want D to D+%d", over, model.MaxLayers)
		}
	}
	list := g.costly(s, traits{})
	if s != model.FIT {
		list = append(list, g.free(s))
	}
	for _, d := range list {
		if len(d.list) == 0 {
			return fmt.Errorf("%s has no values: a grid needs at least one", d.name)
		}
		for _, x := range d.list {
			s := model.DefaultSettings()
			s.Degrees = model.DefaultDegrees()
			d.set(&s, x)
			if err := s.Validate(); err != nil {
				return err
			}
		}
	}
	return nil
}
