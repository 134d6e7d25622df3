package runtime

import (
	"cmp"
	"context"

	"github.com/efoc/efoc/runtime/internal/explain"
	"github.com/efoc/efoc/runtime/internal/judge"
	"github.com/efoc/efoc/runtime/internal/link"
	"github.com/efoc/efoc/runtime/internal/link/mixed"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
)

// LinkQuestion is the question r(h, y): which entities are tails of the relation from the head.
type LinkQuestion struct {
	Head     graph.EntityID
	Relation graph.RelationID
	// Tails, if not nil, are the entities to report, in this order and of any rank, instead of the best ones.
	Tails []graph.EntityID
}

// LinkOptions are the options of Model.Links.
type LinkOptions struct {
	Options
	// Semantics is the semantics of the answers; nil means the model's own.
	Semantics *model.Semantics
}

// Links answers questions about single links, one reply each, in order, all on the same facts. Either all questions
// name tails, or none does: then Links finds the best tails. It does not filter named tails, and for them reads only
// Settings, Budget and HeldOut. Questions run together as by Question.AskAll.
func (m *Model) Links(ctx context.Context, questions []LinkQuestion, o LinkOptions) ([]*Reply, error) {
	m = m.host().Now()
	by := *cmp.Or(o.Semantics, &m.bundle.Manifest.Semantics)
	q, err := m.linkQuestion(by, cmp.Or(o.Settings, &m.bundle.Manifest.Settings))
	if err != nil {
		return nil, err
	}
	args := make([]Args, len(questions))
	named := false
	for i, x := range questions {
		args[i] = q.spec.Args(int32(x.Head), int32(x.Relation))
		named = named || x.Tails != nil
	}
	if !named {
		return q.AskAll(ctx, args, o.Options)
	}
	replies := make([]*Reply, len(questions))
	err = q.Each(ctx, args, o.Settings, func(i int, r *Run) (err error) {
		replies[i], err = r.Judge(o.Options, questions[i].Tails)
		return err
	})
	return replies, err
}

// Uncalibrated says why replies of Links by a semantics (nil: the model's own) have no confidence; it is empty if
// they have one.
func (m *Model) Uncalibrated(by *model.Semantics) string {
	bundle := m.Bundle()
	_, why := judge.Calibration(bundle, *cmp.Or(by, &bundle.Manifest.Semantics), nil)
	return why
}

// linkQuestion binds r(h, y) by a semantics. Any number of layers gives the same answers: the shape has one message.
func (m *Model) linkQuestion(by model.Semantics, s *model.Settings) (*Question, error) {
	made := *map[model.Semantics]*plan.Plan{
		model.NSMP: link.LinkPlans[0], model.FIT: link.LinkPlans[0].Degrees, model.Mixed: mixed.LinkPlans[0],
	}[by]
	if by != model.FIT {
		made.Layers = s.Layers
	}
	return m.Bind(&plan.Spec{
		Kind: plan.Answers, Semantics: by, Variables: []string{"y"},
		Params: []plan.Param{{Name: "h", Kind: plan.EntityParam}, {Name: "r", Kind: plan.RelationParam}},
		Parts: []plan.Part{{
			Plan: &made, Variables: [][]string{{"y"}},
			Constants: []plan.Slot{{From: plan.FromParam}}, Relations: []plan.Slot{{From: plan.FromParam, Index: 1}},
		}},
	})
}

// Believe sets the confidence of the predicted links in the witnesses of a verdict, as Why does for its witnesses and Ask
// for the witnesses of rows: the probability that the fact is true, or false if the atom is negated. Without calibration
// it sets none.
func (q *Question) Believe(ctx context.Context, r *Reply) error {
	if r.Verdict == nil {
		return nil
	}
	_, err := q.Model().Now().believe(ctx, r.Verdict.Witnesses, LinkOptions{Semantics: &q.spec.Semantics})
	return err
}

// believe sets the confidence of the predicted links in witnesses, in place, or says why they have none.
func (m *Model) believe(ctx context.Context, witnesses []Witness, o LinkOptions) (uncalibrated string, err error) {
	if why := m.Uncalibrated(o.Semantics); why != "" {
		return why, nil
	}
	questions, links := predicted(witnesses)
	if len(questions) == 0 {
		return "", nil
	}
	replies, err := m.Links(ctx, questions, o)
	if err != nil {
		return "", err
	}
	for i, reply := range replies {
		if reply.Uncalibrated != "" {
			return reply.Uncalibrated, nil
		}
		for k, a := range links[i] {
			row := &reply.Rows[k]
			a.Confidence = row.Confidence
			a.basis = row.Basis
			switch {
			case a.Negated && row.Basis != nil && row.Basis.Complete:
				a.Confidence = 1
			case a.Negated:
				a.Confidence = 1 - a.Confidence
			}
		}
	}
	return "", nil
}

// predicted returns a question for each predicted link in the witnesses, and the atoms that share it.
func predicted(witnesses []Witness) (questions []LinkQuestion, links [][]*WitnessAtom) {
	type ends struct {
		head     graph.EntityID
		relation graph.RelationID
	}
	index := map[ends]int{}
	for i := range witnesses {
		for k := range witnesses[i].Atoms {
			a := &witnesses[i].Atoms[k]
			if a.Observed || a.relation == explain.Same {
				continue
			}
			key := ends{a.Head.ID, a.relation}
			at, asked := index[key]
			if !asked {
				at = len(questions)
				index[key] = at
				questions = append(questions, LinkQuestion{Head: key.head, Relation: key.relation})
				links = append(links, nil)
			}
			questions[at].Tails = append(questions[at].Tails, a.Tail.ID)
			links[at] = append(links[at], a)
		}
	}
	return questions, links
}
