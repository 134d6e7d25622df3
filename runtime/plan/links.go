package plan

import "github.com/efoc/efoc/runtime/model"

// Link is what truth degrees say of an answer.
type Link struct {
	Degree float64 // of the answer
	// Relation is that of the weakest predicted link, -1 if there is none.
	Relation model.RelationID
}

// HasLinks reports whether the plan has left what Links looks at.
func (w *Workspace) HasLinks() bool { return w.degrees != nil && w.degrees.Answered() }

// Links looks at entities of the answer that a plan of truth degrees, or of a mixture, has left.
func (w *Workspace) Links(p *Plan, entities []model.EntityID) ([]Link, error) {
	list := make([]Link, len(entities))
	for i, e := range entities {
		x, err := w.degrees.Weakest(int32(e), p.Patterns)
		if err != nil {
			return nil, err
		}
		list[i] = Link{Degree: float64(x.Degree), Relation: -1}
		if x.Atom >= 0 {
			list[i].Relation = w.bindings.Relations[p.Patterns[x.SCQ].Atoms[x.Atom].Relation]
		}
	}
	return list, nil
}
