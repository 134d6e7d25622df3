package stages

import (
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/lang/benchmark"
)

// BenchmarkShape returns the shape of the benchmark query with that name, such as 2p.
func BenchmarkShape(name string) (*lower.Shape, error) {
	q, err := benchmark.Query(name)
	if err != nil {
		return nil, err
	}
	return Analyze(q).Shape(), nil
}

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
