package runtime

import (
	"cmp"
	"fmt"

	"github.com/efoc/efoc/runtime/model"
)

// Options configure a call of Answer. The zero Options are good defaults.
type Options struct {
	// K is the number of answers; 0 means DefaultK.
	K int
	// Offset is the number of best answers to skip; pass Reply.Next of one page to get the
	// next.
	Offset int
	// Filter selects answers; the K best of them are returned.
	Filter Filter
	// SetSize is the number of entities reported for each existential variable;
	// 0 means none.
	SetSize int
	// Show names existential variables whose values to report with each answer, from its best witness
	// as found by Query.Why. This costs one extra run by truth degrees under any semantics, plus a
	// little per answer. If it is nil, a template uses its own.
	Show []string
	// Settings override the settings in the model's manifest for the shape.
	Settings *model.Settings
	// HeldOut says that a fact was held out of the graph for the question, as for the queries of a
	// benchmark. More is missing then than for ordinary questions, and confidence allows for that.
	HeldOut bool
	// NoStatus leaves the answers' Status at Unchecked, which saves the exact
	// traversal of the graph.
	NoStatus bool
	// Budget bounds the exact traversal for each answer, in candidates and edges visited;
	// 0 means DefaultBudget. An answer that exceeds it is Undecided.
	Budget int
	// Prefixes bounds the search for rows of several answer variables: how many values of the
	// variables before the last one are tried, see Reply.Proved; 0 means DefaultPrefixes, or twice
	// the number of rows if that is more. Other queries ignore it.
	Prefixes int
}

// Defaults of Options.
const (
	DefaultK      = 10
	DefaultBudget = 1_000_000
)

// Check reports options that no query on the model can satisfy.
func (o Options) Check(m *Model) error {
	switch {
	case o.K < 0:
		return fmt.Errorf("option K is %d, want a positive number of answers", o.K)
	case o.Offset < 0:
		return fmt.Errorf("option Offset is %d, want 0 or more", o.Offset)
	case o.SetSize < 0:
		return fmt.Errorf("option SetSize is %d, want 0 or more", o.SetSize)
	case o.Budget < 0:
		return fmt.Errorf("option Budget is %d, want 0 or more", o.Budget)
	case o.Prefixes < 0:
		return fmt.Errorf("option Prefixes is %d, want 0 or more", o.Prefixes)
	}
	return o.Filter.check(m, o.NoStatus)
}

// withDefaults fills in what the caller left open.
func (o Options) withDefaults(m *Model) (Options, error) {
	if err := o.Check(m); err != nil {
		return o, err
	}
	o.Offset = min(o.Offset, m.NumEntities())
	o.K = min(cmp.Or(o.K, DefaultK), m.NumEntities()) // so that Offset+K cannot overflow
	o.Budget = cmp.Or(o.Budget, DefaultBudget)
	if o.Settings == nil {
		s := m.Manifest.Settings
		o.Settings = &s
	}
	return o, o.Settings.Validate()
}
