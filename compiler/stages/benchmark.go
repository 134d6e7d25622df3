package stages

import "github.com/efoc/efoc/lang/benchmark"

// ShapeName returns the benchmark name, such as 2p, of the shape with that key; it is empty if
// benchmark.Shapes has no such shape.
func ShapeName(key string) string {
	for _, s := range benchmark.Shapes {
		if s.Key == key {
			return s.Name
		}
	}
	return ""
}
