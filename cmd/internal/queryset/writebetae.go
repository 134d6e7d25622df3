package queryset

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/efoc/efoc/runtime/model/importer/pickle"
)

// betaeGroup is a group as BetaE writes it.
type betaeGroup struct {
	*Group
	structure *structure
	tree      *tree
}

// betae writes the pickles of a split.
func (w *writer) betae(set *Set) error {
	var groups []betaeGroup
	names := map[string]string{}
	for _, g := range set.Groups {
		s, t, err := newTree(g)
		if err != nil {
			return err
		}
		key := s.String()
		if other, ok := names[key]; ok {
			return fmt.Errorf("groups %s and %s have the same structure, %s, and a file holds each once", other, g.Name, key)
		}
		names[key] = g.Name
		groups = append(groups, betaeGroup{g, s, t})
	}
	path := filepath.Join(w.path, w.options.Split)
	if err := w.betaeFile(path+"-queries.pkl", groups, func(p *pickle.Writer, g *betaeGroup, step func() error) error {
		g.structure.write(p, nil)
		p.BeginSet()
		for _, q := range g.Queries {
			if err := step(); err != nil {
				return err
			}
			g.tuple(p, q)
		}
		p.EndSet()
		p.Item()
		return nil
	}); err != nil {
		return err
	}
	answers := func(rest string, of func(q Query) []int32) error {
		return w.betaeFile(path+rest, groups, func(p *pickle.Writer, g *betaeGroup, step func() error) error {
			for _, q := range g.Queries {
				if err := step(); err != nil {
					return err
				}
				g.tuple(p, q)
				p.BeginSet()
				for _, id := range of(q) {
					p.Int(id)
				}
				p.EndSet()
				p.Item()
			}
			return nil
		})
	}
	if w.options.Split == "train" {
		return answers("-answers.pkl", func(q Query) []int32 { return q.Easy })
	}
	if err := answers("-easy-answers.pkl", func(q Query) []int32 { return q.Easy }); err != nil {
		return err
	}
	return answers("-hard-answers.pkl", func(q Query) []int32 { return q.Hard })
}

// betaeFile writes a defaultdict(set).
func (w *writer) betaeFile(path string, groups []betaeGroup, each func(p *pickle.Writer, g *betaeGroup, step func() error) error) error {
	return w.file(path, func(to io.Writer) error {
		p := pickle.NewWriter(to)
		p.DefaultDict()
		for i := range groups {
			if err := each(p, &groups[i], func() error { return w.step(path) }); err != nil {
				return err
			}
		}
		return p.Close()
	})
}

// tuple writes a query.
func (g *betaeGroup) tuple(p *pickle.Writer, q Query) {
	v := &values{}
	for _, i := range g.tree.entities {
		v.entities = append(v.entities, q.Args[i])
	}
	for _, i := range g.tree.relations {
		v.relations = append(v.relations, q.Args[i])
	}
	g.structure.write(p, v)
}

// values are the ids of a query, taken from the front.
type values struct{ entities, relations []int32 }

// write writes the structure, or the query of the structure if there are values.
func (n *structure) write(p *pickle.Writer, v *values) {
	if n.ops == "" {
		n.writeStart(p, v)
		return
	}
	p.BeginTuple(2)
	n.writeStart(p, v)
	writeOps(p, n.ops, v)
	p.EndTuple(2)
}

// writeStart writes what the operations start from.
func (n *structure) writeStart(p *pickle.Writer, v *values) {
	switch {
	case len(n.parts) == 0 && v == nil:
		p.Text("e")
		return
	case len(n.parts) == 0:
		p.Int(v.entities[0])
		v.entities = v.entities[1:]
		return
	}
	size := len(n.parts)
	if n.union {
		size++
	}
	p.BeginTuple(size)
	for _, part := range n.parts {
		part.write(p, v)
	}
	if n.union {
		writeOps(p, "u", v)
	}
	p.EndTuple(size)
}

// writeOps writes a tuple of operations.
func writeOps(p *pickle.Writer, ops string, v *values) {
	p.BeginTuple(len(ops))
	for _, op := range ops {
		switch {
		case v == nil:
			p.Text(string(op))
		case op == 'u':
			p.Int(markUnion)
		case op == 'n':
			p.Int(markNegation)
		default:
			p.Int(v.relations[0])
			v.relations = v.relations[1:]
		}
	}
	p.EndTuple(len(ops))
}
