package stream

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/plan"
)

// TestBatches sends rows one by one: with patience they run together, as many as may; without,
// those that are there do.
func TestBatches(t *testing.T) {
	sizes := func(rows <-chan *row, patience time.Duration) (list []int) {
		for batch := range batches(t.Context(), rows, patience) {
			list = append(list, len(batch))
		}
		return list
	}
	const n = 2*maxTogether + 5
	slow := make(chan *row)
	go func() {
		defer close(slow)
		for range n {
			time.Sleep(10 * time.Microsecond)
			slow <- &row{}
		}
	}()
	want := []int{maxTogether, maxTogether, 5}
	if got := sizes(slow, time.Hour); !slices.Equal(got, want) {
		t.Errorf("batches of %v, want %v", got, want)
	}
	there := make(chan *row, n)
	for range n {
		there <- &row{}
	}
	close(there)
	if got := sizes(there, 0); !slices.Equal(got, want) {
		t.Errorf("batches of %v, want %v", got, want)
	}
	rows, answered := make(chan *row), make(chan bool)
	go func() {
		defer close(rows)
		for range 3 { // each when the one before has been answered
			rows <- &row{}
			<-answered
		}
	}()
	for batch := range batches(t.Context(), rows, 0) {
		if len(batch) != 1 {
			t.Errorf("a batch of %d rows, want 1", len(batch))
		}
		answered <- true
	}
}

// TestIncomplete has the line of a reply say that there may be more answers.
func TestIncomplete(t *testing.T) {
	for _, incomplete := range []bool{true, false} {
		line, err := answered(Line{Row: 1}, &runtime.Reply{Kind: plan.Rows, Variables: []string{"x", "y"}, Incomplete: incomplete})
		if says := strings.Contains(string(line), `"incomplete":true`); err != nil || says != incomplete {
			t.Errorf("incomplete %t: line %s, error %v", incomplete, line, err)
		}
	}
}
