package eval

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"

	"github.com/efoc/efoc/cmd/internal/lines"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// stateVersion is the version of the state file.
const stateVersion = 5

// header is the first line of a state file: everything that the results depend on.
type header struct {
	Version   int             `json:"efoc_eval"`
	Model     string          `json:"model"`
	Queries   string          `json:"queries"`
	Graph     string          `json:"full_graph,omitempty"`
	Filter    EasyFilter      `json:"filter"`
	Engine    compiler.Engine `json:"engine"`
	Semantics model.Semantics `json:"semantics"`
	Settings  model.Settings  `json:"settings"`
}

// record is every other line: the results of a batch.
type record struct {
	Group int `json:"group"`
	// First is the index of the first query in the group.
	First   int       `json:"first"`
	Results []*Result `json:"results"`
}

// State is a log of the results of batches.
type State struct {
	*lines.Log[record]
	// found are the results in the file.
	found *Outcome
}

// OpenState opens or creates the state file of an evaluation. It refuses results of another model, query set or
// settings.
func OpenState(path string, set *queryset.Set, c Config) (*State, error) {
	s := &State{found: newOutcome(set)}
	var err error
	s.Log, err = lines.Open(path, header{
		Version: stateVersion, Model: ModelSum(c.Model), Queries: setSum(set), Graph: c.Full.sum(), Filter: c.Filter, Engine: c.Engine,
		Semantics: c.Semantics, Settings: c.Settings,
	}, func(r record) error { return s.take(r, set, c.Model.NumEntities()) })
	return s, err
}

// take adds the results of a batch to found.
func (s *State) take(r record, set *queryset.Set, n int) error {
	if r.Group < 0 || r.Group >= len(set.Groups) {
		return fmt.Errorf("group %d, want less than %d", r.Group, len(set.Groups))
	}
	queries := set.Groups[r.Group].Queries
	if r.First < 0 || len(r.Results) > len(queries) || r.First > len(queries)-len(r.Results) {
		return fmt.Errorf("%d results from query %d on, but there are %d queries", len(r.Results), r.First, len(queries))
	}
	for i, x := range r.Results {
		hard := len(queries[r.First+i].Hard)
		if x == nil || len(x.Ranks) != hard || len(x.Scores) != hard || x.Misses != nil && len(x.Misses) != hard {
			return fmt.Errorf("query %d: want ranks and scores of %d hard answers", r.First+i, hard)
		}
		for k, rank := range x.Ranks {
			if !(rank >= 1 && rank <= float64(n)) || x.Misses != nil && x.Misses[k] < 0 {
				return fmt.Errorf("query %d: rank %v of %d entities", r.First+i, rank, n)
			}
		}
	}
	copy(s.found.Groups[r.Group].Queries[r.First:], r.Results)
	return nil
}

// newOutcome returns an outcome without results.
func newOutcome(set *queryset.Set) *Outcome {
	o := &Outcome{}
	for _, g := range set.Groups {
		o.Groups = append(o.Groups, GroupOutcome{Queries: make([]*Result, len(g.Queries))})
	}
	return o
}

// digest is a short checksum of values as JSON.
type digest struct {
	hash hash.Hash
	json *json.Encoder
}

func newDigest() digest {
	h := sha256.New()
	return digest{h, json.NewEncoder(h)}
}

func (d digest) add(values ...any) {
	for _, x := range values {
		if err := d.json.Encode(x); err != nil {
			panic("internal error: eval: " + err.Error()) // only numbers and text
		}
	}
}

func (d digest) graph(g *graph.Graph) {
	for r := range graph.RelationID(g.NumRelations()) {
		heads, tails := g.Edges(r)
		d.add(heads, tails)
	}
}

func (d digest) String() string { return fmt.Sprintf("sha256:%x", d.hash.Sum(nil)[:16]) }

// ModelSum is the digest of a model: its name, its size, the checksums of its tensors, the
// temperatures of its relations, its confidence, and the facts of its journal.
func ModelSum(m *runtime.Model) string {
	d := newDigest()
	d.add(m.Bundle().Manifest.Name, m.NumEntities(), m.Bundle().Manifest.Checksums, m.Bundle().Manifest.Temperatures, m.Bundle().Manifest.Confidence, m.Bundle().Manifest.Shard)
	if m.Bundle().Journal().Batches > 0 {
		d.graph(m.Bundle().Graph)
		for id := range int32(m.NumEntities()) { // some may be new
			d.add(m.Bundle().Entities.Name(id))
		}
	}
	return d.String()
}

// Sum is the digest of values as JSON.
func Sum(values ...any) string {
	d := newDigest()
	d.add(values...)
	return d.String()
}

// setSum is the digest of a query set.
func setSum(set *queryset.Set) string {
	d := newDigest()
	for _, g := range set.Groups {
		d.add(g.Name, g.Template.String(), len(g.Queries))
		for _, q := range g.Queries {
			d.add(q)
		}
	}
	return d.String()
}

// sum is the digest of the graph, empty without one.
func (g *FullGraph) sum() string {
	if g == nil {
		return ""
	}
	d := newDigest()
	d.graph(g.full)
	return d.String()
}
