package tune

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/runtime"
)

// Report is what was chosen, and why.
type Report struct {
	// Model and Queries name what was asked; the caller fills in the files.
	Model   eval.ModelInfo   `json:"model"`
	Queries eval.QueriesInfo `json:"queries"`
	// Settings are the model's own, which each shape had before.
	Settings runtime.Settings `json:"settings"`
	Grid     Grid             `json:"grid"`
	Folds    int              `json:"folds"`
	Shapes   []Shape          `json:"shapes"`
	// Before and After are the averages over shapes, After with the held-out gains.
	Before []eval.Average `json:"before"`
	After  []eval.Average `json:"after"`
}

// Shape is what was chosen for a shape.
type Shape struct {
	Name string `json:"name"`
	// Shape is the name if it is that of the benchmark shape, which averages count;
	// Key is the canonical text.
	Shape   string `json:"shape,omitempty"`
	Key     string `json:"key"`
	Queries int    `json:"queries"`
	// Tried counts the settings.
	Tried int `json:"tried"`
	// Tuned are the settings that were chosen, best first; none if the model's own
	// are not certainly worse.
	Tuned []runtime.Settings `json:"tuned,omitempty"`
	// Before is the MRR with the model's own settings, Fitted that of the best on
	// the queries that it was chosen by.
	Before float64 `json:"mrr_before"`
	Fitted float64 `json:"mrr_fitted"`
	// Gain is the held-out gain in MRR of choosing, GainError its standard error.
	Gain      float64 `json:"held_out_gain"`
	GainError float64 `json:"held_out_gain_error"`
}

// report chooses for every shape.
func report(subjects []*subject, set *queryset.Set, c Config) *Report {
	base := c.Model.Manifest.Settings
	r := &Report{Model: eval.NewModelInfo(c.Model), Queries: eval.NewQueriesInfo(set), Settings: base, Grid: c.Grid, Folds: c.Folds}
	var before, after []eval.ShapeReport
	for _, s := range subjects {
		x := s.choose(base, c.Folds)
		r.Shapes = append(r.Shapes, x)
		e := eval.ShapeReport{Name: x.Name, Shape: x.Shape, Group: eval.ShapeGroup(x.Shape), Queries: x.Queries}
		e.MRR = x.Before
		before = append(before, e)
		if len(x.Tuned) > 0 {
			e.MRR += x.Gain
		}
		after = append(after, e)
	}
	r.Before, r.After = eval.Averages(before), eval.Averages(after)
	return r
}

// choose chooses settings for a shape, and those with D+1 layers behind them where
// they are of another number.
func (s *subject) choose(base runtime.Settings, folds int) Shape {
	own := s.base(base.Lambda)
	c := choose(s.mrr, own, folds)
	x := Shape{
		Name: s.name, Shape: s.shape, Key: s.key, Queries: s.queries(), Tried: len(s.mrr),
		Before: mean(s.mrr[own]), Fitted: mean(s.mrr[c.setting]),
	}
	// An infinite error, of a single query, is no JSON.
	if x.Gain = c.heldOut.mean; x.Queries > 1 {
		x.GainError = c.heldOut.err
	}
	if c.setting == own {
		return x
	}
	x.Tuned = append(x.Tuned, s.settings(c.setting))
	if x.Tuned[0].Layers == 0 || base.Layers != 0 {
		return x
	}
	var rows []int
	var mrr [][]float32
	for row := range s.mrr {
		if s.settings(row).Layers == 0 {
			rows, mrr = append(rows, row), append(mrr, s.mrr[row])
		}
	}
	if at := choose(mrr, own, folds).setting; rows[at] != own {
		x.Tuned = append(x.Tuned, s.settings(rows[at]))
	}
	return x
}

func mean(row []float32) float64 {
	sum := 0.0
	for _, x := range row {
		sum += float64(x)
	}
	return sum / float64(len(row))
}

// Tuned returns a model's tuned settings with those of the report in their place:
// of the shapes that were tuned, none is left from before.
func (r *Report) Tuned(before map[string][]runtime.Settings) map[string][]runtime.Settings {
	all := map[string][]runtime.Settings{}
	for key, list := range before {
		all[key] = list
	}
	for _, s := range r.Shapes {
		if delete(all, s.Key); len(s.Tuned) > 0 {
			all[s.Key] = s.Tuned
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// Tables returns the tables of the report.
func (r *Report) Tables() []eval.Table {
	shapes := eval.Table{Header: []string{"shape", ">queries", ">settings", ">MRR", ">fitted", ">held-out gain", ">±", ">λ", ">α", ">w", "L"}}
	for _, s := range r.Shapes {
		row := []string{s.Name, strconv.Itoa(s.Queries), strconv.Itoa(s.Tried), percent(s.Before), percent(s.Fitted), gain(s.Gain), percent(s.GainError), "", "", "", "as before"}
		if len(s.Tuned) > 0 {
			t := s.Tuned[0]
			layers := "D+1"
			if t.Layers > 0 {
				layers = strconv.Itoa(t.Layers)
			}
			copy(row[7:], []string{fmt.Sprint(t.Lambda), fmt.Sprint(t.Alpha), fmt.Sprint(t.Weight), layers})
		}
		shapes.Rows = append(shapes.Rows, row)
	}
	averages := eval.Table{Header: []string{"average", ">shapes", ">MRR", ">with held-out gain", ">gain"}}
	for i, a := range r.Before {
		b := r.After[i]
		averages.Rows = append(averages.Rows, []string{a.Label(), fmt.Sprintf("%d of %d", a.Shapes, a.Of), percent(a.MRR), percent(b.MRR), gain(b.MRR - a.MRR)})
	}
	if len(averages.Rows) == 0 {
		return []eval.Table{shapes}
	}
	return []eval.Table{shapes, averages}
}

// Note says how to read the tables.
func (r *Report) Note() string {
	return fmt.Sprintf("fitted is the MRR on the queries that the settings were chosen by. The held-out gain is that of settings chosen\n"+
		"by the other %d of %d folds; a shape whose gain does not exceed its standard error, ±, keeps the model's own.", r.Folds-1, r.Folds)
}

func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 2, 64) }

func gain(x float64) string { return fmt.Sprintf("%+.2f", 100*x) }

// WriteMarkdown writes the report for a page.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "- model: %s\n- queries: %s, split %s, %d queries\n- settings before: λ = %v, α = %v, w = %v\n", r.Model.File, r.Queries.File, r.Queries.Split, r.Queries.Count, r.Settings.Lambda, r.Settings.Alpha, r.Settings.Weight)
	for _, t := range r.Tables() {
		b.WriteString("\n")
		t.Markdown(&b)
	}
	fmt.Fprintf(&b, "\n%s\n", r.Note())
	_, err := io.WriteString(w, b.String())
	return err
}
