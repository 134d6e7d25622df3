package fit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/efoc/efoc/runtime"
)

// Semantics says what the degree of an answer means.
type Semantics string

// The semantics.
const (
	// NSMP is message passing: probabilities. It is the default.
	NSMP Semantics = "nsmp"
	// FIT is truth degrees.
	FIT Semantics = "fit"
	// Mixed is the log-linear mixture of both, p ∝ (p_NSMP + a)^(1−g)·(p_FIT + b)^g
	// with a = 1e-12 and b = 1e-6, normalised over the entities: what either of them
	// is sure to refuse stays comparable by the other.
	Mixed Semantics = "mixed"
)

// All lists the semantics by name.
var All = []Semantics{NSMP, FIT, Mixed}

// The floors of the mixture.
const (
	floorNSMP = 1e-12
	floorFIT  = 1e-6
)

// NewQuery binds a plan that passes messages to a model, to answer under the given
// semantics. Its Bind must be nil.
func NewQuery(m *runtime.Model, p *runtime.Plan, names runtime.QueryNames, s Semantics) (*runtime.Query, error) {
	plan, err := Plan(RowsOf(m), p, s)
	if err != nil {
		return nil, err
	}
	return runtime.NewQuery(m, plan, names)
}

// Plan returns the plan that answers the shape of p under the given semantics; p is
// what passes messages, of which FIT reads the shape and the patterns alone. Its
// Bind must be nil.
func Plan(rows *Rows, p *runtime.Plan, s Semantics) (*runtime.Plan, error) {
	if s == NSMP || s == "" {
		return p, nil
	}
	if p.Bind != nil {
		return nil, fmt.Errorf("plan %s computes a part when it is bound, which semantics %s does not", p.Shape, s)
	}
	e := New(rows, p.Patterns)
	out := &runtime.Plan{
		ABI: p.ABI, Shape: p.Shape, Layers: p.Layers, Constants: p.Constants, Relations: p.Relations,
		Patterns: p.Patterns, Sets: e.Sets(),
	}
	switch s {
	case FIT:
		out.Scores = func(ctx context.Context, batch []runtime.Bindings, s runtime.Settings, use useFunc) error {
			return e.Scores(ctx, batch, s.Degrees, use)
		}
	case Mixed:
		q, err := runtime.NewQuery(rows.model, p, runtime.QueryNames{})
		if err != nil {
			return nil, err
		}
		out.Scores = func(ctx context.Context, batch []runtime.Bindings, s runtime.Settings, use useFunc) error {
			return mixed(ctx, e, q, batch, s, use)
		}
	default:
		return nil, fmt.Errorf("unknown semantics %q, want nsmp, fit or mixed", string(s))
	}
	return out, nil
}

type useFunc = func(i int, answer runtime.Vector, sets []runtime.Vector) error

// mixed answers a batch by both semantics.
func mixed(ctx context.Context, e *Engine, q *runtime.Query, batch []runtime.Bindings, s runtime.Settings, use useFunc) error {
	g := s.Degrees.OrDefault().Mixture
	for lo := 0; lo < len(batch); lo += maxTogether {
		part := batch[lo:min(lo+maxTogether, len(batch))]
		messages := make([]runtime.Vector, len(part))
		err := q.ScoresBatch(ctx, part, &s, func(i int, answer runtime.Vector, _ []runtime.Vector) error {
			messages[i] = slices.Clone(answer)
			return nil
		})
		if err != nil {
			return err
		}
		err = e.Scores(ctx, part, s.Degrees, func(i int, answer runtime.Vector, sets []runtime.Vector) error {
			mix(answer, messages[i], g)
			return use(lo+i, answer, sets)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// mix computes the mixture of degrees x, which it overwrites, and probabilities y.
func mix(x, y runtime.Vector, g float64) {
	logs, top := make([]float64, len(x)), math.Inf(-1)
	none := g * math.Log(floorFIT)
	for i, p := range x {
		f := none
		if p > 0 {
			f = g * math.Log(float64(p)+floorFIT)
		}
		logs[i] = f + (1-g)*math.Log(float64(y[i])+floorNSMP)
		top = max(top, logs[i])
	}
	sum := 0.0
	for i, l := range logs {
		logs[i] = math.Exp(l - top)
		sum += logs[i]
	}
	for i, v := range logs {
		x[i] = float32(v / sum)
	}
}
