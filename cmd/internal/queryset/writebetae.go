package queryset

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/efoc/efoc/runtime/model/importer/pickle"
)

// betae writes the pickles of a split.
func (w *writer) betae(set *Set) error {
	var groups []*tree
	names := map[string]string{}
	for _, g := range set.Groups {
		t, err := newTree(g)
		if err != nil {
			return err
		}
		key := t.structure.String()
		if other, ok := names[key]; ok {
			return fmt.Errorf("groups %s and %s have the same structure, %s, and a file holds each once", other, g.Name, key)
		}
		names[key] = g.Name
		groups = append(groups, t)
	}
	path := filepath.Join(w.path, w.options.Split)
	for _, file := range append([]answerFile{{"-queries.pkl", nil}}, answerFiles(w.options.Split)...) {
		if err := w.betaeFile(path+file.ending, groups, file.of); err != nil {
			return err
		}
	}
	return nil
}

// betaeFile writes a defaultdict(set): the queries of each structure, or the answers of each query.
func (w *writer) betaeFile(path string, groups []*tree, answers func(q *Query) *[]int32) error {
	return w.file(path, func(to io.Writer) error {
		p := pickle.NewWriter(to)
		p.DefaultDict()
		for _, g := range groups {
			if answers == nil {
				(*ids)(nil).write(p, g.structure)
				p.BeginSet()
			}
			for _, q := range g.Queries {
				if err := w.step(path); err != nil {
					return err
				}
				g.ids(q).write(p, g.structure)
				if answers != nil {
					p.BeginSet()
					for _, id := range *answers(&q) {
						p.Int(id)
					}
					p.EndSet()
					p.Item()
				}
			}
			if answers == nil {
				p.EndSet()
				p.Item()
			}
		}
		return p.Close()
	})
}

// ids returns those of a query, in the order in which its structure holds them.
func (t *tree) ids(q Query) *ids {
	x := &ids{}
	for _, i := range t.entities {
		x.entities = append(x.entities, q.Args[i])
	}
	for _, i := range t.relations {
		x.relations = append(x.relations, q.Args[i])
	}
	return x
}
