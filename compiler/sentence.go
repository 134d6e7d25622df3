package compiler

import (
	"cmp"
	"context"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// Sentence is a question for yes or no that is ready to be decided on a model.
type Sentence struct {
	*Analysis
	// Prepared are the parts, in order.
	Prepared []*Prepared
	// Settings and Semantics apply to all parts.
	Settings  model.Settings
	Semantics model.Semantics
}

// PrepareSentence prepares the parts of a sentence: see Analysis.Prepare.
func (a *Analysis) PrepareSentence(m *runtime.Model, o PrepareOptions) (*Sentence, error) {
	m = m.Now()
	if _, err := lang.Resolve(a.Source, m); err != nil { // all names, before the names of a part
		return nil, err
	}
	s := &Sentence{Analysis: a}
	for _, part := range a.Claims {
		p, err := part.Prepare(m, o)
		if err != nil {
			return nil, err
		}
		s.Prepared, s.Settings, s.Semantics = append(s.Prepared, p), p.Settings, p.Semantics
	}
	return s, nil
}

// Claims returns what the sentence claims, in the order of its parts, for values of the
// parameters as in Prepared.Bindings.
func (s *Sentence) Claims(args map[string]string) ([]runtime.Claim, error) {
	if err := checkArgs(s.Source, args); err != nil {
		return nil, err
	}
	var claims []runtime.Claim
	for i, p := range s.Prepared {
		own := map[string]string{}
		for _, param := range p.Source.Params {
			own[param.Name] = args[param.Name]
		}
		b, err := p.Bindings(own)
		if err != nil {
			return nil, err
		}
		c := runtime.Claim{Question: runtime.Question{Query: p.Query, Bindings: b}, Entity: runtime.AnyEntity}
		if at := s.Source.Parts.Parts[i].At; at != nil {
			name := at.Name
			if at.Kind == lang.Parameter {
				name = args[name]
			}
			e, err := p.Query.Model().Entity(name)
			if err != nil {
				return nil, err
			}
			c.Entity = e.ID()
		}
		claims = append(claims, c)
	}
	return claims, nil
}

// Decide answers the sentence for values of its parameters: see runtime.Decide.
func (s *Sentence) Decide(ctx context.Context, args map[string]string, o runtime.Options) (*runtime.Verdict, error) {
	claims, err := s.Claims(args)
	if err != nil {
		return nil, err
	}
	o.Settings = cmp.Or(o.Settings, &s.Settings)
	return runtime.Decide(ctx, s.Source.Parts.Disjuncts, claims, o)
}
