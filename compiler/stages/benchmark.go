package stages

import (
	"sync"

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
func ShapeName(key string) string { return benchmarkKeys()[key] }

// benchmarkKeys maps the keys of the benchmark shapes to their names.
var benchmarkKeys = sync.OnceValue(func() map[string]string {
	names := make(map[string]string, len(benchmark.Shapes))
	for _, s := range benchmark.Shapes {
		shape, err := BenchmarkShape(s.Name)
		if err != nil {
			panic("internal error: benchmark shape " + s.Name + ": " + err.Error())
		}
		names[shape.Key] = s.Name
	}
	return names
})
