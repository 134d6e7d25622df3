// Package shared finds the large real inputs that tests check against and reads
// their query files. The inputs (graphs, checkpoints, queries, golden answers) are
// not part of the repository: a test that needs them calls Dir and is skipped where
// they are absent. The package knows file formats only, nothing of the packages
// under test.
package shared

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Env names the environment variable that says where the inputs are: the
// folder that holds data/. By default it is ../shared, seen from the root of
// the module.
const Env = "EFOC_SHARED"

// Query is one line of a queries-dev.jsonl.
type Query struct {
	// Type is the name of the shape, such as 2in.
	Type string
	// Slots holds the entity of each s-slot and the directed relation of each
	// r-slot, by name ("s1", "r1").
	Slots map[string]int32
	// Easy are the answers that train+valid gives, Hard the further answers of
	// the full graph.
	Easy, Hard []int32
}

// Golden is one record of golden/*.json: what an independent implementation
// answers.
type Golden struct {
	// Type and Slots are as in Query.
	Type  string
	Slots map[string]int32
	// Top are the best entities, best first.
	Top []Scored
	// Sum is the sum of the probabilities of all entities.
	Sum float64
}

// Scored is an entity with its probability.
type Scored struct {
	ID   int32
	Prob float64
}

// Dir returns the path of elem below the folder of the inputs, such as
// Dir(t, "data", "nell995"), or skips the test where it is absent.
func Dir(tb testing.TB, elem ...string) string {
	tb.Helper()
	base := os.Getenv(Env)
	if base == "" {
		root, err := moduleRoot()
		if err != nil {
			tb.Skipf("shared inputs not found: %v; set %s", err, Env)
		}
		base = filepath.Join(root, "..", "shared")
	}
	path := filepath.Join(append([]string{base}, elem...)...)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		tb.Skipf("shared input %s not found; set %s to the folder that holds data/", filepath.Join(elem...), Env)
	} else if err != nil {
		tb.Fatal(err)
	}
	return path
}

// Queries reads a queries-dev.jsonl.
func Queries(tb testing.TB, path string) []Query {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var queries []Query
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		var q Query
		if err := record(lines.Bytes(), &q, &q.Slots); err != nil {
			tb.Fatalf("%s:%d: %v", path, n, err)
		}
		queries = append(queries, q)
	}
	if err := lines.Err(); err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	return queries
}

// Goldens reads a file of golden answers.
func Goldens(tb testing.TB, path string) []Golden {
	tb.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	goldens := make([]Golden, len(raw))
	for i, r := range raw {
		if err := record(r, &goldens[i], &goldens[i].Slots); err != nil {
			tb.Fatalf("%s: record %d: %v", path, i, err)
		}
	}
	return goldens
}

// slotName matches the names of slots in a formula.
var slotName = regexp.MustCompile(`[sr][0-9]+`)

// DrawSlots fills the slots of a formula, such as r1(s1,f), with what the slots of that name
// hold in queries drawn at random: for shapes that there are no queries of.
func DrawSlots(rng *rand.Rand, formula string, queries []map[string]int32) map[string]int32 {
	slots := map[string]int32{}
	for _, name := range slotName.FindAllString(formula, -1) {
		for ok := false; !ok; {
			slots[name], ok = queries[rng.IntN(len(queries))][name]
			if !ok { // as no query has r6, a relation of any place
				slots[name], ok = queries[rng.IntN(len(queries))][name[:1]+"1"]
			}
		}
	}
	return slots
}

// UnmarshalJSON reads the pair [id, probability].
func (s *Scored) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[2]any{&s.ID, &s.Prob})
}

// record reads a flat JSON object, whose slots have names of their own.
func record(text []byte, into any, slots *map[string]int32) error {
	var fields map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(text, into), json.Unmarshal(text, &fields)); err != nil {
		return err
	}
	*slots = map[string]int32{}
	for name, value := range fields {
		if slotName.FindString(name) != name {
			continue
		}
		var id int32
		if err := json.Unmarshal(value, &id); err != nil {
			return fmt.Errorf("field %q: %w", name, err)
		}
		(*slots)[name] = id
	}
	return nil
}

// moduleRoot returns the outermost folder upwards that holds a go.mod: below it are modules of their own.
func moduleRoot() (root string, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			root = dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	if root == "" {
		return "", errors.New("no go.mod above the test")
	}
	return root, nil
}
