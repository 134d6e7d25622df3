package eval

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
)

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
