package device

import (
	"math/bits"
	"slices"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// A filter is a vector on the device: the degree to which each entity meets it. Each recording has room for the
// filters of its batches, and keeps the last batch's.

// filterNumbers lists the distinct filters of a batch by number.
type filterNumbers []model.Selector

// of returns the number of a filter, -1 if it has none.
func (f filterNumbers) of(s *model.Selection) int {
	return slices.IndexFunc(f, s.Selector().Equal)
}

// numberFilters numbers the filters of a batch, in their order there.
func numberFilters(batch []scq.Bindings) (filters filterNumbers) {
	for _, b := range batch {
		for _, s := range b.Filters {
			if filters.of(s) < 0 {
				filters = append(filters, s.Selector())
			}
		}
	}
	return filters
}

// room returns a recording's capacity for filters: a power of 2, so that few recordings serve all batches.
func (f filterNumbers) room() int {
	if len(f) == 0 {
		return 0
	}
	return 1 << bits.Len(uint(len(f)-1))
}

// slots returns the numbers of a query's filters.
func (f filterNumbers) slots(b scq.Bindings) []int32 {
	numbers := make([]int32, len(b.Filters))
	for i, s := range b.Filters {
		numbers[i] = int32(f.of(s))
	}
	return numbers
}

// fillFilters writes the filters that the device lacks.
func (r *recording) fillFilters(filters filterNumbers) error {
	for number, c := range filters {
		if r.filters[number].Equal(c) {
			continue
		}
		s, err := r.query.model.model.SelectPart(c)
		if err != nil {
			return err
		}
		factors := make([]float32, r.header.FilterStride)
		s.Factors(factors)
		r.filters[number] = model.Selector{}
		at := r.header.Filters + cuda.Pointer(4*int64(number)*r.header.FilterStride)
		if err := r.memory.driver.Write(at, bytesOf(factors)); err != nil {
			return err
		}
		r.filters[number] = c
	}
	return nil
}
