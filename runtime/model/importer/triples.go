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
)

type tripleReader struct {
	// entities and relations map names; where they are nil the fields are ids.
	entities, relations *idTable
	// n and directed bound the ids that are numbers, 0 where nothing is known.
	n, directed int
	// both says that relations are directed ids, 2i and 2i+1, and that the file
	// holds each fact in both directions.
	both bool

	// separator separates the fields of a line, columns are the names of those that matter.
	separator Separator
	columns   columns
	edges     []Edge
	// picks say where facts are among width fields, nil if a line has one alone.
	picks []pick
	width int
	// rdf is shared by the files of a graph, nil for a file by itself.
	rdf *rdfPart
	// relationFilter chooses the relations that are read, nil for all.
	relationFilter *relationFilter
	// values are shared by the files of a graph; nil if the files are read without values.
	values *statedValues
	// fields, if not nil, is told the fields of every fact instead of what follows.
	fields func(fields [3][]byte) error
	// at is the line of the fact, or in Parquet the row.
	at int
	// numbers says that the format of the file has ids only: blanks may separate
	// them, if the separator is not stated, as no name can be taken apart.
	numbers bool

	// share, if not nil, returns how much of the file was read, from 0 to 1.
	share func() float64

	triples                []graph.Triple
	header                 header
	first                  header // the first line where it was read as a fact
	repeated               int
	topEntity, topRelation largest
	records                int // that were read
	// literals counts the statements about literals that were left out, blanks those about blank nodes.
	literals literalCounts
	blanks   int
	inGraphs int
	parts    [][]byte
}

// line reads one line of head, relation and tail.
func (r *tripleReader) line(line []byte) (err error) {
	r.parts, err = r.split(line)
	if err != nil {
		return fmt.Errorf("%q: %w", clip(line), err)
	}
	if len(r.parts) != 3 && r.picks == nil && (r.records > 0 || !r.namesColumns(r.parts)) {
		return r.advised(line, fmt.Errorf("%d %s in %q, want head, relation and tail, separated by %s", len(r.parts), plural("field", len(r.parts)), clip(line), r.separator))
	}
	return r.record(r.parts, false)
}

// record adds the fact in the fields of a line, or in CSV of a record. The first may name
// the columns.
func (r *tripleReader) record(parts [][]byte, csv bool) error {
	r.records++
	if r.records == 1 {
		if top, err := r.named(parts, csv); top || err != nil {
			return err
		}
	}
	switch {
	case r.picks != nil && len(parts) != r.width:
		return fmt.Errorf("%d %s, but there are %d columns", len(parts), plural("field", len(parts)), r.width)
	case r.picks != nil:
		return r.addPicks(r.picks, parts)
	case len(parts) != 3:
		return fmt.Errorf("%d %s, want head, relation and tail", len(parts), plural("field", len(parts)))
	}
	return r.add([3][]byte(parts))
}

// addPicks adds the facts of the fields of a record.
func (r *tripleReader) addPicks(picks []pick, parts [][]byte) error {
	for i := range picks {
		if e := picks[i].value; e != nil {
			if err := r.takeCell(parts[picks[i].at[0]], e, parts[picks[i].at[2]]); err != nil {
				return err
			}
			continue
		}
		fact := picks[i].fact(parts)
		if fact == nil {
			continue
		}
		if err := r.add(*fact); err != nil {
			return err
		}
	}
	return nil
}

func (r *tripleReader) split(line []byte) ([][]byte, error) {
	if r.numbers && r.separator == "" && bytes.IndexByte(line, '\t') < 0 {
		return Space.fields(line, r.parts[:0])
	}
	return r.separator.fields(line, r.parts[:0])
}

// advised adds to the error for a line that splits into another number of fields what may help.
func (r *tripleReader) advised(line []byte, err error) error {
	const named = "the first line names the columns"
	switch {
	case line[0] == '#':
		return fmt.Errorf("%w (comments are not read: remove the lines that begin with #)", err)
	case len(r.parts) > 3:
		return &OptionError{err, named, optionColumns}
	case len(r.parts) == 2:
		return &OptionError{err, named, "edge=COLUMN -RELATION-> COLUMN"}
	case r.separator != "":
		return err
	case len(bytes.Fields(line)) == 3:
		return &OptionError{err, "blanks separate them", "separator=space"}
	}
	for _, c := range []string{",", ";", "|"} {
		if bytes.Count(line, []byte(c)) >= 2 {
			return &OptionError{err, fmt.Sprintf("%q separates them", c), "separator=" + c}
		}
	}
	return err
}

