package query

import (
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/collective"
)

// runLater runs ops that make so many exchanges each, and returns how many were made at each
// meeting. Each op checks that its exchanges come back to it.
func runLater(t *testing.T, counts ...int) (meetings []int) {
	t.Helper()
	w := &Workspace{}
	w.later.meet = func(list []*collective.Exchange) {
		meetings = append(meetings, len(list))
		for _, x := range list {
			x.All = x.Send
		}
	}
	done := 0
	for i, count := range counts {
		w.Later(func() {
			for k := range count {
				x := &collective.Exchange{Send: []byte{byte(i), byte(k)}}
				if w.later.exchange(x); !slices.Equal(x.All, []byte{byte(i), byte(k)}) {
					t.Errorf("op %d receives %v in exchange %d", i, x.All, k)
				}
			}
			done++
		})
	}
	w.Exchange()
	if done != len(counts) {
		t.Errorf("%d of %d ops are done", done, len(counts))
	}
	w.later.exchange(&collective.Exchange{}) // outside of any op
	return meetings[:len(meetings)-1]
}

// TestExchange makes the exchanges of several ops as one, as often as one of them wants another.
func TestExchange(t *testing.T) {
	for _, c := range []struct{ counts, want []int }{
		{nil, nil},
		{[]int{1}, []int{1}},
		{[]int{3}, []int{1, 1, 1}},
		{[]int{1, 1, 1}, []int{3}},
		{[]int{2, 0, 1, 3}, []int{3, 2, 1}},
		{[]int{0, 0}, nil},
	} {
		if got := runLater(t, c.counts...); !slices.Equal(got, c.want) {
			t.Errorf("%v exchanges meet as %v, want %v", c.counts, got, c.want)
		}
	}
}

// TestExchangePanic checks that a panic, of an op or of the exchange, ends the other ops, and that
// the workspace can exchange again.
func TestExchangePanic(t *testing.T) {
	for _, inMeeting := range []bool{false, true} {
		w, ended, made := &Workspace{}, 0, 0
		w.later.meet = func([]*collective.Exchange) {
			if made++; inMeeting {
				panic("no ranks")
			}
		}
		for i := range 3 {
			w.Later(func() {
				defer func() { ended++ }()
				if i == 2 && !inMeeting {
					panic("a fault")
				}
				w.later.exchange(&collective.Exchange{})
				t.Error("it goes on")
			})
		}
		func() {
			defer func() {
				if v := recover(); v == nil || v == (stopped{}) {
					t.Errorf("the panic is %v", v)
				}
			}()
			w.Exchange()
		}()
		if ended != 3 || len(w.later.list) > 0 || w.later.wait != nil {
			t.Errorf("%d of 3 ops have ended, %d are left", ended, len(w.later.list))
		}
		w.Exchange()
	}
}
