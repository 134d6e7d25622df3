package importer

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/model/importer/pickle"
	"github.com/efoc/efoc/runtime/model/safetensors"
)

// takenScorers names the scorers whose checkpoints become bundles.
const takenScorers = "ComplEx, DistMult and CP"

// partsOf are the layouts of the scorers that are taken, by their names in small letters.
var partsOf = map[string][]Parts{
	"complex": {Halves, Interleaved}, "distmult": {Real}, "cp": {Pair},
}

// refuseScorer says why a checkpoint of some scorer is not taken.
func refuseScorer(name string) error {
	return fmt.Errorf("a checkpoint of %s, and import takes those of %s: their scores are products ⟨h⊗r, t⟩ with the rows of a table, which answers are computed by; distances (TransE, RotatE), matrices (RESCAL, TuckER) and networks (ConvE) are none. Train ComplEx with the same library, or with efoc train", name, takenScorers)
}

// check refuses a scorer that is not taken.
func (p *tablePair) check(path string) error {
	if _, taken := partsOf[strings.ToLower(p.scorer)]; p.scorer != "" && !taken {
		return fmt.Errorf("%s: %w", path, refuseScorer(p.scorer))
	}
	return nil
}

// parts lists what the numbers of the tables may be, by their widths, by the scorer and by
// what the user states. A DistMult is one by name alone: read as one, a ComplEx also prefers
// observed triples, in 99.4% of cases on FB15k-237 where the right layout does in 99.8%.
func (p *tablePair) parts(stated Parts) []Parts {
	entity, relation := p.entity.shape[1], p.relation.shape[1]
	var list []Parts
	switch {
	case entity == 2*relation:
		list = []Parts{Pair}
	case entity != relation:
	case stated == Real || entity%2 != 0 || p.scorer == "" && p.layout.Parts == Real:
		list = []Parts{Real}
	default:
		list = []Parts{Halves, Interleaved, Real}
	}
	named, ok := partsOf[strings.ToLower(p.scorer)]
	if !ok {
		named = []Parts{Halves, Interleaved, Pair}
		if len(list) == 1 {
			named = list
		}
	}
	return slices.DeleteFunc(list, func(x Parts) bool { return !slices.Contains(named, x) })
}

// likely lists the layouts that the tables may have if inverse relations are in one of the
// given places, that of the trainer first.
func (p *tablePair) likely(inverses []Inverse, stated Parts) []Layout {
	var list []Layout
	for _, parts := range p.parts(stated) {
		for _, inverse := range inverses {
			next := Layout{parts, inverse}
			if p.layout.Parts == parts && (p.layout.Inverse == inverse || len(inverses) == 1) {
				list = append([]Layout{next}, list...)
				continue
			}
			list = append(list, next)
		}
	}
	return list
}

// scorerOfFile returns the scorer in the name of a file of DGL-KE, DATA_SCORER_entity.npy.
func scorerOfFile(path string) string {
	base, ok := strings.CutSuffix(filepath.Base(path), entityArray)
	if !ok {
		return ""
	}
	fields := strings.Split(base, "_")
	if last := fields[len(fields)-1]; last == "l1" || last == "l2" {
		fields = fields[:len(fields)-1] // TransE_l2
	}
	if len(fields) < 2 {
		return ""
	}
	return fields[len(fields)-1]
}

// noteScorer keeps the scorer in a configuration of LibKGE.
func (c *collector) noteScorer(path string, v pickle.Value) {
	name, ok := c.d.Text(v)
	if !ok || name == "reciprocal_relations_model" {
		return
	}
	if strings.HasSuffix(path, "options.model") || strings.HasSuffix(path, "reciprocal_relations_model.base_model.type") {
		c.scorer = name
	}
}

// noteClass keeps the scorer of a class of PyKEEN.
func (c *collector) noteClass(v pickle.Value) {
	if module, name, _ := c.d.Class(v); strings.HasPrefix(module, "pykeen.models.") {
		c.scorer = name
	}
}

// joined returns a table, or one with the rows of another one behind its own.
func joined(first, second []candidate) candidate {
	a := first[0]
	if len(second) == 0 {
		return a
	}
	b := second[0]
	name := a.name + " and " + b.name
	out := candidate{name: name, dtype: a.dtype, scorer: a.scorer, shape: nil}
	if len(a.shape) != 2 || len(b.shape) != 2 || a.shape[0] != b.shape[0] || a.dtype != b.dtype {
		out.shape = []int{0, 0} // no shape of a table
		return out
	}
	out.shape = []int{a.shape[0], a.shape[1] + b.shape[1]}
	out.read = func() (t safetensors.Tensor, err error) {
		var parts [2]safetensors.Tensor
		for i, c := range []candidate{a, b} {
			if parts[i], err = c.read(); err != nil {
				return t, err
			}
		}
		size := a.dtype.Size()
		t = safetensors.Tensor{Name: name, DType: a.dtype, Shape: out.shape, Data: make([]byte, 0, len(parts[0].Data)+len(parts[1].Data))}
		for i := range a.shape[0] {
			for _, p := range parts {
				row := p.Shape[1] * size
				t.Data = append(t.Data, p.Data[i*row:(i+1)*row]...)
			}
		}
		return t, nil
	}
	return out
}
