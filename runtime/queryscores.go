package runtime

import "context"

// scoresOf is ScoresBatch for a plan that answers batches itself.
func (q *Query) scoresOf(ctx context.Context, batch []Bindings, s *Settings, use func(i int, answer Vector, sets []Vector) error) error {
	for _, b := range batch {
		if err := q.plan.checkBindings(q.model, b); err != nil {
			return q.fail(err)
		}
	}
	opts, err := Options{Settings: s}.withDefaults(q.model, q.plan)
	if err != nil {
		return q.fail(err)
	}
	if err := q.plan.Scores(ctx, batch, *opts.Settings, use); err != nil {
		return q.fail(err)
	}
	return nil
}

// answersOf is AnswerBatch for a plan that answers batches itself.
func (q *Query) answersOf(ctx context.Context, batch []Bindings, o Options) ([]*Answers, error) {
	opts, err := o.withDefaults(q.model, q.plan)
	if err != nil {
		return nil, q.fail(err)
	}
	results := make([]*Answers, len(batch))
	err = q.scoresOf(ctx, batch, opts.Settings, func(i int, answer Vector, sets []Vector) (err error) {
		results[i], err = q.report(ctx, batch[i], opts, rankAll(answer, sets, opts))
		return err
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}
