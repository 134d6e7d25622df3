package server

import (
	"strings"
	"sync"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/testdata/require"
)

// TestBatchMoment asks one question many times in a batch while values come and go: all get the same answer.
func TestBatchMoment(t *testing.T) {
	s, hs := start(t, Config{})
	m, _ := s.inUse()
	spain, err := m.Entity("Spain")
	require.NoError(t, err)
	value := []values.Fact{{EntityValue: values.EntityValue{Entity: spain.ID(), Number: 5}, Attribute: "height", Kind: values.NumberKind}}
	_, err = m.Change(model.Change{AddValues: value})
	require.NoError(t, err)

	done := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			c := model.Change{RemoveValues: value}
			if i%2 == 1 {
				c = model.Change{AddValues: value}
			}
			if _, err := m.Change(c); err != nil {
				t.Error(err)
				return
			}
		}
	})
	const one = `{"formula": "borders(\"France\", y) & height(y) > 4", "status": ["known"]}`
	batch := `{"queries": [` + strings.Repeat(one+",", 19) + one + `]}`
	found := map[int]bool{}
	for range 30 {
		_, text := call(t, hs, "POST", "/v1/batch", batch)
		results := unmarshal[struct {
			Results []struct{ Result answersOf }
		}](t, text).Results
		for i, r := range results {
			n := len(r.Result.Answers)
			found[n] = true
			if n != len(results[0].Result.Answers) {
				t.Errorf("query %d has %d answers, the first %d", i, n, len(results[0].Result.Answers))
			}
		}
	}
	close(done)
	writer.Wait()
	if !found[0] || !found[1] {
		t.Errorf("the numbers of answers were %v, want 0 and 1", found)
	}
}
