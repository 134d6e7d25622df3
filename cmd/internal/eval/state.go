package eval

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
)

// stateVersion is the version of the state file.
const stateVersion = 1

// header is the first line of a state file: what the results depend on.
type header struct {
	Version int             `json:"efoc_eval"`
	Model   string          `json:"model"`
	Queries string          `json:"queries"`
	Graph   string          `json:"full_graph,omitempty"`
	Filter  Filter          `json:"filter"`
	Engine  compiler.Engine `json:"engine"`
	Links   bool            `json:"missing_links"`
	// Semantics is left out for message passing.
	Semantics fit.Semantics `json:"semantics,omitempty"`
	Variants  []Variant     `json:"variants"`
}

// record is every other line: the results of a batch.
type record struct {
	Variant int `json:"variant"`
	Group   int `json:"group"`
	// First is the index of the first query in the group.
	First   int       `json:"first"`
	Results []*Result `json:"results"`
}

// State is a file of results, JSON Lines, to which each batch is appended as one
// line. A nil State keeps nothing.
type State struct {
	file *os.File
	path string
	// found are the results that were in the file.
	found *Outcome
}

// OpenState opens the state file of an evaluation, or begins it. A last line that
// was not written to its end is dropped; results of another model, query set or
// other settings are refused. full are the graphs whose union the oracle knows, if
// there is one.
func OpenState(path string, set *queryset.Set, c Config, full ...*runtime.Graph) (s *State, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	s = &State{file: f, path: path, found: newOutcome(set, len(c.Variants))}
	want := header{
		Version: stateVersion, Model: modelSum(c.Model), Queries: setSum(set), Graph: graphSum(full), Filter: c.Filter,
		Engine: c.Engine, Links: c.Oracle != nil && c.Oracle.Misses != nil, Variants: c.Variants,
	}
	if c.Semantics != fit.NSMP {
		want.Semantics = c.Semantics
	}
	end, err := s.read(f, want, set, c.Model.NumEntities())
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(end); err != nil {
		return nil, err
	}
	if _, err := f.Seek(end, io.SeekStart); err != nil {
		return nil, err
	}
	if end == 0 {
		return s, s.write(want)
	}
	return s, nil
}

// Close closes the file.
func (s *State) Close() error { return s.file.Close() }

// read reads the file up to the last whole line, whose end it returns.
func (s *State) read(r io.Reader, want header, set *queryset.Set, n int) (end int64, err error) {
	lines := bufio.NewReader(r)
	start, err := lines.Peek(len(headerStart))
	if err != nil && err != io.EOF {
		return 0, err
	}
	if !bytes.HasPrefix(headerStart, start) {
		return 0, fmt.Errorf("%s is not a state file of efoc eval: give the name of a new file", s.path)
	}
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return 0, err
		}
		if err == io.EOF {
			return end, nil
		}
		if number == 1 {
			err = want.compare(line)
		} else {
			err = s.take(line, set, n)
		}
		if err != nil {
			return 0, fmt.Errorf("%s:%d: %w", s.path, number, err)
		}
		end += int64(len(line))
	}
}

// headerStart is how a header begins.
var headerStart = []byte(`{"efoc_eval":`)

// compare reports the first thing in which a header differs.
func (h header) compare(line []byte) error {
	var got header
	if err := json.Unmarshal(line, &got); err != nil {
		return err
	}
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"version", got.Version, h.Version}, {"model", got.Model, h.Model}, {"query set", got.Queries, h.Queries},
		{"full graph", got.Graph, h.Graph}, {"filter", got.Filter, h.Filter}, {"engine", got.Engine, h.Engine},
		{"breakdown by missing links", got.Links, h.Links}, {"settings", got.Variants, h.Variants},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			return fmt.Errorf("the results are of another evaluation, its %s differs: use the same model, queries and options, or a new state file", c.what)
		}
	}
	return nil
}

