package queryset

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/efoc/efoc/lang/limits"
	"github.com/efoc/efoc/runtime/model/importer/pickle"
)

// asked is a query whose answers are still to be read.
type asked struct {
	group *Group
	query int
}

// betae reads the queries of a BetaE folder, and then their answers.
func (r *reader) betae(folder string) error {
	index := map[string]asked{}
	path := filepath.Join(folder, r.options.Split)
	err := r.pickled(path+"-queries.pkl", func(path string, d *pickle.Decoder, key, value pickle.Value) error {
		return r.betaeQueries(path, d, key, value, index)
	})
	easy := func(q *Case) *[]int32 { return &q.Easy }
	ending := "-easy-answers.pkl"
	if r.options.Split == "train" {
		ending = "-answers.pkl"
	}
	if err == nil {
		err = r.betaeAnswers(path+ending, index, easy)
	}
	if err == nil && r.options.Split != "train" {
		err = r.betaeAnswers(path+"-hard-answers.pkl", index, func(q *Case) *[]int32 { return &q.Hard })
	}
	return err
}

// pickled reads a pickled dict and calls item for each entry.
func (r *reader) pickled(name string, item func(path string, d *pickle.Decoder, key, value pickle.Value) error) error {
	path := existing(name)
	if path == "" {
		return fmt.Errorf("%s is missing: a BetaE folder has the answers beside the queries", name)
	}
	return r.read(path, func(_ string, text io.Reader) error {
		err := pickle.ReadDict(text, func(d *pickle.Decoder, key, value pickle.Value) error {
			return item(path, d, key, value)
		})
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
		return err
	})
}

// betaeQueries reads the queries of one structure.
func (r *reader) betaeQueries(path string, d *pickle.Decoder, key, value pickle.Value, index map[string]asked) error {
	if value.Kind() != pickle.Set && value.Kind() != pickle.List {
		return fmt.Errorf("structure %s has %v, want a set of queries", describe(d, key), value.Kind())
	}
	structure, known := structures[describe(d, key)]
	if !known {
		count := 0
		for range d.Elements(value) {
			count++
		}
		r.warn(path, fmt.Sprintf("structure %s is left out: it is none of BetaE's, nor 4p, 5p, 4i or 3ip", describe(d, key)), count)
		return nil
	}
	f, err := r.form(structure.formula)
	if err != nil {
		return err
	}
	g := r.group(structure.name, f)
	var x ids
	for v := range d.Elements(value) {
		if !r.wants(g) {
			break
		}
		x.entities, x.relations = x.entities[:0], x.relations[:0]
		if !x.read(d, key, v) {
			return fmt.Errorf("query %s is not of its structure %s", describe(d, v), describe(d, key))
		}
		args, err := f.args(func(name string) (int32, bool) {
			values := x.entities
			if name[0] == 'r' {
				values = x.relations
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
		k, ok := appendPython(nil, d, v, maxKey)
		if !ok {
			return fmt.Errorf("query %s is too large", describe(d, v))
		}
		index[string(k)] = asked{g, len(g.Queries)}
		g.Queries = append(g.Queries, Case{Args: args})
	}
	return nil
}

// betaeAnswers reads the answers of the queries in the index.
func (r *reader) betaeAnswers(name string, index map[string]asked, into func(q *Case) *[]int32) error {
	missing := len(index)
	var key []byte
	err := r.pickled(name, func(_ string, d *pickle.Decoder, k, value pickle.Value) error {
		var ok bool
		key, ok = appendPython(key[:0], d, k, maxKey)
		if !ok {
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
		r.warn(existing(name), "queries without an entry, which have no answers then", missing)
	}
	return err
}

// maxKey bounds a query's key, in bytes.
const maxKey = 64 * limits.Atoms

// describe formats a value in Python's notation, truncated.
func describe(d *pickle.Decoder, v pickle.Value) string {
	b, _ := appendPython(nil, d, v, maxQuoted)
	return short(b, maxQuoted)
}

// appendPython appends a value in Python's notation, up to a limit, and reports whether it is complete and consists
// of tuples and integers only: then only equal values have this text.
func appendPython(b []byte, d *pickle.Decoder, v pickle.Value, limit int) ([]byte, bool) {
	if len(b) > limit {
		return b, false
	}
	if n, ok := d.Int(v); ok {
		return strconv.AppendInt(b, int64(n), 10), true
	}
	if text, ok := d.Text(v); ok {
		return append(b, "'"+short(text, maxQuoted)+"'"...), false
	}
	elements, ok := d.Tuple(v)
	if !ok {
		return append(b, v.Kind().String()...), false
	}
	b = append(b, '(')
	for i, e := range elements {
		if i > 0 {
			b = append(b, ',')
		}
		var key bool
		b, key = appendPython(b, d, e, limit)
		ok = ok && key
	}
	if len(elements) == 1 {
		b = append(b, ',')
	}
	return append(b, ')'), ok
}
