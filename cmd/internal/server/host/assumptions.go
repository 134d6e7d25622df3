package host

import (
	"slices"
	"sync"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
)

// mostAssumed bounds the number of assumptions that stay for later questions.
const mostAssumed = 16

// assumptions holds the snapshots that the latest questions on a model assumed, the newest first.
type assumptions struct {
	mu   sync.Mutex
	kept []*assumption
}

// find returns the assumption made by the same formulas, held for a question, or nil. It releases assumptions on other
// facts.
func (l *assumptions) find(base *runtime.Model, formulas []string) *assumption {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shrink(func(x *assumption) bool { return x.base != base })
	for i, x := range l.kept {
		if slices.Equal(x.formulas, formulas) {
			copy(l.kept[1:], l.kept[:i])
			l.kept[0] = x
			x.hold()
			return x
		}
	}
	return nil
}

// keep adds a new assumption, which its question holds, and releases the oldest ones until the rest reserve at most most
// bytes.
func (l *assumptions) keep(x *assumption, most int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	x.hold()
	l.kept = slices.Insert(l.kept, 0, x)
	number := 0
	l.shrink(func(x *assumption) bool {
		number++
		most -= x.bytes
		return number > mostAssumed || most < 0
	})
}

// drop releases all assumptions.
func (l *assumptions) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shrink(func(*assumption) bool { return true })
}

// shrink releases the assumptions for which some returns true.
func (l *assumptions) shrink(some func(*assumption) bool) {
	l.kept = slices.DeleteFunc(l.kept, func(x *assumption) bool {
		drop := some(x)
		if drop {
			x.Release()
		}
		return drop
	})
}

// assumption is a snapshot with assumptions, and the questions bound to it. One with new entities reserves the memory of
// a copy of the entity table, until it is dropped and its last question has ended.
type assumption struct {
	base     *runtime.Model // the snapshot without them
	formulas []string
	at       *runtime.Model
	warnings []lang.Warning
	bytes    int64 // reserved
	bound    boundQuestions
	lease
}
