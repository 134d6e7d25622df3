package runtime

import (
	"cmp"
	"context"
	"fmt"
	"math"
)

// AskAgainst is Ask, and compares the reply with another question's for the same values, such as the same question
// bound to Model.Base. It sets Changes of a reply with answers or rows, for those among the K best of either
// question, and Before of other replies. An answer came if the 2K best of the other question lack it, and went if
// the 2K best of this one do; MaxRows bounds both lists. If ctx ends, the reply has the answers found so far and
// no Changes. Without another question it is Ask.
func (q *Question) AskAgainst(ctx context.Context, other *Question, a Args, o Options) (*Reply, error) {
	if other == nil {
		return q.Ask(ctx, a, o)
	}
	if o.Coverage > 0 {
		return nil, badOption("Coverage", "it is for a question that is not compared with another one")
	}
	k := cmp.Or(o.K, DefaultK)
	offset := o.Offset
	o.K = max(k, min(2*k, MaxRows-offset))
	r, err := q.Ask(ctx, a, o)
	var before *Reply
	if err == nil {
		before, err = other.Ask(ctx, a, o)
	}
	switch {
	case r == nil, err != nil && (ctx.Err() == nil || !r.Kind.Lists()):
		return nil, err
	case !r.Kind.Lists():
		r.Before = before
		return r, nil
	case err == nil:
		r.Changes = changes(before.Rows, r.Rows, k, offset)
	default:
		r.Incomplete = true
	}
	if len(r.Rows) > k {
		r.Rows = r.Rows[:k]
		r.Next = offset + k
	}
	return r, err
}

// changes compares two lists of answers, for those among the first k of either.
func changes(before, after []Row, k, offset int) []AnswerChange {
	list := []AnswerChange{}
	was := standings(before, offset)
	is := standings(after, offset)
	compare := func(r *Row) {
		key := r.key()
		c := AnswerChange{Values: r.Values, Before: was[key], After: is[key]}
		delete(was, key)
		delete(is, key)
		switch {
		case c.Before == nil && c.After == nil: // compared already
		case c.Before == nil:
			c.Change = "came"
		case c.After == nil:
			c.Change = "went"
		default:
			c.Change = map[int]string{1: "rose", -1: "fell"}[c.After.compare(c.Before)]
		}
		if c.Change != "" {
			list = append(list, c)
		}
	}
	for i := range after[:min(k, len(after))] {
		compare(&after[i])
	}
	for i := range before[:min(k, len(before))] {
		compare(&before[i])
	}
	return list
}

// key identifies the entities of a row.
func (r *Row) key() string {
	var ids []int
	for _, v := range r.Values {
		ids = append(ids, int(v.ID))
	}
	return fmt.Sprint(ids)
}

// standings returns the places of rows by key.
func standings(rows []Row, offset int) map[string]*Standing {
	all := make(map[string]*Standing, len(rows))
	for i := range rows {
		r := &rows[i]
		all[r.key()] = &Standing{offset + i + 1, r.Confidence, r.Score, r.Status}
	}
	return all
}

// compare returns 1 if s is a better place than before, −1 if it is a worse one, otherwise 0.
func (s *Standing) compare(before *Standing) int {
	if known := s.Status == Known; known != (before.Status == Known) {
		return map[bool]int{true: 1, false: -1}[known]
	}
	if s.Confidence == 0 && before.Confidence == 0 {
		return cmp.Compare(before.Rank, s.Rank)
	}
	return cmp.Compare(math.Round(100*s.Confidence), math.Round(100*before.Confidence))
}