// clip returns the beginning of a line, for an error.
func clip(line []byte) []byte {
	const most = 80
	if len(line) <= most {
		return line
	}
	return append(bytes.ToValidUTF8(line[:most], nil), "…"...)
}

func plural(word string, n int) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// mayHaveHeader reports whether the names of columns would not be names of a table.
func (r *tripleReader) mayHaveHeader(parts [][]byte) bool {
	if r.entities == nil || r.entities.open {
		return true
	}
	_, head := r.entities.ids[string(parts[0])]
	_, relation := r.relations.ids[string(parts[1])]
	_, tail := r.entities.ids[string(parts[2])]
	return !head && !relation && !tail
}

func (r *tripleReader) add(fields [3][]byte) (err error) {
	if !r.relationFilter.reads(fields[1], r.prefixes()) {
		return nil
	}
	if r.fields != nil {
		return r.fields(fields)
	}
	if isValue, err := r.takeTyped(fields); isValue || err != nil {
		return err
	}
	var ids [3]int32
	for i, field := range fields {
		if i == 1 {
			ids[i], err = r.id(field, r.relations, "relation", r.directed, &r.topRelation)
		} else {
			ids[i], err = r.id(field, r.entities, "entity", r.n, &r.topEntity)
		}
		if err != nil {
			return err
		}
	}
	r.makeRoom()
	r.triples = append(r.triples, graph.Triple{Head: graph.EntityID(ids[0]), Relation: ids[1], Tail: graph.EntityID(ids[2])})
	return nil
}

// prefixes returns the prefixes of the file, none if it is not RDF.
func (r *tripleReader) prefixes() *prefixes {
	if r.rdf == nil {
		return &prefixes{}
	}
	return &r.rdf.prefixes
}

// makeRoom makes room for another triple, and if there are many, for about those that are still to
// come, at most three times as many: so a list that grows is rarely copied, and little memory is
// taken twice.
func (r *tripleReader) makeRoom() {
	const many = 1 << 16
	n := len(r.triples)
	if n < cap(r.triples) || n < many || r.share == nil {
		return
	}
	more := float64(n) * (1.02/max(1./4, r.share()) - 1)
	r.triples = append(make([]graph.Triple, 0, n+max(1, int(more))), r.triples...)
}

// id returns the id of a name, or without names the number in the field.
func (r *tripleReader) id(field []byte, names *idTable, kind string, limit int, top *largest) (int32, error) {
	if names != nil {
		return names.find(field)
	}
	id, err := parseID(field, limit, kind)
	if err == nil && id >= top.id {
		top.id = id
		top.line = r.at
	}
	return id, err
}

// errNeedTables is the advice on names without ids.
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

var errNoTriples = errors.New("no triples")

// finish returns the triples. Where the file holds both directions it checks
// that they agree.
func (r *tripleReader) finish() ([]graph.Triple, error) {
	read := len(r.triples)
	if read == 0 {
		return nil, errNoTriples
	}
	if err := r.header.check(r.entities, r.relations); err != nil {
		return nil, err
	}
	if !r.both {
		r.triples = asSet(r.triples)
		r.repeated = read - len(r.triples)
		return r.triples, nil
	}
	facts, err := fold(r.triples)
	r.repeated = read/2 - len(facts)
	return facts, err
}

// fold returns the facts in a list of triples whose relations are directed ids, and which must hold
// each fact in both directions. It puts them in the place of the list.
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

// without returns the triples that are not among others. Both are sorted and
// repeated ones are dropped.
func without(list, others []graph.Triple) []graph.Triple {
	list = asSet(list)
	others = asSet(slices.Clone(others))
	return slices.DeleteFunc(list, func(t graph.Triple) bool {
		_, found := slices.BinarySearchFunc(others, t, graph.Triple.Compare)
		return found
	})
}
