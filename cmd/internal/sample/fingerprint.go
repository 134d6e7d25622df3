package sample

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/efoc/efoc/runtime/model"
)

// Count returns the number of queries of each template.
func (s *Sampler) Count() int { return s.options.Count }

// Fingerprint identifies everything that decides which queries are drawn: the
// graphs, the templates and the options.
func (s *Sampler) Fingerprint(templates []*Template) string {
	h := sha256.New()
	options, err := json.Marshal(s.options)
	if err != nil {
		panic("internal error: sample: " + err.Error()) // numbers and text alone
	}
	h.Write(options)
	for _, t := range templates {
		fmt.Fprintf(h, "%q%q", t.Name, t.Query)
	}
	for _, g := range []*model.Graph{s.small, s.full} {
		if g == nil {
			continue
		}
		fmt.Fprint(h, g.NumEntities(), g.NumRelations())
		for r := 0; r < g.NumRelations(); r += 2 {
			heads, tails := g.Edges(model.RelationID(r))
			fmt.Fprint(h, len(heads))
			for _, side := range [][]int32{heads, tails} {
				_ = binary.Write(h, binary.LittleEndian, side) // a hash takes all
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
