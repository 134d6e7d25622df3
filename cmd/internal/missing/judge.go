package missing

import (
	"context"
	"slices"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// JudgeReply sets the confidence of the predicted links that a verdict or rows rest on: see Judge.
func JudgeReply(ctx context.Context, m *runtime.Model, o compiler.Options, r *runtime.Reply) error {
	var witnesses []runtime.Witness
	if r.Verdict != nil {
		witnesses = r.Verdict.Witnesses
	}
	for _, row := range r.Rows {
		if row.Witness != nil {
			witnesses = append(witnesses, *row.Witness)
		}
	}
	return Judge(ctx, m, o, witnesses)
}

// Judge sets the confidence of the predicted links of witnesses: the chance that the fact is true by itself, or
// if the atom is negated that it is not. A model without confidence sets none.
func Judge(ctx context.Context, m *runtime.Model, o compiler.Options, witnesses []runtime.Witness) error {
	m = m.Now()
	var order []question
	links := map[question][]*runtime.WitnessAtom{}
	for i := range witnesses {
		for k := range witnesses[i].Atoms {
			a := &witnesses[i].Atoms[k]
			r, err := m.Relation(a.Relation)
			if err != nil {
				return err
			}
			q := question{a.Head.ID, r.ID()}
			switch {
			case a.Observed:
				continue
			case links[q] == nil:
				order = append(order, q)
			}
			links[q] = append(links[q], a)
		}
	}
	if len(order) == 0 {
		return nil
	}

	one, err := prepare(m, o)
	if err != nil || one.Query.Uncalibrated(&one.Settings) != "" {
		return err
	}
	for some := range slices.Chunk(order, atOnce(m)) {
		if err := judge(ctx, one, some, links); err != nil {
			return err
		}
	}
	return nil
}

// judge sets the confidence of links by some questions.
func judge(ctx context.Context, one *compiler.Prepared, questions []question, links map[question][]*runtime.WitnessAtom) error {
	bindings := make([]scq.Bindings, len(questions))
	for i, q := range questions {
		bindings[i] = q.bindings()
	}
	return one.Query.Each(ctx, bindings, &one.Settings, func(i int, run *runtime.Run) error {
		atoms := links[questions[i]]
		var tails []graph.EntityID
		for _, a := range atoms {
			tails = append(tails, a.Tail.ID)
		}
		reply, err := run.Judge(runtime.Options{}, tails)
		if err != nil {
			return err
		}
		for k, a := range atoms {
			a.Confidence = reply.Rows[k].Confidence
			if a.Negated {
				a.Confidence = 1 - a.Confidence
			}
		}
		return nil
	})
}
