package compare

import (
	"context"
	"fmt"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
)

// ReadQueries reads queries of shapes that the programs in PyTorch know: those of the
// benchmark.
func ReadQueries(ctx context.Context, out *cli.Output, file string, o queryset.Options) ([]*queryset.Group, error) {
	set, warnings, err := queryset.Open(ctx, file, o)
	if err != nil {
		return nil, err
	}
	for _, w := range warnings {
		out.Progress("warning: %s", w)
	}
	for _, g := range set.Groups {
		if _, err := lang.ShapeQuery(g.Name); err != nil {
			return nil, fmt.Errorf("%s: only the benchmark's shapes can be compared: %w", file, err)
		}
	}
	return set.Groups, nil
}

// Prepared is a shape that is ready to be answered.
type Prepared struct {
	*query.Query
	Settings model.Settings
	// Bindings are of the queries, in order.
	Bindings []scq.Bindings
}

// Prepare makes the queries of a group ready.
func Prepare(m *query.Model, g *queryset.Group, o compiler.PrepareOptions) (*Prepared, error) {
	o.Plans = shapes.Plans()
	p, err := compiler.Prepare(m, g.Template, o)
	if err != nil {
		return nil, fmt.Errorf("shape %s: %w", g.Name, err)
	}
	x := &Prepared{Query: p.Query, Settings: p.Settings}
	for _, q := range g.Queries {
		b, err := p.BindingsByID(q.Args)
		if err != nil {
			return nil, fmt.Errorf("shape %s: %w", g.Name, err)
		}
		x.Bindings = append(x.Bindings, b)
	}
	return x, nil
}