// take takes the results of a line over.
func (s *State) take(line []byte, set *queryset.Set, n int) error {
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	if r.Variant < 0 || r.Variant >= len(s.found.Groups) || r.Group < 0 || r.Group >= len(set.Groups) {
		return fmt.Errorf("variant %d and group %d, want less than %d and %d", r.Variant, r.Group, len(s.found.Groups), len(set.Groups))
	}
	queries := set.Groups[r.Group].Queries
	if r.First < 0 || len(r.Results) > len(queries) || r.First > len(queries)-len(r.Results) {
		return fmt.Errorf("%d results from query %d on, but there are %d queries", len(r.Results), r.First, len(queries))
	}
	for i, x := range r.Results {
		hard := len(queries[r.First+i].Hard)
		if x == nil || len(x.Ranks) != hard || x.Misses != nil && len(x.Misses) != hard {
			return fmt.Errorf("query %d: want ranks of %d hard answers", r.First+i, hard)
		}
		for k, rank := range x.Ranks {
			if !(rank >= 1 && rank <= float64(n)) || x.Misses != nil && x.Misses[k] < 0 {
				return fmt.Errorf("query %d: rank %v of %d entities", r.First+i, rank, n)
			}
		}
	}
	copy(s.found.Groups[r.Variant][r.Group].Queries[r.First:], r.Results)
	return nil
}

// append adds the results of a batch and waits until they are on the disk.
func (s *State) append(r record) error {
	if s == nil {
		return nil
	}
	return s.write(r)
}

// write writes a line.
func (s *State) write(value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if _, err := s.file.Write(append(line, '\n')); err != nil {
		return err
	}
	return s.file.Sync()
}

// outcome returns what was in the file, for Run to go on with.
func (s *State) outcome(set *queryset.Set, variants int) *Outcome {
	if s == nil {
		return newOutcome(set, variants)
	}
	return s.found
}

// newOutcome returns an outcome without results.
func newOutcome(set *queryset.Set, variants int) *Outcome {
	o := &Outcome{Groups: make([][]GroupOutcome, variants)}
	for v := range o.Groups {
		for _, g := range set.Groups {
			o.Groups[v] = append(o.Groups[v], GroupOutcome{Queries: make([]*Result, len(g.Queries))})
		}
	}
	return o
}

// sum is a digest of strings and numbers, each list with its length.
type sum struct {
	hash.Hash
	buffer []byte
}

func newSum() *sum { return &sum{Hash: sha256.New()} }

func (s *sum) text(t string) {
	s.number(len(t))
	s.Write([]byte(t))
}

func (s *sum) number(n int) {
	s.buffer = binary.AppendVarint(s.buffer[:0], int64(n))
	s.Write(s.buffer)
}

func (s *sum) ids(list []int32) {
	s.number(len(list))
	for _, x := range list {
		s.number(int(x))
	}
}

func (s *sum) String() string { return "sha256:" + hex.EncodeToString(s.Sum(nil)[:16]) }

// modelSum is the digest of a model: of its name, its size and the checksums of
// its tensors.
func modelSum(m *runtime.Model) string {
	s := newSum()
	s.text(m.Manifest.Name)
	s.number(m.NumEntities())
	for _, name := range slices.Sorted(maps.Keys(m.Manifest.Checksums)) {
		s.text(name)
		s.text(m.Manifest.Checksums[name])
	}
	return s.String()
}

// setSum is the digest of a query set.
func setSum(set *queryset.Set) string {
	s := newSum()
	for _, g := range set.Groups {
		s.text(g.Name)
		s.text(g.Template.String())
		s.number(len(g.Queries))
		for _, q := range g.Queries {
			s.ids(q.Args)
			s.ids(q.Easy)
			s.ids(q.Hard)
		}
	}
	return s.String()
}

// graphSum is the digest of graphs, empty if there are none.
func graphSum(graphs []*runtime.Graph) string {
	if len(graphs) == 0 {
		return ""
	}
	s := newSum()
	for _, g := range graphs {
		for r := range runtime.RelationID(g.NumRelations()) {
			heads, tails := g.Edges(r)
			s.ids(heads)
			s.ids(tails)
		}
	}
	return s.String()
}
