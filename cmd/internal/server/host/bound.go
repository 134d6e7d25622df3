package host

import (
	"sync"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// Prepared is a question ready to be answered.
type Prepared struct {
	*compiler.Prepared
	Kind     plan.Kind
	Given    runtime.Args
	Need     int64 // bytes
	Messages int   // bound for its layers
	Layers   []int // of each disjunct
	Bare     bool  // the response has no witnesses
	Warnings []lang.Warning
	Against  *Prepared // a question to compare the reply with, nil for none
	*lease
}

// ShapeKey names the shape of a question, if it has one, without names of the graph.
func (p *Prepared) ShapeKey() string {
	if len(p.Spec().Variables) == 1 {
		return p.Shape().Key
	}
	return ""
}

// maxBound bounds the number of questions that stay bound.
const maxBound = 1024

// boundKey is what a question is bound by, beside the facts.
type boundKey struct {
	text      *stages.Analysis // the same for the same text
	settings  model.Settings
	semantics model.Semantics
}

// boundQuestions keeps questions that were bound to a snapshot of a model, without arguments.
type boundQuestions struct {
	mu   sync.Mutex
	at   *runtime.Model // the snapshot
	kept map[boundKey]*Prepared
}

// find returns a question bound to a snapshot, nil if it is not kept. What was bound to another one is dropped.
func (b *boundQuestions) find(at *runtime.Model, key boundKey) *Prepared {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.at != at {
		b.at = at
		b.kept = map[boundKey]*Prepared{}
	}
	return b.kept[key]
}

// keep keeps a question.
func (b *boundQuestions) keep(at *runtime.Model, key boundKey, p *Prepared) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.at != at {
		return
	}
	if len(b.kept) >= maxBound {
		clear(b.kept)
	}
	b.kept[key] = p
}
