package fullfit

import (
	"cmp"
	"context"
	"fmt"
	goruntime "runtime"
	"slices"
	"time"

	"github.com/efoc/efoc/runtime/query"
)

// Options say how matrices are made.
type Options struct {
	// Budget is the memory that they may take, in bytes.
	Budget int64
	// Dir is a folder that keeps them from one run to the next; empty keeps none.
	Dir string
	// Model is what the files call the model: something that no other model has.
	Model string
	// Progress, if not nil, gets the numbers of matrices made so far and in all.
	Progress func(done, total int)
}

// Matrices are the matrices of some relations of a model.
type Matrices struct {
	Report
	model *query.Model
	byKey map[Key]*matrix
}

// Report says what the matrices cost.
type Report struct {
	// Relations counts the matrices, Read those that came from files.
	Relations int `json:"relations"`
	Read      int `json:"read_from_files"`
	// Entries is the number of degrees in them, Bytes the memory that they take.
	Entries int64 `json:"entries"`
	Bytes   int64 `json:"bytes"`
	// Seconds is what it took to make them on all processors, those from files included.
	Seconds float64 `json:"seconds"`
}

// BudgetError is the error for matrices that would take too much memory.
type BudgetError struct {
	// Relations is their number, Bytes the memory that they need, Budget what there is.
	Relations     int
	Bytes, Budget int64
}

// Error names the figures.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("the matrices of exact FIT for %d relations need about %.1f GB, of %.1f GB allowed: ask fewer queries or allow more",
		e.Relations, float64(e.Bytes)/1e9, float64(e.Budget)/1e9)
}

// Make makes the matrices with the given keys. It is a *BudgetError if they need more
// memory than allowed, by a sample of their rows before the first is made, and in the
// course of it. All processors have a part in it, whatever runtime.GOMAXPROCS is: what
// is answered on one thread need not wait for one.
func Make(ctx context.Context, m *query.Model, keys []Key, o Options) (*Matrices, error) {
	keys = slices.Clone(keys)
	slices.SortFunc(keys, func(a, b Key) int {
		return cmp.Or(cmp.Compare(a.Relation, b.Relation), cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	keys = slices.Compact(keys)
	x := &Matrices{model: m, byKey: map[Key]*matrix{}}
	b := newMaker(m)
	defer b.pool.Close()
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(b.pool.Size()))
	need, err := b.estimate(ctx, keys)
	if err != nil {
		return nil, err
	}
	if need > o.Budget {
		return nil, &BudgetError{len(keys), need, o.Budget}
	}
	for i, k := range keys {
		if o.Progress != nil {
			o.Progress(i, len(keys))
		}
		// What is left may be less than the sample promised.
		b.entries = (o.Budget - x.Bytes - matrixBytes(m.NumEntities(), 0)) / entryBytes
		made, seconds, read, err := b.fetch(ctx, k, o)
		if err != nil {
			if err == errTooLarge {
				err = &BudgetError{len(keys), o.Budget + need/int64(len(keys)), o.Budget}
			}
			return nil, err
		}
		x.byKey[k] = made
		x.Relations++
		if read {
			x.Read++
		}
		x.Entries += int64(len(made.ids))
		x.Bytes += matrixBytes(m.NumEntities(), int64(len(made.ids)))
		x.Seconds += seconds
	}
	if o.Progress != nil {
		o.Progress(len(keys), len(keys))
	}
	return x, nil
}

// fetch reads a matrix from its file, or makes it and writes the file.
func (b *maker) fetch(ctx context.Context, k Key, o Options) (m *matrix, seconds float64, read bool, err error) {
	if o.Dir != "" {
		m, seconds, err = readFile(fileName(o, k), b.model.NumEntities())
		if m != nil || err != nil {
			if m != nil && int64(len(m.ids)) > b.entries {
				return nil, 0, false, errTooLarge
			}
			return m, seconds, true, err
		}
	}
	start := time.Now()
	if m, err = b.matrix(ctx, k); err != nil {
		return nil, 0, false, err
	}
	seconds = time.Since(start).Seconds()
	if o.Dir != "" {
		err = writeFile(fileName(o, k), m, seconds)
	}
	return m, seconds, false, err
}
