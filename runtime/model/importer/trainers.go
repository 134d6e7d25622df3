package importer

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

type trainer struct {
	// entity and relation are the names of its tables, or the ends of them.
	entity, relation string
	// layout is the one it usually writes.
	layout Layout
}

var trainers = []trainer{
	// kbc, CQD, QTO, and BetaE's code with CQD in it
	{"embeddings.0.weight", "embeddings.1.weight", Layout{Halves, XOR}},
	// LMPNN, CLMPT, FIT
	{"_entity_embedding.weight", "_relation_embedding.weight", Layout{Halves, XOR}},
	// LibKGE, and before 2020
	{"_entity_embedder._embeddings.weight", "_relation_embedder._embeddings.weight", Layout{Halves, Offset}},
	{"_entity_embedder.embeddings.weight", "_relation_embedder.embeddings.weight", Layout{Halves, Offset}},
	// PyKEEN, and before 1.1
	{"entity_representations.0._embeddings.weight", "relation_representations.0._embeddings.weight", Layout{Interleaved, XOR}},
	{"entity_embeddings._embeddings.weight", "relation_embeddings._embeddings.weight", Layout{Interleaved, XOR}},
	// DGL-KE, whose names are those of its files
	{"entity.npy", "relation.npy", Layout{Halves, NoInverse}},
}

type tablePair struct {
	entity, relation candidate
	// layout is the trainer's, if that is known.
	layout Layout
}

// tables finds the entity and the relation table, by the given names or those
// of known trainers.
func (c *checkpoint) tables(entity, relation string) (tablePair, error) {
	known := trainers
	if entity != "" {
		known = []trainer{{entity: entity, relation: relation}}
	}
	for _, t := range known {
		es, rs := c.named(t.entity), c.named(t.relation)
		if len(es) == 1 && len(rs) == 1 {
			return tablePair{es[0], rs[0], t.layout}, nil
		}
		if len(es) > 1 || len(rs) > 1 {
			return tablePair{}, fmt.Errorf("%s: several tensors are named %s or %s: give their full names; there are %s", c.path, t.entity, t.relation, c.describe())
		}
	}
	if entity != "" {
		return tablePair{}, fmt.Errorf("%s: no tensors named %q and %q; there are %s", c.path, entity, relation, c.describe())
	}
	return tablePair{}, fmt.Errorf("%s: no embeddings under a known name; give the names of the entity and the relation tensor; there are %s", c.path, c.describe())
}

// named returns the tensor of that name, or else those whose names end in it. A
// tensor that has two names, as in LibKGE's reciprocal models, counts once.
func (c *checkpoint) named(name string) []candidate {
	var list []candidate
	seen := map[any]bool{}
	for _, t := range c.tensors {
		if t.name == name {
			return []candidate{t}
		}
		if strings.HasSuffix(t.name, "."+name) && (t.place == nil || !seen[t.place]) {
			seen[t.place] = true
			list = append(list, t)
		}
	}
	return list
}

// likely lists the layouts that a checkpoint may have whose inverse relations
// are in one of the given places, that of the trainer first.
func (l Layout) likely(inverses []Inverse) []Layout {
	var list []Layout
	for _, parts := range []Parts{Halves, Interleaved} {
		for _, inverse := range inverses {
			next := Layout{parts, inverse}
			if l.Parts == next.Parts && (l.Inverse == next.Inverse || len(inverses) == 1) {
				list = append([]Layout{next}, list...)
				continue
			}
			list = append(list, next)
		}
	}
	return list
}

// The ends of the names of DGL-KE's files.
const (
	entityArray   = "_entity.npy"
	relationArray = "_relation.npy"
)

// arrayName is what the array of a NumPy file is called.
func arrayName(path string) string {
	for _, end := range []string{entityArray, relationArray} {
		if strings.HasSuffix(path, end) {
			return end[1:]
		}
	}
	return filepath.Base(path)
}

// checkpointFiles returns the files of the checkpoint at path: that file, the
// two of DGL-KE, or what PyKEEN or DGL-KE left in that folder.
func checkpointFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		folder := path
		if path = filepath.Join(folder, "trained_model.pkl"); exists(path) {
			return []string{path}, nil
		}
		arrays, err := fs.Glob(os.DirFS(folder), "*"+entityArray)
		if err != nil {
			return nil, err
		}
		if len(arrays) != 1 {
			return nil, fmt.Errorf("%s: a folder, with %d files *%s and no trained_model.pkl: name the checkpoint in it", folder, len(arrays), entityArray)
		}
		path = filepath.Join(folder, arrays[0])
	}
	base, isEntity := strings.CutSuffix(path, entityArray)
	base, isRelation := strings.CutSuffix(base, relationArray)
	if !isEntity && !isRelation {
		return []string{path}, nil
	}
	return []string{base + entityArray, base + relationArray}, nil
}
