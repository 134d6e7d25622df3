package tune

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime/model"
)

// Report is the choice, with its reasons.
type Report struct {
	// Model and Queries identify what was asked; the caller fills in the files.
	Model   eval.ModelInfo   `json:"model"`
	Queries eval.QueriesInfo `json:"queries"`
	// Semantics selects the tuned settings.
	Semantics model.Semantics `json:"semantics"`
	// Settings are the model's own, which every shape had before.
	Settings model.Settings `json:"settings"`
	Grid     Grid           `json:"grid"`
	Folds    int            `json:"folds"`
	Shapes   []Shape        `json:"shapes"`
	// Before and After are the averages over shapes, After with the held-out gains.
	Before []eval.Average `json:"before"`
	After  []eval.Average `json:"after"`
}

// Shape is the choice for a shape.
type Shape struct {
	Name string `json:"name"`
	// Shape is the name if it is that of the benchmark shape, which averages count;
	// Key is the canonical text.
	Shape   string `json:"shape,omitempty"`
	Key     string `json:"key"`
	Queries int    `json:"queries"`
	// Tried counts the settings.
	Tried int `json:"tried"`
	// Tuned are the chosen settings, best first; none unless they are certainly better than the
	// model's own.
	Tuned []model.Settings `json:"tuned,omitempty"`
	// Before is the MRR with the model's own settings, Fitted that of the best settings on the
	// queries that chose them.
	Before float64 `json:"mrr_before"`
	Fitted float64 `json:"mrr_fitted"`
	// Gain is the held-out gain in MRR of choosing, GainError its standard error.
	Gain      float64 `json:"held_out_gain"`
	GainError float64 `json:"held_out_gain_error"`
}

// report chooses for every shape.
func report(subjects []*subject, set *queryset.Set, c Config) *Report {
	r := &Report{
		Model: eval.NewModelInfo(c.Model), Queries: eval.NewQueriesInfo(set), Semantics: c.Semantics,
		Settings: c.Model.Manifest.Settings, Grid: c.Grid, Folds: c.Folds,
	}
	var before, after []eval.ShapeReport
	for _, s := range subjects {
		x := s.choose(c.Folds)
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
func (s *subject) choose(folds int) Shape {
	own := s.own()
	all := table{mrr: s.mrr, base: own, cheaper: s.cheaper}
	c := all.choose(folds)
	x := Shape{
		Name: s.name, Shape: s.shape, Key: s.key, Queries: s.queries(), Tried: len(s.mrr),
		Before: mean(s.mrr[own]), Fitted: mean(s.mrr[c.setting]),
	}
	// JSON has no infinity, the error of a single query.
	if x.Gain = c.heldOut.mean; x.Queries > 1 {
		x.GainError = c.heldOut.err
	}
	if c.setting == own {
		return x
	}
	x.Tuned = append(x.Tuned, s.settings(c.setting))
	if s.semantics != model.NSMP || x.Tuned[0].Layers == 0 || s.base.Layers != 0 {
		return x
	}
	var rows []int
	var some table
	for row := range s.mrr {
		if s.settings(row).Layers == 0 {
			rows, some.mrr = append(rows, row), append(some.mrr, s.mrr[row])
		}
	}
	some.base = slices.Index(rows, own)
	if at := some.choose(folds).setting; at != some.base {
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

// Tuned returns a model's tuned settings with those of the report replacing earlier ones for
// the same shapes. Tuning message passing keeps the settings of truth degrees, and vice versa.
func (r *Report) Tuned(before map[string][]model.Settings) map[string][]model.Settings {
	all := map[string][]model.Settings{}
	maps.Copy(all, before)
	own := []model.Settings{r.Settings}
	for _, s := range r.Shapes {
		messages, degrees := before[s.Key], r.Settings.Degrees
		if len(messages) == 0 {
			messages = own
		}
		if r.Semantics == model.NSMP {
			degrees = messages[0].Degrees
			if messages = s.Tuned; len(messages) == 0 {
				messages = own
			}
		} else if len(s.Tuned) > 0 {
			degrees = s.Tuned[0].Degrees
		}
		list := slices.Clone(messages)
		for i := range list {
			list[i].Degrees = degrees
		}
		if all[s.Key] = list; slices.Equal(list, own) {
			delete(all, s.Key)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// Tables returns the tables of the report.
func (r *Report) Tables() []eval.Table {
	shapes := eval.Table{Header: []string{"shape", ">queries", ">settings", ">MRR", ">fitted", ">held-out gain", ">±"}}
	settings := r.chosen(r.Settings)
	for _, c := range settings {
		shapes.Header = append(shapes.Header, ">"+c.Symbol)
	}
	for _, s := range r.Shapes {
		row := tables.Row{s.Name, s.Queries, s.Tried, percent(s.Before), percent(s.Fitted), gain(s.Gain), percent(s.GainError)}
		if len(s.Tuned) > 0 {
			for _, c := range r.chosen(s.Tuned[0]) {
				row = append(row, c.Value)
			}
		} else {
			row = append(append(row, "as before"), slices.Repeat(tables.Row{""}, len(settings)-1)...)
		}
		shapes.Rows = append(shapes.Rows, row)
	}
	averages := eval.Table{Header: []string{"average", ">shapes", ">MRR", ">with held-out gain", ">gain"}}
	for i, a := range r.Before {
		b := r.After[i]
		averages.Rows = append(averages.Rows, tables.Row{a.Label(), fmt.Sprintf("%d of %d", a.Shapes, a.Of), percent(a.MRR), percent(b.MRR), gain(b.MRR - a.MRR)})
	}
	if len(averages.Rows) == 0 {
		return []eval.Table{shapes}
	}
	return []eval.Table{shapes, averages}
}

// chosen lists those settings that a report chooses.
func (r *Report) chosen(s model.Settings) []eval.Setting {
	return slices.DeleteFunc(eval.Settings(r.Semantics, s), func(x eval.Setting) bool { return !Chooses(r.Semantics, x.Name) })
}

// Note says how to read the tables.
func (r *Report) Note() string {
	return fmt.Sprintf("fitted is the MRR on the queries that the settings were chosen by. The held-out gain is that of settings chosen\n"+
		"by the other %d of %d folds; a shape whose gain does not exceed its standard error, ±, keeps the model's own.", r.Folds-1, r.Folds)
}

func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 2, 64) }

func gain(x float64) string { return fmt.Sprintf("%+.2f", 100*x) }
