package queryset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/efoc/efoc/runtime/model/importer/pickle"
)

// asked is a query whose answers are looked for.
type asked struct {
	group *Group
	query int
}

// betae reads the queries of a BetaE folder, and then their answers.
func (r *reader) betae(folder string) error {
	split := r.options.Split
	path := func(rest string) (string, error) {
		p := filepath.Join(folder, split+rest)
		if found := existing(p); found != "" {
			return found, nil
		}
		return "", fmt.Errorf("%s is missing: a BetaE folder has the answers beside the queries", p)
	}
	queries, err := path("-queries.pkl")
	if err != nil {
		return err
	}
	easy, hard := "-easy-answers.pkl", "-hard-answers.pkl"
	if split == "train" {
		easy, hard = "-answers.pkl", ""
	}
	index := map[string]asked{}
	if err := r.pickled(queries, func(d *pickle.Decoder, key, value pickle.Value) error {
		return r.betaeQueries(queries, d, key, value, index)
	}); err != nil {
		return err
	}
	for _, a := range []struct {
		rest string
		into func(q *Query) *[]int32
	}{{easy, func(q *Query) *[]int32 { return &q.Easy }}, {hard, func(q *Query) *[]int32 { return &q.Hard }}} {
		if a.rest == "" {
			continue
		}
		file, err := path(a.rest)
		if err != nil {
			return err
		}
		if err := r.betaeAnswers(file, index, a.into); err != nil {
			return err
		}
	}
	return nil
}

// pickled reads a pickled dict.
func (r *reader) pickled(path string, item func(d *pickle.Decoder, key, value pickle.Value) error) error {
	f, err := r.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := pickle.ReadDict(f, item); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// betaeQueries takes the queries of one structure.
func (r *reader) betaeQueries(path string, d *pickle.Decoder, key, value pickle.Value, index map[string]asked) error {
	s, err := (&structureReader{d: d}).read(key, 0)
	if err != nil {
		return fmt.Errorf("key %s: %w", describe(d, key), err)
	}
	if value.Kind() != pickle.Set && value.Kind() != pickle.List {
		return fmt.Errorf("structure %s has %v, want a set of queries", s, value.Kind())
	}
	f, name, err := r.betaeForm(s)
	if err != nil {
		count := 0
		for range d.Elements(value) {
			count++
		}
		r.warn(path, fmt.Sprintf("structure %s is left out: %v", s, err), count)
		return nil
	}
	g := r.group(name, f)
	var entities, relations []int32
	for v := range d.Elements(value) {
		if !r.wants(g) {
			break
		}
		entities, relations = entities[:0], relations[:0]
		if !s.fill(d, v, &entities, &relations) {
			return fmt.Errorf("query %s is not of its structure %s", describe(d, v), s)
		}
		args, err := f.args(func(name string) (int32, bool) {
			values := entities
			if name[0] == 'r' {
				values = relations
			}
			i, err := strconv.Atoi(name[1:])
			if err != nil || i > len(values) {
				return 0, false
			}
			return values[i-1], true
		})
		if err != nil {
			return err
		}
		k, ok := tupleKey(nil, d, v, 0)
		if !ok {
			return fmt.Errorf("query %s is too large", describe(d, v))
		}
		index[string(k)] = asked{g, len(g.Queries)}
		g.Queries = append(g.Queries, Query{Args: args})
	}
	return nil
}

// betaeForm returns the formula of a structure, and the name of its group.
func (r *reader) betaeForm(s *structure) (*form, string, error) {
	text, forall, err := s.formula()
	if err != nil {
		return nil, "", fmt.Errorf("it cannot be EFO1: %w", err)
	}
	f, err := r.form(text)
	if err != nil {
		return nil, "", err
	}
	name := f.name
	switch {
	case forall && name != "pni":
		return nil, "", errors.New(`it cannot be EFO1: a negation reaches over a projection, which says "by no"`)
	case forall:
		name += universal
	case strings.Contains(text, "|") && !s.unites():
		name += deMorgan
	}
	if f.name == "" {
		name = f.formula
	}
	return f, name, nil
}

// unites reports whether the structure has a union.
func (n *structure) unites() bool {
	for _, p := range n.parts {
		if p.unites() {
			return true
		}
	}
	return n.union
}

// betaeAnswers takes the answers of the queries in the index.
func (r *reader) betaeAnswers(path string, index map[string]asked, into func(q *Query) *[]int32) error {
	missing := len(index)
	var key []byte
	err := r.pickled(path, func(d *pickle.Decoder, k, value pickle.Value) error {
		var ok bool
		if key, ok = tupleKey(key[:0], d, k, 0); !ok {
			return fmt.Errorf("key %s, want a query", describe(d, k))
		}
		a, ok := index[string(key)]
		if !ok {
			return nil
		}
		ids, ok := d.Ints(value)
		if !ok {
			return fmt.Errorf("the answers of %s are %v, want a set of ids", describe(d, k), value.Kind())
		}
		if err := checkIDs("answers of "+describe(d, k), ids); err != nil {
			return err
		}
		list := into(&a.group.Queries[a.query])
		if *list == nil {
			missing--
		}
		*list = append(make([]int32, 0, len(ids)), ids...)
		return nil
	})
	if err == nil && missing > 0 {
		r.warn(path, "queries without an entry, which have no answers then", missing)
	}
	return err
}

// maxKey bounds the bytes of a query's key.
const maxKey = 16 * maxNodes

// tupleKey appends a text that nested tuples of integers have in common with none
// but their equals.
func tupleKey(key []byte, d *pickle.Decoder, v pickle.Value, depth int) ([]byte, bool) {
	if len(key) > maxKey || depth > maxDepth {
		return nil, false
	}
	if n, ok := d.Int(v); ok {
		return binary.LittleEndian.AppendUint32(append(key, 'i'), uint32(n)), true
	}
	elements, ok := d.Tuple(v)
	if !ok {
		return nil, false
	}
	key = append(key, '(')
	for _, e := range elements {
		if key, ok = tupleKey(key, d, e, depth+1); !ok {
			return nil, false
		}
	}
	return append(key, ')'), true
}

// maxDescribed bounds what an error quotes of a value, in bytes.
const maxDescribed = 120

// describe prints a value as Python does, cut where it is long.
func describe(d *pickle.Decoder, v pickle.Value) string {
	var b strings.Builder
	describeInto(&b, d, v)
	if b.Len() > maxDescribed {
		return b.String()[:maxDescribed] + "…"
	}
	return b.String()
}

func describeInto(b *strings.Builder, d *pickle.Decoder, v pickle.Value) {
	if b.Len() > maxDescribed {
		return
	}
	if n, ok := d.Int(v); ok {
		b.WriteString(strconv.Itoa(int(n)))
		return
	}
	if text, ok := d.Text(v); ok {
		b.WriteString("'" + short([]byte(text)) + "'")
		return
	}
	elements, ok := d.Tuple(v)
	if !ok {
		b.WriteString(v.Kind().String())
		return
	}
	b.WriteByte('(')
	for i, e := range elements {
		if i > 0 {
			b.WriteByte(',')
		}
		describeInto(b, d, e)
	}
	if len(elements) == 1 {
		b.WriteByte(',')
	}
	b.WriteByte(')')
}
