package tune

import (
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/model"
)

// Grid holds the values to choose from. A semantics uses only its own settings.
type Grid struct {
	// Values are the values of each setting by name, except the number of layers.
	Values map[string][]float64 `json:"values,omitempty"`
	// Over are numbers of layers beyond D, the number of a shape's variables: 1 is D+1. Cycles
	// are further ones for shapes whose variables form a cycle.
	Over   []int `json:"layers_over_variables,omitempty"`
	Cycles []int `json:"layers_over_variables_of_cycles,omitempty"`
}

// DefaultGrid has values around the best on FB15k-237 and NELL995, those that a
// semantics reads. Finer steps change the MRR by less than a few hundred queries can
// resolve; λ and g may be fine, as they are free.
func DefaultGrid(s model.Semantics) Grid {
	if s == model.NSMP {
		return Grid{
			Values: map[string][]float64{
				"lambda": {0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1},
				"alpha":  {1, 10, 100, 1000, 10000},
				"weight": {0.1, 0.3, 0.5, 0.7, 0.9},
			},
			Over:   []int{1},
			Cycles: []int{0}, // 3c and 3cm gain 2 points by it
		}
	}
	g := Grid{Values: map[string][]float64{
		"candidates":  {2, 8, 32},
		"negation":    {1, 2},
		"threshold":   {0.0002, 0.005},
		"temperature": {1, 1.5, 2, 3},
		"leaf":        {0.03, 0.1, 0.3},
	}}
	if s == model.Mixed {
		g.Values["mixture"] = []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}
	}
	return g
}

// chosen are the settings that are chosen for a semantics, the free one first; those of which
// all values read the same rows come last.
func chosen(s model.Semantics) []string {
	degrees := []string{"temperature", "threshold", "negation", "leaf", "candidates"}
	switch s {
	case model.NSMP:
		return []string{"lambda", "layers", "weight", "alpha"}
	case model.FIT: // which does not read g
		return degrees
	}
	return append([]string{"mixture"}, degrees...)
}

// Chooses reports whether a setting is chosen for a semantics.
func Chooses(s model.Semantics, setting string) bool { return slices.Contains(chosen(s), setting) }

// dimension is a setting of which several values are tried.
type dimension struct {
	*model.Setting
	list []float64
}

// values returns the list with the value of the base: ascending, each once.
func (d dimension) values(base model.Settings) []float64 {
	list := append(slices.Clone(d.list), d.Get(base))
	slices.Sort(list)
	return slices.Compact(list)
}

// dimension returns that of a setting.
func (g Grid) dimension(name string) dimension {
	return dimension{model.SettingNamed(name), g.Values[name]}
}

// free returns the dimension that costs nothing.
func (g Grid) free(s model.Semantics) dimension {
	if s == model.FIT { // which does not read it
		return dimension{Setting: freeOf(s)}
	}
	return g.dimension(freeOf(s).Name)
}

// costly returns the other dimensions of a shape.
func (g Grid) costly(s model.Semantics, t traits) []dimension {
	var list []dimension
	for _, name := range chosen(s) {
		d := g.dimension(name)
		if d.Setting == freeOf(s) {
			continue
		}
		if name == model.LayersRange.Name {
			d.list = g.layers(t)
		}
		list = append(list, d)
	}
	return list
}

// layers are the numbers of layers for a shape; 0 is D+1.
func (g Grid) layers(t traits) []float64 {
	over := g.Over
	if t.cyclic {
		over = slices.Concat(g.Over, g.Cycles)
	}
	var layers []float64
	for _, x := range over {
		if x == 1 {
			layers = append(layers, 0)
		} else {
			layers = append(layers, float64(t.variables+x))
		}
	}
	return layers
}

// points returns the settings to run a shape with, without the free one, the base first.
func (g Grid) points(s model.Semantics, base model.Settings, t traits) []model.Settings {
	list := []model.Settings{base}
	for _, d := range g.costly(s, t) {
		if !t.matters(d.Name) {
			continue
		}
		var product []model.Settings
		for _, x := range list {
			for _, value := range d.values(base) {
				d.Set(&x, value)
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
			return fmt.Errorf("%s has no values: a grid needs at least one", d.Name)
		}
		for _, x := range d.list {
			s := model.DefaultSettings()
			d.Set(&s, x)
			if err := s.Validate(); err != nil {
				return err
			}
		}
	}
	return nil
}
