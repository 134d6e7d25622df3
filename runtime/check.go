package runtime

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/internal/judge"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// options completes the options and checks that the plan supports them.
func (q *query) options(o Options) (Options, error) {
	opts, err := o.withDefaults(q.model)
	opts.Settings = q.possible(opts.Settings)
	if err == nil {
		err = checkShow(q.names.variables, o.Show)
	}
	if err == nil {
		err = q.checkLayers(opts.Settings)
	}
	if err == nil && opts.Filter.MinConfidence > 0 {
		if why := q.uncalibrated(opts.Settings, q.bound.Plan.Semantics); why != "" {
			err = badOption("MinConfidence", "%s", why)
		}
	}
	if err == nil && opts.Coverage > 0 {
		err = q.checkCoverage(opts)
	}
	return opts, err
}

// checkCoverage reports options that exclude Coverage, and a model without questions enough for it.
func (q *query) checkCoverage(o Options) error {
	if o.Offset > 0 || o.NoStatus || o.Filter != (AnswerFilter{}) {
		return badOption("Coverage", "it takes the best answers of all kinds, with their statuses: leave out the offset and filters")
	}
	trials, why := q.coverage(o)
	if why != "" {
		return badOption("Coverage", "%s", why)
	}
	if _, enough := trials.At(o.Coverage); !enough {
		return badOption("Coverage", "%v takes %.0f validation questions of this form that lack answers, and the model has %d: ask for less, or calibrate it again with more facts",
			o.Coverage, math.Ceil(o.Coverage/(1-o.Coverage)-1e-9), trials.Questions)
	}
	return nil
}

// coverage returns the calibration of Coverage, or why there is none.
func (q *query) coverage(o Options) (*model.Coverage, string) {
	c, why := judge.Calibration(q.bound.Model, q.bound.Plan.Semantics, q.possible(o.Settings))
	if why != "" {
		return nil, why
	}
	return &c.Of(o.HeldOut > 0).Coverage[scq.Form(q.bound.Plan.Disjuncts)], ""
}

// possible returns the settings that the query can use: without regularities for truth degrees on a device.
func (q *query) possible(s *model.Settings) *model.Settings {
	if !q.bound.OnDevice() || q.bound.Plan.Semantics == model.NSMP || !q.model.bundle.Manifest.ScoreTerms.Any() {
		return s
	}
	without := *s
	without.Degrees = s.Degrees.OrDefault()
	without.Degrees.Regularities = false
	return &without
}

// checkLayers reports settings for another number of layers than the plan's.
func (q *query) checkLayers(s *model.Settings) error {
	p := q.bound.Plan
	if p.Semantics == model.FIT || s.Layers == p.Layers {
		return nil
	}
	return badOption("Settings", "the plan was compiled for %s layers, the settings ask for %s: compile it with that number",
		layerText(p.Layers), layerText(s.Layers))
}

func layerText(l int) string {
	if l == 0 {
		return "D+1"
	}
	return fmt.Sprint(l)
}

// checkShow reports variables that cannot be shown because no disjunct quantifies them; disjuncts lists the
// existential variables of each.
func checkShow(disjuncts [][]string, variables []string) error {
	var known []string
	for _, names := range disjuncts {
		for _, name := range names[1:] {
			if !slices.Contains(known, name) {
				known = append(known, name)
			}
		}
	}
	for i, name := range variables {
		switch {
		case slices.Contains(variables[:i], name):
			return badOption("Show", "variable %q is to be shown twice", name)
		case slices.Contains(known, name):
		case name == disjuncts[0][0]:
			return badOption("Show", "variable %q is the free one, which is the answer itself: show variables under exists", name)
		case len(known) == 0:
			return badOption("Show", "variable %q cannot be shown: the query has no variable under exists", name)
		default:
			return badOption("Show", "variable %q cannot be shown: the query has %s under exists", name, strings.Join(known, ", "))
		}
	}
	return nil
}

// uncalibrated says why answers by a semantics under the given settings have no confidence; it is empty if they have
// one.
func (q *query) uncalibrated(s *model.Settings, by model.Semantics) string {
	_, why := judge.Calibration(q.bound.Model, by, q.possible(s))
	return why
}
