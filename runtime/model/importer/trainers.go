package importer

import (
	"fmt"
	"strings"
)

type trainer struct {
	// entity and relation are the names of its tables, or suffixes of them.
	entity, relation string
	// layout is the trainer's usual one.
	layout Layout
	// entity2 and relation2 name tables whose rows continue the first ones; they are empty without such tables.
	entity2, relation2 string
}

// unlike are names of tensors that only unsupported scorers have, and these scorers.
var unlike = [][2]string{
	{"relation_representations.1._embeddings.weight", "SimplE"}, {"entity_representations.1._embeddings.weight", "CP"}, {"lhs.weight", "CP"},
	{"interaction.core_tensor", "TuckER"}, {"_relation_embedder.projection.weight", "TuckER"},
}

var trainers = []trainer{
	// ComplEx of OpenKE, then its DistMult
	{entity: "ent_re_embeddings.weight", entity2: "ent_im_embeddings.weight",
		relation: "rel_re_embeddings.weight", relation2: "rel_im_embeddings.weight", layout: Layout{partsHalves, inverseNone}},
	{entity: "ent_embeddings.weight", relation: "rel_embeddings.weight", layout: Layout{partsReal, inverseNone}},
	// kbc, CQD, QTO, and BetaE's code with CQD in it
	{entity: "embeddings.0.weight", relation: "embeddings.1.weight", layout: Layout{partsHalves, inverseXOR}},
	// LMPNN, CLMPT, FIT
	{entity: "_entity_embedding.weight", relation: "_relation_embedding.weight", layout: Layout{partsHalves, inverseXOR}},
	// LibKGE, and before 2020
	{entity: "_entity_embedder._embeddings.weight", relation: "_relation_embedder._embeddings.weight", layout: Layout{partsHalves, inverseOffset}},
	{entity: "_entity_embedder.embeddings.weight", relation: "_relation_embedder.embeddings.weight", layout: Layout{partsHalves, inverseOffset}},
	// PyKEEN, and before 1.1
	{entity: "entity_representations.0._embeddings.weight", relation: "relation_representations.0._embeddings.weight", layout: Layout{partsInterleaved, inverseXOR}},
	{entity: "entity_embeddings._embeddings.weight", relation: "relation_embeddings._embeddings.weight", layout: Layout{partsInterleaved, inverseXOR}},
	// the code of RotatE's authors
	{entity: "entity_embedding", relation: "relation_embedding", layout: Layout{partsHalves, inverseNone}},
	// bundles
	{entity: "entity.embedding", relation: "relation.embedding", layout: Layout{partsHalves, inverseXOR}},
}

// findTables finds the entity and the relation table, by the given names or the names that known trainers use. It refuses tables
// of an unsupported scorer.
func (c *checkpoint) findTables(entity, relation string) error {
	for _, x := range unlike {
		if len(c.named(x[0])) > 0 {
			return refuseScorer(x[1])
		}
	}
	known := trainers
	if entity != "" {
		known = []trainer{{entity: entity, relation: relation}}
	}
	for _, t := range known {
		var found [4][]candidate
		missing := false
		for i, name := range []string{t.entity, t.relation, t.entity2, t.relation2} {
			if name == "" {
				continue
			}
			found[i] = c.named(name)
			if len(found[i]) > 1 {
				return fmt.Errorf("several tensors are named %s: give their full names; there are %s", name, c.describe())
			}
			missing = missing || len(found[i]) == 0
		}
		if missing {
			continue
		}
		c.entities.candidate = joined(found[0], found[2])
		c.relations.candidate = joined(found[1], found[3])
		c.usual = t.layout
		return checkScorer(c.entities.scorer)
	}
	if entity != "" {
		return fmt.Errorf("no tensors named %q and %q; there are %s", entity, relation, c.describe())
	}
	return fmt.Errorf("no embeddings under a known name; give the names of the entity and the relation tensor; there are %s", c.describe())
}

// named returns the tensor with the given name, or else all whose names end in it. A tensor with two names, as in LibKGE's
// reciprocal models, counts once.
func (c *checkpoint) named(name string) []candidate {
	var list []candidate
	seen := map[string]bool{}
	for _, t := range c.tensors {
		if t.name == name {
			return []candidate{t}
		}
		if strings.HasSuffix(t.name, "."+name) && (t.place == "" || !seen[t.place]) {
			seen[t.place] = true
			list = append(list, t)
		}
	}
	return list
}
