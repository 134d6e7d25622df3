package importer

import (
	"bytes"
	"cmp"
	"fmt"
)

// pick selects the fields of a record that form a fact.
type pick struct {
	at [3]int // at[1] is negative if relation is the name
	// relation is the relation of an edge.
	relation []byte
	// value is the edge if it has values, otherwise nil.
	value *Edge
}

// addPicks adds the facts and values in the fields of a record. An empty cell of an edge makes none.
func (s *statements) addPicks(at int, picks []pick, parts [][]byte) (err error) {
	for i := range picks {
		p := &picks[i]
		fields := [3][]byte{parts[p.at[0]], p.relation, parts[p.at[2]]}
		switch cell := bytes.TrimSpace(fields[2]); {
		case p.at[1] >= 0:
			fields[1] = parts[p.at[1]]
			err = s.to.link(at, fields)
		case len(cell) == 0 || len(bytes.TrimSpace(fields[0])) == 0:
		case p.value == nil:
			err = s.to.link(at, fields)
		default:
			kind := p.value.Value
			fields[2] = []byte(kind.Literal(string(cell)))
			err = takeValue(s.to, at, fields, kind, string(cell))
			if err != nil {
				err = fmt.Errorf("column %s: %w", p.value.Tail, err)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// edgePicks finds the columns of edges.
func edgePicks(edges []Edge, names []string) (picks []pick, err error) {
	for _, e := range edges {
		head, noHead := position(names, e.Head)
		tail, noTail := position(names, e.Tail)
		err = cmp.Or(err, noHead, noTail)
		p := pick{at: [3]int{head, -1, tail}, relation: []byte(e.Relation)}
		if e.Value != "" {
			p.value = &e
		}
		picks = append(picks, p)
	}
	return picks, err
}

// picks finds the columns of a table that hold facts.
func (f *form) picks(names []string) ([]pick, error) {
	if f.edges != nil {
		return edgePicks(f.edges, names)
	}
	at, err := f.columns.find(names)
	return []pick{{at: at}}, err
}
