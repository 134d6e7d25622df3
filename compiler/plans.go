package compiler

import (
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// Plans returns plans of shapes by key, for callers that have no query: generated ones if there
// are any, otherwise interpreted ones.
func Plans(generated []*query.Plan) query.Plans {
	return func(shape string, s model.Semantics, layers int) (*query.Plan, error) {
		for _, p := range generated {
			if p.Shape == shape && p.Layers == layers && p.Bind == nil && p.Semantics == s {
				return p, nil
			}
		}
		parsed, err := lower.ParseShape(shape)
		if err != nil {
			return nil, err
		}
		c, err := Compile(parsed, CompileOptions{Layers: layers, Semantics: s})
		if err != nil {
			return nil, err
		}
		return c.Interpreted()
	}
}
