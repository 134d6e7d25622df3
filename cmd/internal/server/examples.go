package server

import (
	"net/http"
	"slices"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// example is a question that the model can be asked.
type example struct {
	Title   string `json:"title"`
	Formula string `json:"formula"`
}

// worldExamples are about the built-in model. Any other model that knows the names
// gets them too.
var worldExamples = []example{
	{"Brazil's neighbours that speak Spanish", `borders("Brazil", y) & official_language(y, "Spanish")`},
	{"Languages of France's neighbours, but not its own", `exists x. borders("France", x) & official_language(x, y) & !official_language("France", y)`},
	{"Capitals around Switzerland", `exists c. borders("Switzerland", c) & capital(c, y)`},
	{"Who pays with Germany's currency outside Europe", `exists m. currency("Germany", m) & currency(y, m) & !in_continent(y, "Europe")`},
	{"Portuguese, officially or not", `official_language(y, "Portuguese") | also_spoken(y, "Portuguese")`},
	{"Families of the languages written from right to left", `exists s, l. direction(s, "right to left") & script(l, s) & in_family(l, y)`},
	{"Third corner of a triangle with France and a neighbour on the euro", `exists x. borders("France", x) & currency(x, "Euro") & borders(x, y) & borders("France", y)`},
	{"Left-hand traffic in Europe", `drives_on(y, "left side") & in_continent(y, "Europe")`},
}

// maxExamples bounds the examples for a model.
const maxExamples = 8

// examples lists questions that the model can be asked.
func (s *Server) examples(_ *http.Request, h *loaded) (any, error) {
	h.findExamples.Do(func() {
		h.examples = []example{}
		for _, e := range slices.Concat(worldExamples, graphExamples(h.model.Now())) {
			if _, err := s.check(h, &Question{Formula: e.Formula}); err == nil && len(h.examples) < maxExamples {
				h.examples = append(h.examples, e)
			}
		}
	})
	return struct {
		Examples []example `json:"examples"`
	}{h.examples}, nil
}

// graphExamples makes questions of a few shapes out of the facts of the graph: a
// fact in the middle of each of the largest relations, and what leads on from it.
func graphExamples(m *query.Model) []example {
	var list []example
	var unlike string // an atom of another relation, to be negated
	for _, rel := range find(m, "relation", "", maxExamples) {
		r := model.RelationID(2 * rel.ID)
		heads, tails := m.Graph.Edges(r)
		if len(heads) == 0 {
			continue
		}
		h, t := model.EntityID(heads[len(heads)/2]), model.EntityID(tails[len(tails)/2])
		one := atom(m, r, constant(m, h), "y")
		switch next, ok := onward(m, t, r); {
		case len(list)%4 == 3 && unlike != "":
			list = append(list, example{"All but", one + " & !" + unlike})
		case ok && len(list)%4 == 1:
			list = append(list, example{"Two steps", "exists x. " + atom(m, r, constant(m, h), "x") + " & " + atom(m, next, "x", "y")})
		case ok && len(list)%4 == 2:
			list = append(list, example{"Two conditions", one + " & exists x. " + atom(m, next, "y", "x")})
		default:
			list = append(list, example{"One step", one})
		}
		unlike = one
	}
	return list
}

// onward returns a relation that leads from an entity to others, not by the way
// back.
func onward(m *query.Model, e model.EntityID, came model.RelationID) (model.RelationID, bool) {
	for r := range model.RelationID(m.NumRelations()) {
		if r/2 != came/2 && len(m.Graph.Tails(e, r)) > 0 {
			return r, true
		}
	}
	return 0, false
}

// atom writes r(head, tail).
func atom(m *query.Model, r model.RelationID, head, tail string) string {
	name := lang.Relation{Name: m.Relations.Name(int32(r / 2)), Inverse: r.IsInverse()}
	return name.String() + "(" + head + ", " + tail + ")"
}

// constant writes an entity as a query does.
func constant(m *query.Model, e model.EntityID) string {
	return lang.Term{Kind: lang.Constant, Name: describe(m, "entity", m.Entities, int32(e)).Text}.String()
}
