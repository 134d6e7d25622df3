package runtime

import (
	"cmp"
	"fmt"

	"github.com/efoc/efoc/runtime/internal/judge"
	"github.com/efoc/efoc/runtime/model"
)

// Options configure one call of Question.Ask, AskAll or Why. The zero value is a good default.
type Options struct {
	// K is the number of answers; 0 means DefaultK.
	K int
	// Offset is the number of best answers to skip; pass Reply.Next of one page to get the
	// next.
	Offset int
	// Filter selects answers; the K best of them are returned.
	Filter AnswerFilter
	// Coverage, if it is not 0, asks for the smallest number of best answers that hold all true ones for this share of
	// questions, from 0.5 to 0.99; of these, K are returned, by default all. The share is of questions like the
	// validation questions to which the graph lacks an answer: see Reply.Coverage. It excludes Offset, Filter and
	// NoStatus.
	Coverage float64
	// SetSize is the number of entities reported for each existential variable;
	// 0 means none.
	SetSize int
	// Show names existential variables; each answer reports their values in its best witness: see Question.Why. This
	// costs one extra run by truth degrees under any semantics, plus a little per answer. If it is nil, a template
	// uses its own.
	Show []string
	// Settings override the settings of the question and of the model's manifest.
	Settings *model.Settings
	// HeldOut is the share of all facts, in [0,1), held out of the graph for testing. Set it for benchmark queries,
	// which ask for held-out facts, so that confidence allows for them; 0 means an ordinary question.
	HeldOut float64
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

// Defaults and limits of Options. DefaultPrefixes is the least default of Prefixes. MaxRows bounds K and
// Offset of a question for rows of several variables.
const (
	DefaultK        = 10
	DefaultBudget   = 1_000_000
	DefaultPrefixes = 64
	MaxRows         = 1 << 20
)

// AnswerFilter selects the answers that meet all its conditions. The zero AnswerFilter selects all answers.
//
// A filtered search checks entities in descending order of score until Options.K of them pass. Its exact traversals
// together visit at most 100·Options.Budget candidates and edges. At that bound the search ends: the reply has the
// answers found so far, and Reply.Incomplete is set.
type AnswerFilter struct {
	// Statuses is the set of allowed statuses; 0 allows any.
	Statuses Status
	// InRange excludes answers with Row.OutOfRange set.
	InRange bool
	// MinConfidence is the minimum confidence of an answer, from 0 to 1. The model must be
	// calibrated: see Reply.Uncalibrated.
	MinConfidence float64
	// Type keeps only the answers of a type; the zero Type allows any.
	Type model.Type
}

// of returns the filter for a judge, restricted to the type that the question itself asks for.
func (f *AnswerFilter) of(limit model.Type) judge.AnswerFilter {
	return judge.AnswerFilter{Statuses: judge.Status(f.Statuses), InRange: f.InRange, MinConfidence: f.MinConfidence, Type: f.Type, Limit: limit}
}

// OptionError is the error for an invalid option, or one that the question does not accept.
type OptionError struct {
	// Option is the field of Options or Filter.
	Option string
	// Why is the reason.
	Why string
}

// Error names the option.
func (e *OptionError) Error() string { return "option " + e.Option + ": " + e.Why }

// badOption returns the error for an option.
func badOption(option, format string, args ...any) error {
	return &OptionError{option, fmt.Sprintf(format, args...)}
}

// check reports a filter that nothing can pass, or that needs results that are not computed.
func (f *AnswerFilter) check(m *Model, noStatus bool) error {
	relation := f.Type.Relation.ID()
	entity := f.Type.Entity.ID()
	switch {
	case !(f.MinConfidence >= 0 && f.MinConfidence <= 1):
		return badOption("MinConfidence", "want a number from 0 to 1, not %v", f.MinConfidence)
	case f.Type != model.Type{} && (relation < 0 || entity < 0 || int(relation) >= m.NumRelations() || int(entity) >= m.NumEntities()):
		return badOption("Type", "it lacks a relation or an entity of the model: see Model.ParseType")
	case f.Statuses == 0:
	case f.Statuses&^(Predicted|Known|Confirmed|Undecided) != 0:
		return badOption("Statuses", "want some of Known, Predicted, Confirmed and Undecided, not %d", f.Statuses)
	case noStatus:
		return badOption("Statuses", "it needs the statuses, which NoStatus leaves out: leave out one of them")
	case f.Statuses == Confirmed && m.bundle.Heldout == nil:
		return badOption("Statuses", "no answer can be confirmed, for the model holds no facts back")
	}
	return nil
}

// Check reports options that no query on the model can satisfy. The error is an OptionError.
func (o Options) Check(m *Model) error {
	if o.K < 0 {
		return badOption("K", "want a positive number of answers, not %d", o.K)
	}
	for _, x := range []struct {
		option string
		value  int
	}{{"Offset", o.Offset}, {"SetSize", o.SetSize}, {"Budget", o.Budget}, {"Prefixes", o.Prefixes}} {
		if x.value < 0 {
			return badOption(x.option, "want 0 or more, not %d", x.value)
		}
	}
	if !(o.HeldOut >= 0 && o.HeldOut < 1) {
		return badOption("HeldOut", "want a share from 0 to below 1, not %v", o.HeldOut)
	}
	if o.Coverage != 0 && !(o.Coverage >= 0.5 && o.Coverage <= 0.99) {
		return badOption("Coverage", "want a share from 0.5 to 0.99, not %v", o.Coverage)
	}
	return o.Filter.check(m, o.NoStatus)
}

// withDefaults replaces zero options by their defaults.
func (o Options) withDefaults(m *Model) (Options, error) {
	if err := o.Check(m); err != nil {
		return o, err
	}
	if o.Coverage > 0 {
		o.K = cmp.Or(o.K, m.NumEntities())
	}
	o.Offset = min(o.Offset, m.NumEntities())
	o.K = min(cmp.Or(o.K, DefaultK), m.NumEntities()) // so that Offset+K cannot overflow
	o.Budget = cmp.Or(o.Budget, DefaultBudget)
	if err := o.Settings.Validate(); err != nil {
		return o, badOption("Settings", "%v", err)
	}
	return o, nil
}
