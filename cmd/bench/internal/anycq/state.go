package anycq

import (
	"fmt"
	"time"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/lines"
	"github.com/efoc/efoc/runtime/model"
)

// State is a file of finished questions, to go on from.
type State struct {
	*lines.Log[record]
	found map[place]Result
}

// place is the place of a question in a set.
type place struct{ Group, Question int }

// header is the first line: what the results depend on.
type header struct {
	Version   int             `json:"efoc_anycq"`
	Model     string          `json:"model"`
	Questions string          `json:"questions"`
	Semantics model.Semantics `json:"semantics"`
	Settings  model.Settings  `json:"settings"`
	Timeout   time.Duration   `json:"timeout"`
}

// record is every other line.
type record struct {
	place
	Result Result
}

// OpenState opens the state file of a run, or begins it. Results of another model, of other
// questions or options are refused.
func OpenState(path string, set *Set, c Config) (*State, error) {
	s := &State{found: map[place]Result{}}
	var groups []any
	for _, g := range set.Groups {
		groups = append(groups, g.Kind, g.Refused, g.Ground, g.Questions)
		if g.Template != nil {
			groups = append(groups, g.Template.String())
		}
	}
	h := header{2, eval.ModelSum(c.Model), eval.Sum(groups...), *c.Prepare.Semantics, c.Model.Settings(), c.Timeout}
	var err error
	s.Log, err = lines.Open(path, h, func(r record) error {
		if r.Group < 0 || r.Group >= len(set.Groups) || r.Question < 0 || r.Question >= len(set.Groups[r.Group].Questions) {
			return fmt.Errorf("question %d of group %d: there is none", r.Question, r.Group)
		}
		q := set.Groups[r.Group].Questions[r.Question]
		if x := r.Result; q.Label == "" && x.Unanswered == "" &&
			(len(x.Positive) != len(q.Positive) || len(x.Negative) != len(q.Negative) || len(x.Easy) > len(q.Positive)) {
			return fmt.Errorf("question %d of group %d: want scores of %d and %d answers", r.Question, r.Group, len(q.Positive), len(q.Negative))
		}
		s.found[r.place] = r.Result
		return nil
	})
	return s, err
}
