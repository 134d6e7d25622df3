package importer

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
)

// graphSink collects the facts and values of a graph, by ids.
type graphSink struct {
	entities, relations idField
	// both says that relations are directed ids, 2i and 2i+1, and that the file has each fact in both directions.
	both bool
	// typed says that typed literals as tails are values.
	typed bool
	// values are shared by all files of the graph.
	values *statedValues
	// share, if not nil, returns the share of the file read so far, from 0 to 1.
	share func() float64

	triples  []graph.Triple
	repeated int
	literals int // of the facts, how many lead to typed literals
}

// idField says how the fields for entities, or for relations, denote ids.
type idField struct {
	kind string
	// names maps names to ids; nil means that the fields are ids, below limit unless it is 0.
	names *idTable
	limit int
	// top is the largest id, for numeric ids.
	top largest
}

func (s *graphSink) link(at int, fields [3][]byte) (err error) {
	if bytes.HasPrefix(fields[2], []byte{'"'}) {
		kind, text, ok := values.ParseLiteral(string(fields[2]))
		if ok && s.typed {
			return takeValue(s, at, fields, kind, text)
		}
		if ok {
			s.literals++
		}
	}
	var ids [3]int32
	for i, f := range [3]*idField{&s.entities, &s.relations, &s.entities} {
		ids[i], err = f.find(at, fields[i])
		if err != nil {
			return err
		}
	}
	s.makeRoom()
	s.triples = append(s.triples, graph.Triple{Head: graph.EntityID(ids[0]), Relation: ids[1], Tail: graph.EntityID(ids[2])})
	return nil
}

func (s *graphSink) value(_ int, fields [3][]byte, kind values.Kind, number float64) (bool, error) {
	return s.values.add(string(fields[0]), string(fields[1]), kind, number), nil
}

func (s *graphSink) knows(fields [][]byte) bool {
	entities := s.entities.names
	if entities == nil || entities.open {
		return false
	}
	_, head := entities.ids[string(fields[0])]
	_, relation := s.relations.names.ids[string(fields[1])]
	_, tail := entities.ids[string(fields[2])]
	return head || relation || tail
}

// makeRoom makes room for another triple. A large list grows to about the estimated total, at most threefold, so it
// is rarely copied, and little memory is used twice.
func (s *graphSink) makeRoom() {
	const many = 1 << 16
	n := len(s.triples)
	if n < cap(s.triples) || n < many || s.share == nil {
		return
	}
	more := float64(n) * (1.02/max(1./4, s.share()) - 1)
	s.triples = append(make([]graph.Triple, 0, n+max(1, int(more))), s.triples...)
}

// errNeedTables is the advice for names without ids.
var errNeedTables = errors.New("give tables of the entities and relations (entities.tsv, relations.tsv: id TAB name), so that names can be matched to the rows of the checkpoint")

// find returns the id of a name, or the number in a field.
func (f *idField) find(at int, field []byte) (int32, error) {
	if f.names != nil {
		return f.names.find(field)
	}
	number, err := strconv.ParseUint(string(field), 10, 31)
	id := int32(number)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s %s is more than %d", f.kind, field, math.MaxInt32)
	case err != nil:
		return 0, fmt.Errorf("%s %q is not a number: %w", f.kind, field, errNeedTables)
	case f.limit > 0 && int(id) >= f.limit:
		return 0, fmt.Errorf("%s %d is out of range, want 0 to %d", f.kind, id, f.limit-1)
	case id >= f.top.id:
		f.top = largest{id: id, line: at}
	}
	return id, nil
}

var errNoTriples = errors.New("no triples")

// finish checks the triples, below the header line names, if any, and makes them a set of facts. If the file has both
// directions, they must agree.
func (s *graphSink) finish(names header) (err error) {
	read := len(s.triples)
	if read == 0 {
		s.triples = []graph.Triple{}
		return errNoTriples
	}
	if err := s.checkHeader(names); err != nil {
		return err
	}
	if s.both {
		s.triples, err = fold(s.triples)
		read /= 2
	} else {
		s.triples = asSet(s.triples)
	}
	s.repeated = read - len(s.triples)
	return err
}

// checkHeader reports names of columns that later lines use as names, so that the line may be a fact.
func (s *graphSink) checkHeader(h header) error {
	if h == nil || s.entities.names == nil {
		return nil // numbers follow: the words were no fact
	}
	for i, t := range []*idTable{s.entities.names, s.relations.names, s.entities.names} {
		if _, ok := t.ids[h[i]]; ok {
			return fmt.Errorf("the first line, %s, looks like the names of the columns, but other facts have the %s %q too: remove the line, or rename these",
				h, t.kind, h[i])
		}
	}
	return nil
}

// fold returns the facts in a list of triples whose relations are directed ids, in place. The list must have each
// fact in both directions.
func fold(list []graph.Triple) ([]graph.Triple, error) {
	for i, t := range list {
		if t.Relation%2 == 1 {
			list[i].Head, list[i].Tail = t.Tail, t.Head
		}
	}
	slices.SortFunc(list, func(a, b graph.Triple) int {
		return cmp.Or(cmp.Compare(a.Relation/2, b.Relation/2), cmp.Compare(a.Head, b.Head), cmp.Compare(a.Tail, b.Tail), cmp.Compare(a.Relation, b.Relation))
	})
	list = slices.Compact(list)
	facts := list[:0]
	for i := 0; i < len(list); i += 2 {
		t := list[i]
		inverse := list[i]
		inverse.Relation ^= 1
		if i+1 == len(list) || list[i+1] != inverse {
			head := t.Head
			tail := t.Tail
			if t.Relation%2 == 1 {
				head, tail = tail, head
			}
			return nil, fmt.Errorf("%d %d %d has no inverse %d %d %d: want every fact in both directions", head, t.Relation, tail, tail, inverse.Relation, head)
		}
		t.Relation /= 2
		facts = append(facts, t)
	}
	return facts, nil
}

func asSet(list []graph.Triple) []graph.Triple {
	slices.SortFunc(list, graph.Triple.Compare)
	return slices.Compact(list)
}

// without returns the triples that are not among others. It sorts both and removes duplicates.
func without(list, others []graph.Triple) []graph.Triple {
	list = asSet(list)
	others = asSet(slices.Clone(others))
	return slices.DeleteFunc(list, func(t graph.Triple) bool {
		_, found := slices.BinarySearchFunc(others, t, graph.Triple.Compare)
		return found
	})
}
