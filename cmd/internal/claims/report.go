// Package claims compares the confidence of predicted links with their truth, which facts put aside decide: the model's
// graph lacks them. Ordinary questions r(h, y) are drawn from the facts of the graph, held-out questions from the facts
// put aside. efoc eval --own and the believe command of cmd/bench use it.
package claims

import (
	"cmp"
	"context"
	"strconv"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Options configure a measurement.
type Options struct {
	// Questions is the number of questions of each kind, and Seed picks them.
	Questions int
	Seed      uint64
	// Semantics and Settings to answer by; nil means the model's.
	Semantics *model.Semantics
	Settings  *model.Settings
	// Progress, if not nil, receives the kinds that are done and their number.
	Progress func(done, total int)
}

// Report has what was claimed of the best predicted answers, and what was true.
type Report struct {
	Semantics model.Semantics `json:"semantics"`
	Kinds     []Kind          `json:"kinds"`
	// InRange is the AUC of confidence: of each fact put aside, and of another tail of a fact of its relation.
	InRange float64       `json:"auc_in_range"`
	Missing model.Missing `json:"missing"`
}

// Kind sums up the claims about answers to questions of a kind.
type Kind struct {
	Name      string `json:"name"`
	Questions int    `json:"questions"`
	// Expected is the sum of confidences, and True the number of true answers.
	Expected float64 `json:"expected"`
	True     int     `json:"true"`
	// Likely counts the claims of 50% or more, and LikelyTrue the true ones of these.
	Likely     int `json:"likely"`
	LikelyTrue int `json:"likely_true"`
	// Second and Loops are the confidences of false answers: second values of one-valued relations, and
	// loops of relations that have none.
	Second float64 `json:"second_values"`
	Loops  float64 `json:"loops"`
	AUC    float64 `json:"auc"`
	Skill  float64 `json:"brier_skill"`
	ECE    float64 `json:"calibration_error"`
}

// kinds are the questions that are asked, and whether confidence is the one for questions of held-out
// facts, which efoc eval reports.
var kinds = []struct {
	name    string
	aside   bool
	heldOut bool
}{
	{"ordinary", false, false},
	{"held out", true, false},
	{"held out, as efoc eval reports it", true, true},
}

// Measure asks a model questions of each kind. aside are facts that its graph lacks.
func Measure(ctx context.Context, m *runtime.Model, aside []graph.Triple, o Options) (*Report, error) {
	a := newAsker(m, aside, o)
	ordinary := a.ordinary()
	heldOut := a.heldOut()
	r := &Report{Semantics: *cmp.Or(o.Semantics, &m.Bundle().Manifest.Semantics), Missing: m.Bundle().Manifest.Missing}
	for i, k := range kinds {
		if o.Progress != nil {
			o.Progress(i, len(kinds))
		}
		questions := ordinary
		if k.aside {
			questions = heldOut
		}
		share := 0.0
		if k.heldOut {
			share = r.Missing.HeldOut
		}
		claims, err := a.ask(ctx, questions, share)
		if err != nil {
			return nil, err
		}
		r.Kinds = append(r.Kinds, newKind(k.name, len(questions), claims))
	}
	var err error
	r.InRange, err = a.againstRange(ctx, heldOut)
	return r, err
}

// newKind sums up claims about answers to some number of questions.
func newKind(name string, questions int, claims []claim) Kind {
	k := Kind{Name: name, Questions: questions}
	list := make([]eval.Claim, len(claims))
	for i, c := range claims {
		list[i] = c.Claim
		k.add(c)
	}
	if x := eval.NewReliability(list); x != nil {
		k.AUC = x.AUC
		k.Skill = x.Skill
		k.ECE = x.ECE
	}
	return k
}

// add adds a claim to the sums.
func (k *Kind) add(c claim) {
	k.Expected += c.Confidence
	likely := c.Confidence >= runtime.Likely
	if likely {
		k.Likely++
	}
	if c.True {
		k.True++
		if likely {
			k.LikelyTrue++
		}
		return
	}
	if c.second {
		k.Second += c.Confidence
	}
	if c.loop {
		k.Loops += c.Confidence
	}
}

// header names the columns.
var header = []string{
	"questions", ">asked", ">expected", ">true", ">claimed >= .5", ">true", ">second values", ">loops", ">AUC", ">skill", ">ECE",
}

// Table has a row for each kind.
func (r *Report) Table() string {
	var rows []tables.Row
	for _, k := range r.Kinds {
		rows = append(rows, tables.Row{
			k.Name, k.Questions, decimals(k.Expected, 1), k.True, k.Likely, k.LikelyTrue, decimals(k.Second, 1), decimals(k.Loops, 2),
			decimals(k.AUC, 3), decimals(k.Skill, 3), decimals(k.ECE, 3),
		})
	}
	return tables.Text(header, rows)
}

// Facts says what else there is to know.
func (r *Report) Facts() []tables.Row {
	return []tables.Row{
		{"assumed to be missing", decimals(100*r.Missing.Assumed, 1) + "% of the facts, " + decimals(100*r.Missing.HeldOut, 1) + "% for questions of held-out facts"},
		{"held-out facts against tails in range", "AUC of confidence " + decimals(r.InRange, 3)},
	}
}

func decimals(x float64, n int) string { return strconv.FormatFloat(x, 'f', n, 64) }
