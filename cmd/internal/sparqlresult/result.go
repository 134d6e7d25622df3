// Package sparqlresult selects the answers to a SPARQL query, and writes them in the formats of SPARQL 1.1. It looks
// up the stored facts of an entity itself, and knows neither HTTP nor how other answers are found.
package sparqlresult

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/plan"
)

// Wanted selects answers of the runtime for a query.
type Wanted struct {
	K, Offset     int
	Statuses      []string // none means any
	MinConfidence float64
}

// Set sets the options that select the answers.
func (w *Wanted) Set(o *runtime.Options) (err error) {
	o.K = w.K
	o.Offset = w.Offset
	o.Filter.MinConfidence = w.MinConfidence
	o.Filter.Statuses, err = runtime.ParseStatus(w.Statuses...)
	return err
}

// Want returns the answers or rows that a query of a kind needs, of answers at most max at once. Without calibration
// answers have no confidence: then known answers count as likely.
func Want(r *sparql.Request, kind plan.Kind, max int, calibrated bool) Wanted {
	switch kind {
	case plan.Answers:
	case plan.Rows:
		k, offset := window(r, max)
		return Wanted{K: k, Offset: offset}
	default:
		return Wanted{}
	}
	w := Wanted{K: max, Statuses: r.Statuses, MinConfidence: r.MinConfidence}
	switch {
	case r.Judged || r.Limit != nil && ranked(r) && !r.Ask:
	case calibrated: // known answers, and answers that are more likely true than false
		w.MinConfidence = runtime.Likely
	default:
		w.Statuses = []string{runtime.Known.String()}
	}
	switch {
	case !ranked(r):
	case r.Ask:
		w.K = 1
	default:
		w.K, w.Offset = window(r, max)
	}
	return w
}

// window returns how many answers, at most max, yield the solutions that a query wants in order of rank, and how many
// better answers to skip: 0 if each may yield several solutions.
func window(r *sparql.Request, max int) (k, offset int) {
	offset = r.Offset
	end := 0
	if r.Several() {
		end = offset
		offset = 0
	}
	if r.Limit == nil {
		return max, offset
	}
	return min(*r.Limit+end, max), offset
}

// ranked reports whether the query wants the best answers in order of rank. Any other order needs all answers.
func ranked(r *sparql.Request) bool { return len(r.Order) == 0 }

// Result is the result of a query: the solutions of SELECT, or for ASK whether there are any. If the pattern lacks the
// selected variable, Rows has one row if the pattern holds, and none otherwise. A selected value is an attribute of the
// row, named after its variable.
type Result struct {
	Rows    []runtime.Row
	Columns []runtime.Column // the attributes of the rows
	Holds   bool
	Count   *runtime.Count // the number of answers, if requested
	// Incomplete says that the search for rows or answers ended before it had all.
	Incomplete bool
}

// Of converts a reply of any kind to a result; wanted is from Want.
func Of(r *sparql.Request, wanted Wanted, found *runtime.Reply) (*Result, error) {
	switch found.Kind {
	case plan.Verdict:
		return decided(r, found.Verdict), nil
	case plan.Count:
		return &Result{Count: found.Count}, nil
	}
	return answers(r, wanted, found)
}

// decided converts a verdict to a result.
func decided(r *sparql.Request, v *runtime.Verdict) *Result {
	result := &Result{Holds: v.Holds}
	if r.Judged {
		statuses, err := runtime.ParseStatus(r.Statuses...)
		result.Holds = err == nil && (statuses == 0 || statuses&v.Status != 0) && v.Confidence >= r.MinConfidence
	}
	result.solve(r, []runtime.Row{{Values: make([]runtime.Value, 1), Confidence: v.Confidence, Status: v.Status}})
	return result
}

// solve sets the only solution of a SELECT without an answer variable, if there is one.
func (a *Result) solve(r *sparql.Request, rows []runtime.Row) {
	if r.Solution && a.Holds && r.Offset == 0 && (r.Limit == nil || *r.Limit > 0) {
		a.Rows = rows[:1]
	}
}

// answers converts answers to a result. If the query needs all answers and there are more, the error gives advice.
func answers(r *sparql.Request, wanted Wanted, found *runtime.Reply) (*Result, error) {
	list := found.Rows
	result := &Result{Holds: len(list) > 0, Columns: found.Columns, Incomplete: found.Incomplete}
	result.solve(r, list)
	needsAll := !r.Ask && (r.Limit == nil || wanted.K < *r.Limit || !ranked(r) || r.Several() && wanted.K < r.Offset+*r.Limit)
	if len(r.Values) > 0 {
		list = stating(r, list)
		result.Columns = valueColumns(r)
	}
	switch {
	case len(list) > mostSolutions && (needsAll || r.Offset+*r.Limit > mostSolutions):
		return nil, fmt.Errorf("the query has more than %d solutions: ask for fewer by FILTER, or for the best by LIMIT", mostSolutions)
	case needsAll && found.Incomplete:
		return nil, fmt.Errorf("the search for answers was given up after %d because it took too much work: ask for fewer by LIMIT without ORDER BY", len(list))
	case needsAll && found.Next > 0:
		return nil, fmt.Errorf("the query has more than %d answers: ask for parts by LIMIT of at most %[1]d and OFFSET, without ORDER BY, or for fewer by FILTER(?%s_confidence >= …)",
			wanted.K, r.Query.Free)
	}
	if r.Ask {
		return result, nil
	}
	if !ranked(r) {
		list = slices.Clone(list)
		sortAnswers(r, list)
	}
	if !ranked(r) || r.Several() {
		list = list[min(r.Offset, len(list)):]
	}
	if r.Limit != nil {
		list = list[:min(*r.Limit, len(list))]
	}
	result.Rows = list
	return result, nil
}

// sortAnswers orders answers, ties by rank.
func sortAnswers(r *sparql.Request, list []runtime.Row) {
	slices.SortStableFunc(list, func(a, b runtime.Row) (c int) {
		for _, o := range r.Order {
			switch o.Key {
			case sparql.ByIRI:
				c = compareTerms(a.Values[o.Column].Name, b.Values[o.Column].Name)
			case sparql.ByLabel:
				c = strings.Compare(a.Values[o.Column].Label, b.Values[o.Column].Label)
			case sparql.ByConfidence:
				c = cmp.Compare(a.Confidence, b.Confidence)
			case sparql.ByValue:
				c = cmp.Compare(stated(r, &a, o.Column).Values[0], stated(r, &b, o.Column).Values[0])
			case sparql.ByStatus:
				c = strings.Compare(a.Status.String(), b.Status.String())
			}
			if o.Descending {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
}
