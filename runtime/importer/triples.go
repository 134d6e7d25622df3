package importer

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/efoc/efoc/runtime"
)

// maxTriples bounds the triples of a graph: their directed count is an int32.
const maxTriples = math.MaxInt32 / 2

// tripleReader collects the triples of one file.
type tripleReader struct {
	// entities and relations map names; where they are nil the fields are ids.
	entities, relations *idTable
	// n and directed bound the ids that are numbers, 0 where nothing is known.
	n, directed int
	// both says that relations are directed ids, 2i and 2i+1, and that the file
	// holds each fact in both directions.
	both bool

	triples, mirrored    []runtime.Triple
	maxEntity, maxRel    int32
	entityLine, relsLine int
	lines                int
	literals             int
	parts                [][]byte
}

// line reads one line "head relation tail".
func (r *tripleReader) line(line []byte) error {
	r.lines++
	r.parts = fields(line, r.parts[:0])
	if len(r.parts) != 3 {
		return fmt.Errorf("%d fields, want head, relation and tail, separated by tabs", len(r.parts))
	}
	if r.lines == 1 && r.header() {
		return nil
	}
	return r.add(r.parts[0], r.parts[1], r.parts[2])
}

// header reports whether the line is that of the names of the columns, as PyKEEN
// writes it.
func (r *tripleReader) header() bool {
	return (r.entities == nil || r.entities.open) && string(r.parts[0]) == "head" && string(r.parts[1]) == "relation" && string(r.parts[2]) == "tail"
}

// add adds the triple of three names or ids.
func (r *tripleReader) add(h, p, t []byte) error {
	head, err := r.entity(h)
	if err != nil {
		return err
	}
	relation, err := r.relation(p)
	if err != nil {
		return err
	}
	tail, err := r.entity(t)
	if err != nil {
		return err
	}
	if len(r.triples)+len(r.mirrored) > 2*maxTriples {
		return fmt.Errorf("more than %d triples", maxTriples)
	}
	fact := runtime.Triple{Head: runtime.EntityID(head), Relation: relation, Tail: runtime.EntityID(tail)}
	if r.both {
		r.addDirected(fact)
	} else {
		r.triples = append(r.triples, fact)
	}
	return nil
}

// addDirected adds a triple whose relation is a directed id.
func (r *tripleReader) addDirected(t runtime.Triple) {
	inverse := t.Relation%2 == 1
	t.Relation /= 2
	if inverse {
		t.Head, t.Tail = t.Tail, t.Head
		r.mirrored = append(r.mirrored, t)
	} else {
		r.triples = append(r.triples, t)
	}
}

// entity returns the id in a field.
func (r *tripleReader) entity(field []byte) (int32, error) {
	if r.entities != nil {
		return r.entities.find(field)
	}
	id, err := parseID(field, r.n, "entity")
	if err == nil && id >= r.maxEntity {
		r.maxEntity, r.entityLine = id, r.lines
	}
	return id, err
}

// relation returns the id in a field.
func (r *tripleReader) relation(field []byte) (int32, error) {
	if r.relations != nil {
		return r.relations.find(field)
	}
	id, err := parseID(field, r.directed, "relation")
	if err == nil && id >= r.maxRel {
		r.maxRel, r.relsLine = id, r.lines
	}
	return id, err
}

// errNeedTables is what to do about names without ids.
var errNeedTables = errors.New("give tables of the entities and relations (entities.tsv, relations.tsv: id TAB name), so that names can be matched to the rows of the checkpoint")

// parseID reads a number below limit, or any id if limit is 0.
func parseID(field []byte, limit int, kind string) (int32, error) {
	id, err := strconv.ParseUint(string(field), 10, 31)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%s %s is more than %d", kind, field, math.MaxInt32)
	}
	if err != nil {
		return 0, fmt.Errorf("%s %q is not a number: %w", kind, field, errNeedTables)
	}
	if limit > 0 && int(id) >= limit {
		return 0, fmt.Errorf("%s %d is out of range, want 0 to %d", kind, id, limit-1)
	}
	return int32(id), nil
}

// finish returns the triples. Where the file holds both directions it checks
// that they agree.
func (r *tripleReader) finish() ([]runtime.Triple, error) {
	if len(r.triples)+len(r.mirrored) == 0 {
		return nil, errors.New("no triples")
	}
	if !r.both {
		return r.triples, nil
	}
	return r.mirror()
}

// mirror returns the facts, each of which must have been added in both
// directions.
func (r *tripleReader) mirror() ([]runtime.Triple, error) {
	r.triples, r.mirrored = asSet(r.triples), asSet(r.mirrored)
	for i := 0; i < len(r.triples) || i < len(r.mirrored); i++ {
		switch {
		case i == len(r.mirrored) || i < len(r.triples) && compareTriples(r.triples[i], r.mirrored[i]) < 0:
			t := r.triples[i]
			return nil, fmt.Errorf("%d %d %d has no inverse %d %d %d: want every fact in both directions",
				t.Head, 2*t.Relation, t.Tail, t.Tail, 2*t.Relation+1, t.Head)
		case i == len(r.triples) || compareTriples(r.triples[i], r.mirrored[i]) > 0:
			t := r.mirrored[i]
			return nil, fmt.Errorf("%d %d %d has no inverse %d %d %d: want every fact in both directions",
				t.Tail, 2*t.Relation+1, t.Head, t.Head, 2*t.Relation, t.Tail)
		}
	}
	return r.triples, nil
}

// foldMirrored returns the triples of a list that holds relation ids 2i and 2i+1
// for the two directions of every fact, as relation i. It reports whether the
// list is of that kind: no other graph has an exact inverse to each relation.
func foldMirrored(list []runtime.Triple) ([]runtime.Triple, bool) {
	r := tripleReader{}
	for _, t := range list {
		r.addDirected(t)
	}
	folded, err := r.mirror()
	return folded, err == nil
}

// asSet sorts triples and drops repeated ones.
func asSet(list []runtime.Triple) []runtime.Triple {
	slices.SortFunc(list, compareTriples)
	return slices.Compact(list)
}

// without returns the triples that are not among others. Both are sorted and
// repeated ones are dropped.
func without(list, others []runtime.Triple) []runtime.Triple {
	list = asSet(list)
	others = asSet(slices.Clone(others))
	return slices.DeleteFunc(list, func(t runtime.Triple) bool {
		_, found := slices.BinarySearchFunc(others, t, compareTriples)
		return found
	})
}

// compareTriples orders by relation, head, tail.
func compareTriples(a, b runtime.Triple) int {
	switch {
	case a.Relation != b.Relation:
		return int(a.Relation) - int(b.Relation)
	case a.Head != b.Head:
		return int(a.Head) - int(b.Head)
	}
	return int(a.Tail) - int(b.Tail)
}
