// Package claims compares the confidence of predicted answers with their truth, which facts put aside decide: the model's
// graph lacks them. Ordinary questions are drawn from facts and entities of the graph, held-out questions from the facts
// put aside. efoc eval --own uses it.
package claims

import (
	"cmp"
	"context"
	"fmt"
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

// Report has what was claimed of predicted answers, and what was true.
type Report struct {
	Semantics model.Semantics `json:"semantics"`
	Kinds     []Kind          `json:"kinds"`
	// Bins are the claims of all ordinary questions r(h, y) and r(y, t), by confidence.
	Bins []eval.Bin `json:"bins"`
	// Best are the likeliest missing facts.
	Best     []Best        `json:"best_missing"`
	Counts   []Counted     `json:"counts"`
	Coverage []Covered     `json:"coverage"`
	Missing  model.Missing `json:"missing"`
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

// Best sums up the likeliest missing facts.
type Best struct {
	Facts    int     `json:"facts"`
	Expected float64 `json:"expected"`
	True     int     `json:"true"`
}

// kinds are the questions of one link that are asked.
func (a *asker) kinds() []kind {
	m := a.model.Bundle()
	return []kind{
		{"r(h, y), h has facts of r", a.ordinary(m.Graph, false), 0},
		{"r(h, y), h has none", a.without(false), 0},
		{"r(y, t), t has facts of r", a.ordinary(m.Graph, true), 0},
		{"r(y, t), t has none", a.without(true), 0},
		{"held out", a.heldOut(), m.Manifest.Missing.HeldOut},
	}
}

// kind is a kind of questions. heldOut is the share of facts held out for them, 0 for ordinary ones.
type kind struct {
	name      string
	questions []question
	heldOut   float64
}

// Measure asks a model questions of each kind. aside are facts that its graph lacks.
func Measure(ctx context.Context, m *runtime.Model, aside []graph.Triple, o Options) (*Report, error) {
	a, err := newAsker(m, aside, o)
	if err != nil {
		return nil, err
	}
	r := &Report{Semantics: *cmp.Or(o.Semantics, &m.Bundle().Manifest.Semantics), Missing: m.Bundle().Manifest.Missing}
	kinds := a.kinds()
	var simple []eval.Claim
	for i, k := range kinds {
		if o.Progress != nil {
			o.Progress(i, len(kinds)+len(shapes))
		}
		claims, err := a.ask(ctx, k)
		if err != nil {
			return nil, fmt.Errorf("questions %s: %w", k.name, err)
		}
		r.Kinds = append(r.Kinds, newKind(k.name, len(k.questions), claims))
		for _, c := range claims {
			if k.heldOut == 0 {
				simple = append(simple, c.Claim)
			}
		}
	}
	for i, s := range shapes {
		if o.Progress != nil {
			o.Progress(len(kinds)+i, len(kinds)+len(shapes))
		}
		if err := a.shape(ctx, r, s.name, s.kinds); err != nil {
			return nil, fmt.Errorf("questions of shape %s: %w", s.name, err)
		}
	}
	asked, claims, err := a.rows(ctx)
	if err != nil {
		return nil, fmt.Errorf("rows: %w", err)
	}
	r.Kinds = append(r.Kinds, newKind("rows: r(a, x) & s(x, y)", asked, claims))
	if x := eval.NewReliability(simple); x != nil {
		r.Bins = x.Bins
	}
	r.Best, err = a.best(ctx)
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

// likelyTrue is the share of true claims from which on those of a tenth count as likely.
const likelyTrue = 0.7

// found returns the share of the true claims in likely tenths that are claimed at 50% or more, and their number.
func (r *Report) found() (share float64, of int) {
	claimed := 0
	for _, b := range r.Bins {
		if b.Share() < likelyTrue {
			continue
		}
		of += b.True
		if b.From >= runtime.Likely {
			claimed += b.True
		}
	}
	return float64(claimed) / float64(max(1, of)), of
}

// Tables returns the tables of the report: of kinds of questions, of confidence and truth, of the likeliest missing facts,
// and of numbers of answers.
func (r *Report) Tables() []string {
	var kinds, bins, best, counts, covered []tables.Row
	for _, c := range r.Counts {
		n := float64(max(1, c.Questions))
		counts = append(counts, tables.Row{c.Shape, c.Questions, c.Known, decimals(c.Expected, 1), c.True, decimals(float64(c.Within)/n, 3)})
	}
	for _, c := range r.Coverage {
		n := float64(max(1, c.Questions))
		covered = append(covered, tables.Row{c.Shape, c.Level, c.Questions, decimals(float64(c.Covered)/n, 3), decimals(float64(c.Answers)/n, 1)})
	}
	for _, k := range r.Kinds {
		kinds = append(kinds, tables.Row{
			k.Name, k.Questions, decimals(k.Expected, 1), k.True, k.Likely, k.LikelyTrue, decimals(k.Second, 1), decimals(k.Loops, 2),
			decimals(k.AUC, 3), decimals(k.Skill, 3), decimals(k.ECE, 3),
		})
	}
	for _, b := range r.Bins {
		if b.Answers > 0 {
			bins = append(bins, tables.Row{fmt.Sprintf("%.1f to %.1f", b.From, b.To), b.Answers, decimals(b.Confidence*float64(b.Answers), 1), b.True})
		}
	}
	for _, b := range r.Best {
		best = append(best, tables.Row{fmt.Sprintf("best %d missing facts", b.Facts), decimals(b.Expected, 1), b.True})
	}
	return []string{
		tables.Text([]string{"questions", ">asked", ">expected", ">true", ">claimed >= .5", ">true", ">second values", ">loops", ">AUC", ">skill", ">ECE"}, kinds),
		tables.Text([]string{"claimed of one atom", ">answers", ">expected", ">true"}, bins),
		tables.Text([]string{"efoc missing", ">expected", ">true"}, best),
		tables.Text([]string{"numbers of answers", ">asked", ">known", ">expected others", ">true", ">within bounds"}, counts),
		tables.Text([]string{"lacking answers", ">coverage", ">asked", ">covered", ">mean answers"}, covered),
	}
}

// Facts says what else there is to know.
func (r *Report) Facts() []tables.Row {
	share, likely := r.found()
	return []tables.Row{
		{"true", "only what the model holds back: other true answers count as false"},
		{"assumed to be missing", decimals(100*r.Missing.Assumed, 1) + "% of the facts, " + decimals(100*r.Missing.HeldOut, 1) + "% for questions of held-out facts"},
		{"true claims in tenths that are 70% true", fmt.Sprintf("%d, %s%% of them claimed at 50%% or more", likely, decimals(100*share, 0))},
	}
}

func decimals(x float64, n int) string { return strconv.FormatFloat(x, 'f', n, 64) }
