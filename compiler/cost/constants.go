package cost

import (
	"reflect"
	"slices"
)

// Constants are the speeds of a machine, in units a second.
type Constants struct {
	// Threads is the number of threads that share a sweep.
	Threads int `json:"threads"`
	// Read is a plain read of the entity table: bytes, the upper bound of a sweep.
	Read float64 `json:"read_bytes"`
	// Bandwidth is a sweep that takes one inner product a row: bytes.
	Bandwidth float64 `json:"sweep_bytes"`
	// Alone is the same by one thread.
	Alone float64 `json:"lone_sweep_bytes"`
	// FLOPS are inner products and sums of rows that are in the cache.
	FLOPS float64 `json:"row_flops"`
	// Products are matrix products with rows that are in the cache: FLOPs.
	Products float64 `json:"product_flops"`
	// ProductBandwidth is a sweep that takes eight inner products a row as a product of
	// matrices, without the time that the products take of rows in the cache: bytes.
	ProductBandwidth float64 `json:"product_sweep_bytes"`
	// Gathers are rows of the table that are read one by one: bytes.
	Gathers float64 `json:"gather_bytes"`
	// Vectors are element-wise operations on vectors: bytes.
	Vectors float64 `json:"vector_bytes"`
	// Exps are exponentials.
	Exps float64 `json:"exps"`
	// Scalars are steps of loops that take one number at a time.
	Scalars float64 `json:"scalar_steps"`
	// Edges are edges of a sparse product.
	Edges float64 `json:"edges"`
}

// Median returns the median of each constant over several measurements of one
// machine, of which there must be one at least: when others use the machine too,
// a single one may be far off.
func Median(measured []*Constants) *Constants {
	c := *measured[0]
	for i := range reflect.TypeFor[Constants]().NumField() {
		field := func(c *Constants) reflect.Value { return reflect.ValueOf(c).Elem().Field(i) }
		if !field(&c).CanFloat() {
			continue
		}
		var values []float64
		for _, m := range measured {
			values = append(values, field(m).Float())
		}
		slices.Sort(values)
		field(&c).SetFloat((values[(len(values)-1)/2] + values[len(values)/2]) / 2)
	}
	return &c
}
