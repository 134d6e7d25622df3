package train

import (
	"sync"
	"sync/atomic"
)

// crew is the number of goroutines that share work.
type crew int

// each calls f for every i < n, from several goroutines at once. worker tells
// them apart. Tasks must not write to the same place.
func (c crew) each(n int, f func(worker, i int)) {
	workers := min(int(c), n)
	if workers <= 1 {
		for i := range n {
			f(0, i)
		}
		return
	}
	var next atomic.Int64
	work := func(worker int) {
		for {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			f(worker, i)
		}
	}
	var others sync.WaitGroup
	for w := 1; w < workers; w++ {
		others.Go(func() { work(w) })
	}
	work(0)
	others.Wait()
}
