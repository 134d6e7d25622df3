package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// takenScorers names the supported scorers.
const takenScorers = "ComplEx and DistMult"

// partsOf maps supported scorers, in lower case, to layouts.
var partsOf = map[string][]Parts{"complex": {partsHalves, partsInterleaved}, "distmult": {partsReal}}

// Reasons for refusing scorers.
const (
	byDistance = "its scores are distances"
	byNetwork  = "its scores come from a network"
	byMatrix   = "its relations are other matrices"
)

// refused maps scorers, in lower case, to reasons.
var refused = map[string]string{
	// −‖h+r−t‖² is a product, given ‖t‖², and ranks like −‖h+r−t‖. But truth degrees and messages are softmaxes of
	// scores, and these differ.
	"transe": byDistance + " −‖h + r − t‖, and with the Euclidean norm only their squares are products, whose softmax is another",
	"rotate": byDistance + ", sums of moduli of complex numbers",
	"conve":  byNetwork, "compgcn": byNetwork, "rgcn": byNetwork, "transformer": byNetwork,
	"cp": byMatrix, "simple": byMatrix, "rescal": byMatrix, "tucker": byMatrix, "relational_tucker3": byMatrix,
}

// refuseScorer explains why a scorer's checkpoints are not supported.
func refuseScorer(name string) error {
	why := cmp.Or(refused[strings.ToLower(name)], "its scores are not known to be such")
	return fmt.Errorf("a checkpoint of %s, and import takes those of %s, whose scores are products ⟨r⊗h, t⟩ of complex numbers: %s. Train one of those with the same library, or ComplEx on the graph", name, takenScorers, why)
}

// checkScorer refuses an unsupported scorer; an empty name is unknown.
func checkScorer(name string) error {
	if _, taken := partsOf[strings.ToLower(name)]; name != "" && !taken {
		return refuseScorer(name)
	}
	return nil
}

// parts lists the possible arrangements of the tables' numbers: by the scorer, or by the trainer and the user's
// option; and by their widths. Only the name identifies DistMult: read as DistMult, ComplEx also
// prefers observed triples, in 99.4% of cases on FB15k-237, and with the right layout in 99.8%.
func (c *checkpoint) parts(stated Parts) []Parts {
	entity := c.entities.shape[1]
	relation := c.relations.shape[1]
	list, named := partsOf[strings.ToLower(c.entities.scorer)]
	if !named {
		list = partsOf["complex"]
		if stated == partsReal || entity%2 != 0 || c.usual.Parts == partsReal {
			list = partsOf["distmult"]
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(x Parts) bool { return !x.fits(entity, relation) })
}

// likely lists the possible layouts of the tables, the trainer's first.
func (c *checkpoint) likely(stated Parts) []Layout {
	var list []Layout
	for _, parts := range c.parts(stated) {
		for _, inverse := range c.inverses {
			next := Layout{parts, inverse}
			if c.usual.Parts == parts && (c.usual.Inverse == inverse || len(c.inverses) == 1) {
				list = append([]Layout{next}, list...)
				continue
			}
			list = append(list, next)
		}
	}
	return list
}
