package lookup

import (
	"context"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/pause"
)

// Request asks for entities and relations with a name.
type Request struct {
	Name string `json:"name,omitempty" jsonschema:"name of an entity or relation; for find, as far as it is known"`
	Kind string `json:"kind,omitempty" jsonschema:"entity or relation; both if not given"`
	K    int    `json:"k,omitempty" least:"1" jsonschema:"results of each kind, by default 10: names, entities of each relation, missing facts or examples"`
}

// DefaultK is the default K of a Request.
const DefaultK = 10

// Find returns the matches, entities first. Without a name it returns the relations with the most facts.
func (r *Request) Find(ctx context.Context, m *runtime.Model) ([]Found, error) {
	found := []Found{}
	for _, kind := range []string{"entity", "relation"} {
		if err := pause.Here(ctx); err != nil {
			return nil, err
		}
		if r.Kind == "" || r.Kind == kind {
			found = append(found, Find(m, kind, r.Name, r.K)...)
		}
	}
	return found, nil
}
