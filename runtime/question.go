package runtime

import (
	"fmt"

	"github.com/efoc/efoc/runtime/internal/judge"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// Question is a question of any kind, bound to a model: see Model.Bind. Each Ask uses the model's facts as of
// then. It is safe for concurrent use.
type Question struct {
	model *Model
	spec  *plan.Spec
	ids   *plan.IDs
	spans []model.Span // that the filters compare with, unless a parameter has it
	parts []*Query
	open  []model.EntityID // placeholders of the answer variables
	rows  *rowParts        // of plan.Rows, otherwise nil
}

// Args are the values of the parameters of a question, in order.
type Args []plan.Arg

// IDs returns the values of parameters that are entities and relations.
func IDs(ids ...int32) Args {
	a := make(Args, len(ids))
	for i, id := range ids {
		a[i] = plan.ID(id)
	}
	return a
}

// Spec returns the question as data.
func (q *Question) Spec() *plan.Spec { return q.spec }

// Model returns the model that the question is bound to, in main memory.
func (q *Question) Model() *Model { return q.parts[0].model }

// Part returns the query that runs a part.
func (q *Question) Part(i int) *Query { return q.parts[i] }

// Warning says that the model prefers another semantics than the question's, because it was best on the validation
// queries or is the default, and what to do. It is empty if they agree.
func (q *Question) Warning() string { return q.parts[0].warning(q.spec.Semantics) }

// Uncalibrated says why answers by some settings have no confidence; it is empty if they have one.
func (q *Question) Uncalibrated(s *model.Settings) string {
	_, why := judge.Calibration(q.Model().bundle, q.spec.Semantics, s)
	return why
}

// fail returns the error, if there is one, with the question's name.
func (q *Question) fail(err error) error {
	if err == nil || q.spec.Name == "" {
		return err
	}
	return fmt.Errorf("query %s: %w", q.spec.Name, err)
}
