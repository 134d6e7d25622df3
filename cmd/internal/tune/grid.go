package tune

import (
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime"
)

// Grid holds the values to choose from.
type Grid struct {
	Lambda []float64 `json:"lambda"`
	Alpha  []float64 `json:"alpha"`
	Weight []float64 `json:"weight"`
	// Over are numbers of layers beyond that of a shape's variables, D: 1 is D+1.
	Over []int `json:"layers_over_variables"`
}

// DefaultGrid has values around the best on FB15k-237 and NELL995. Finer steps of w
// change the MRR by less than what a few hundred queries tell; λ may be fine, for it
// is free.
func DefaultGrid() Grid {
	return Grid{
		Lambda: []float64{0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1},
		Alpha:  []float64{1, 10, 100, 1000, 10000},
		Weight: []float64{0.1, 0.3, 0.5, 0.7, 0.9},
		Over:   []int{1},
	}
}

// Validate reports the first value that is no setting, or an empty list.
func (g Grid) Validate() error {
	if len(g.Lambda) == 0 || len(g.Alpha) == 0 || len(g.Weight) == 0 || len(g.Over) == 0 {
		return fmt.Errorf("a grid needs at least one value of lambda, alpha, weight and layers")
	}
	check := func(set func(s *runtime.Settings)) error {
		s := runtime.DefaultSettings()
		set(&s)
		return s.Validate()
	}
	for _, c := range []struct {
		values []float64
		set    func(s *runtime.Settings, x float64)
	}{
		{g.Lambda, func(s *runtime.Settings, x float64) { s.Lambda = x }},
		{g.Alpha, func(s *runtime.Settings, x float64) { s.Alpha = x }},
		{g.Weight, func(s *runtime.Settings, x float64) { s.Weight = x }},
	} {
		for _, x := range c.values {
			if err := check(func(s *runtime.Settings) { c.set(s, x) }); err != nil {
				return err
			}
		}
	}
	for _, over := range g.Over {
		if over < 0 || over > runtime.MaxLayers {
			return fmt.Errorf("layers is D+%d, want D to D+%d", over, runtime.MaxLayers)
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

// points returns the settings to run a shape with, of any λ, the base first.
// variables is D; α varies where it matters.
func (g Grid) points(base runtime.Settings, variables int, alpha bool) []runtime.Settings {
	layers := []int{base.Layers}
	for _, over := range g.Over {
		if over == 1 {
			layers = append(layers, 0)
		} else {
			layers = append(layers, variables+over)
		}
	}
	slices.Sort(layers)
	alphas := []float64{base.Alpha}
	if alpha {
		alphas = with(g.Alpha, base.Alpha)
	}
	list := []runtime.Settings{base}
	for _, l := range slices.Compact(layers) {
		for _, w := range with(g.Weight, base.Weight) {
			for _, a := range alphas {
				s := base
				s.Layers, s.Weight, s.Alpha = l, w, a
				if s != base {
					list = append(list, s)
				}
			}
		}
	}
	return list
}
