//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/newrow"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
)

// loadQuestions are asked by every client, by each semantics.
var loadQuestions = []string{
	`"0"("3", y)`,
	`exists x. "0"("3", x) & "1"(x, y)`,
	`"0"("3", y) & !"1"("4", y)`,
	`exists x. "0"("3", x) & "1"(x, y) & "2"(x, y)`,
	`exists x. "2"(x, y) & "0"("5", y)`,
	`"0"("3", y) & size(y) >= 2`,
}

var loadSemantics = []string{"nsmp", "fit", "mixed"} // model.AllSemantics

// loadAnswer is what a server, or a model, says of an entity.
type loadAnswer struct {
	Name   string  `json:"name"`
	Score  float64 `json:"score"`
	Status string  `json:"status"`
}

// factLoad is a server whose facts change while clients ask.
type factLoad struct {
	t     *testing.T
	start *runtime.Model // the bundle's, for all but its facts
	path  string
	url   atomic.Value // of the server, which is started again and again

	// Version v has the facts after v changes. Those below acked are acknowledged, those up
	// to sent have been sent.
	sent, acked atomic.Int64
	mu          sync.Mutex
	versions    []loadVersion
	names       []string                          // of entities that are new to the bundle
	rows        []float32                         // of these
	said        map[int64]map[string][]loadAnswer // by models that are built of the facts
	asked       atomic.Int64
}

// loadVersion is the facts and the sizes after a change, and how many new entities there are then.
type loadVersion struct {
	facts []graph.Triple
	sizes []values.EntityValue
	fresh int
}

// build makes a model from scratch of the facts and entities of a version.
func (l *factLoad) build(v loadVersion) (*model.Model, error) {
	n := l.start.NumEntities()
	g, err := graph.New(n+v.fresh, l.start.NumRelations()/2, v.facts)
	if err != nil {
		return nil, err
	}
	list := make([]string, n+v.fresh)
	for e := range list {
		list[e] = l.name(graph.EntityID(e))
	}
	entities, err := names.New("entity", list, nil)
	if err != nil {
		return nil, err
	}
	p := model.Predictor{Rank: l.start.Bundle().Predictor.Rank, RelationTable: l.start.Bundle().Predictor.RelationTable}
	rows := slices.Concat(l.start.Bundle().Predictor.EntityTable.Float32s(), l.rows[:v.fresh*2*p.Rank])
	if p.EntityTable, err = table.Make(rows, 2*p.Rank, table.Float32, ""); err != nil {
		return nil, err
	}
	m, err := model.New(l.start.Bundle().Manifest, g, nil, p, entities, l.start.Bundle().Relations)
	if err != nil {
		return nil, err
	}
	return m.WithValues(sized(v.sizes))
}

// sized returns sizes as the values of an attribute.
func sized(sizes []values.EntityValue) []values.AttributeValues {
	return []values.AttributeValues{{Name: "size", Kind: values.NumberKind, Values: slices.Clone(sizes)}}
}

// name returns the name of an entity.
func (l *factLoad) name(e graph.EntityID) string {
	if n := l.start.NumEntities(); int(e) >= n {
		return l.names[int(e)-n]
	}
	return l.start.EntityName(e)
}

// said by a model that is built from scratch of the facts of a version.
func (l *factLoad) want(version int64) map[string][]loadAnswer {
	l.mu.Lock()
	defer l.mu.Unlock()
	if said := l.said[version]; said != nil {
		return said
	}
	made, err := l.build(l.versions[version])
	if err != nil {
		l.t.Error(err)
		return nil
	}
	defer made.Close()
	m, said := runtime.NewModel(made), map[string][]loadAnswer{}
	for _, formula := range loadQuestions {
		for i, s := range loadSemantics {
			p, err := compiler.Prepare(m, formula, compiler.Options{Semantics: &model.AllSemantics[i]})
			if err != nil {
				l.t.Error(err)
				return nil
			}
			r, err := p.Ask(context.Background(), nil, runtime.Options{K: m.NumEntities()})
			if err != nil {
				l.t.Error(err)
				return nil
			}
			list := make([]loadAnswer, 0, len(r.Rows))
			for _, a := range r.Rows {
				list = append(list, loadAnswer{a.Values[0].Name, float64(a.Score), a.Status.String()})
			}
			said[s+formula] = list
		}
	}
	for v := range l.said {
		if v < version-100 {
			delete(l.said, v)
		}
	}
	l.said[version] = said
	return said
}

// same reports whether two lists say the same of all entities, up to rounding.
func sameAnswers(got, want []loadAnswer) bool {
	byName := func(list []loadAnswer) map[string]loadAnswer {
		m := map[string]loadAnswer{}
		for _, a := range list {
			m[a.Name] = a
		}
		return m
	}
	a, b := byName(got), byName(want)
	if len(a) != len(b) {
		return false
	}
	for name, x := range a {
		y, ok := b[name]
		if !ok || x.Status != y.Status || math.Abs(x.Score-y.Score) > 1e-3*y.Score+1e-6 {
			return false
		}
	}
	return true
}

// serve starts the server and returns what kills it.
func (l *factLoad) serve() (kill func()) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestProgram$", "--", "serve", "--model", l.path, "--listen", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "EFOC_TEST_PROGRAM=1", "EFOC_MODEL=", "EFOC_TOKEN=", "EFOC_FACTS_TOKEN=secret-of-the-facts")
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	require.NoError(l.t, err)
	lines := bufio.NewReader(stderr)
	for log := ""; ; {
		line, err := lines.ReadString('\n')
		if log += line; err != nil {
			l.t.Fatalf("the server does not start: %v\n%s", err, log)
		}
		if found := regexp.MustCompile(`url=(\S+)/`).FindStringSubmatch(line); found != nil {
			l.url.Store(found[1])
			break
		}
	}
	go io.Copy(io.Discard, lines)
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// post sends a request until a server answers it.
func (l *factLoad) post(path, key, body string) (status int, text []byte) {
	for {
		req, err := http.NewRequest("POST", l.url.Load().(string)+path, bytes.NewReader([]byte(body)))
		require.NoError(l.t, err)
		req.Header.Set("Content-Type", "application/json")
		if key != "" {
			req.Header.Set("Authorization", "Bearer secret-of-the-facts")
			req.Header.Set("Idempotency-Key", key)
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			text, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err == nil && resp.StatusCode != http.StatusTooManyRequests {
				return resp.StatusCode, text
			}
		}
		time.Sleep(5 * time.Millisecond) // it has been killed, or has too much to do
	}
}

// ask asks one question and checks that the answer is that of a version between the last
// acknowledged one when it began and the last that was sent when it ended.
func (l *factLoad) ask(formula, semantics string) {
	body, _ := json.Marshal(map[string]any{"formula": formula, "semantics": semantics, "k": 1000})
	from := l.acked.Load()
	status, text := l.post("/v1/ask", "", string(body))
	to := l.sent.Load()
	var r struct{ Answers []loadAnswer }
	if err := json.Unmarshal(text, &r); err != nil || status != http.StatusOK {
		l.t.Errorf("%s: status %d, %s", body, status, text)
		return
	}
	for v := to; v >= from; v-- {
		if sameAnswers(r.Answers, l.want(v)[semantics+formula]) {
			l.asked.Add(1)
			return
		}
	}
	l.t.Errorf("%s: no version from %d to %d has the answer %s", body, from, to, text)
}

// mostFresh bounds the new entities, so that models are built quickly.
const mostFresh = 100

// change sends changes of a few facts, one after the other, until there were so many facts.
// Every eighth or so is of a new entity too, whose row is made here as well, for a model that
// is built from scratch.
func (l *factLoad) change(random *rand.Rand, facts int) {
	relations := l.start.NumRelations() / 2
	now := map[graph.Triple]bool{}
	for _, x := range l.versions[0].facts {
		now[x] = true
	}
	for done := 0; done < facts && !l.t.Failed(); {
		before := l.versions[len(l.versions)-1]
		next := loadVersion{fresh: before.fresh}
		n := graph.EntityID(l.start.NumEntities() + before.fresh)
		var lists [2][][]any
		var added []graph.Triple
		next.sizes = l.resize(random, before.sizes, int(n), &lists)
		change := func(x graph.Triple) {
			remove := 0
			if now[x] {
				remove = 1
			}
			names := []any{l.name(x.Head), fmt.Sprint(x.Relation), l.name(x.Tail)}
			if slices.ContainsFunc(lists[1-remove], func(other []any) bool { return slices.Equal(other, names) }) {
				return
			}
			lists[remove] = append(lists[remove], names)
			if now[x] = true; remove == 1 {
				delete(now, x)
			} else {
				added = append(added, x)
			}
			done++
		}
		if next.fresh < mostFresh && random.IntN(8) == 0 {
			l.mu.Lock()
			l.names = append(l.names, fmt.Sprint("new ", next.fresh))
			l.mu.Unlock()
			next.fresh++
			change(graph.Triple{Head: 3, Tail: n})
			change(graph.Triple{Head: n, Relation: 1, Tail: graph.EntityID(random.IntN(int(n)))})
		}
		for range 1 + random.IntN(8) {
			x := graph.Triple{Head: graph.EntityID(random.IntN(int(n))), Relation: int32(random.IntN(relations)), Tail: graph.EntityID(random.IntN(int(n)))}
			if random.IntN(3) == 0 {
				x.Head = 3 // of which the questions are
			}
			change(x)
		}
		body, _ := json.Marshal(map[string]any{"add": listed(lists[0]), "remove": listed(lists[1]), "new": next.fresh > before.fresh})
		for x := range now {
			next.facts = append(next.facts, x)
		}
		l.mu.Lock()
		if next.fresh > before.fresh {
			l.makeRows(before, added)
		}
		l.versions = append(l.versions, next)
		l.mu.Unlock()
		at := l.sent.Add(1)
		if status, text := l.post("/v1/facts", fmt.Sprint("change ", at), string(body)); status != http.StatusOK {
			l.t.Errorf("%s: status %d, %s", body, status, text)
		}
		l.acked.Store(at)
	}
}

// resize adds and removes sizes of some of n entities, and returns all sizes then.
func (l *factLoad) resize(random *rand.Rand, sizes []values.EntityValue, n int, lists *[2][][]any) []values.EntityValue {
	sizes = slices.Clone(sizes)
	seen := map[values.EntityValue]bool{}
	for range random.IntN(4) {
		v := values.EntityValue{Entity: graph.EntityID(random.IntN(n)), Number: float64(random.IntN(5))}
		if seen[v] {
			continue
		}
		seen[v] = true
		what := 0
		if at := slices.Index(sizes, v); at < 0 {
			sizes = append(sizes, v)
		} else {
			sizes = slices.Delete(sizes, at, at+1)
			what = 1
		}
		lists[what] = append(lists[what], []any{l.name(v.Entity), "size", v.Number})
	}
	return sizes
}

// makeRows makes the row of the entity that comes with some facts.
func (l *factLoad) makeRows(before loadVersion, added []graph.Triple) {
	m, err := l.build(before)
	if err != nil {
		l.t.Error(err)
		return
	}
	defer m.Close()
	row, err := newrow.Rows(context.Background(), m, l.names[before.fresh:], added)
	if err != nil {
		l.t.Error(err)
	}
	l.rows = append(l.rows, row...)
}

// TestFactsUnderLoad changes facts at random, of known and of new entities, while 16 clients
// ask questions of all semantics; the server compacts, and it and other compactions are
// killed meanwhile. Every answer is that of a
// model that is built of the facts as they were after some change: not before the last one
// that had been acknowledged when the question was sent, nor behind the last one that had
// been sent when the answer came. In the end all facts are there, and all entities with their
// names and rows.
func TestFactsUnderLoad(t *testing.T) {
	facts, kills := long.Or(20_000, 300), long.Or(300, 3)
	made, err := plantest.NewModel(3, 30, 3, 4, model.DefaultSettings())
	require.NoError(t, err)
	sizes := []values.EntityValue{{Entity: 3, Number: 2}}
	valued, err := made.Bundle().WithValues(sized(sizes))
	require.NoError(t, err)
	start := runtime.NewModel(valued)
	defer start.Close()
	l := &factLoad{t: t, start: start, path: filepath.Join(t.TempDir(), "m.efoc"), said: map[int64]map[string][]loadAnswer{}}
	require.NoError(t, model.Save(t.Context(), l.path, start.Bundle(), nil))
	var first []graph.Triple
	for r := range start.NumRelations() / 2 {
		heads, tails := start.Bundle().Graph.Edges(graph.RelationID(2 * r))
		for i, h := range heads {
			first = append(first, graph.Triple{Head: graph.EntityID(h), Relation: int32(r), Tail: graph.EntityID(tails[i])})
		}
	}
	l.versions = []loadVersion{{facts: first, sizes: sizes}}
	kill := l.serve()
	defer func() { kill() }()
	changed := make(chan struct{})
	go func() {
		defer close(changed)
		l.change(rand.New(rand.NewPCG(1, uint64(facts))), facts)
	}()
	var clients sync.WaitGroup
	for c := range 16 {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(2, uint64(c)))
			for {
				select {
				case <-changed:
					return
				default:
					l.ask(loadQuestions[random.IntN(len(loadQuestions))], loadSemantics[random.IntN(3)])
				}
			}
		})
	}
	var compactions sync.WaitGroup
	random := rand.New(rand.NewPCG(3, 3))
	each := int64(facts) / 5 / int64(kills+1) // changes between two kills, about
	for i := range kills {
		for ended := false; !ended && l.acked.Load() < int64(i+1)*each; {
			select {
			case <-changed:
				ended = true
			case <-time.After(time.Millisecond):
			}
		}
		if i%2 == 0 {
			compactions.Go(func() { // by the next server, if this one is killed before
				if status, text := l.post("/v1/facts/compact", "compact", ""); status != http.StatusOK {
					t.Errorf("compact: status %d, %s", status, text)
				}
			})
			time.Sleep(time.Duration(random.Int64N(int64(40 * time.Millisecond))))
		}
		kill()
		if i%2 == 1 {
			compaction, _, _ := program(nil, "compact", l.path)
			require.NoError(t, compaction.Start())
			if i%4 == 1 {
				time.Sleep(time.Duration(random.Int64N(int64(60 * time.Millisecond))))
				_ = compaction.Process.Kill()
			}
			_ = compaction.Wait()
		}
		kill = l.serve()
	}
	<-changed
	clients.Wait()
	compactions.Wait()
	kill()
	for _, compact := range []bool{false, true} {
		if compact {
			efoc(t, "compact", l.path).want(t, statusOK, "", "")
			left, err := filepath.Glob(filepath.Join(filepath.Dir(l.path), ".*.tmp"))
			if err != nil || len(left) > 0 {
				t.Errorf("killed programs left %q, error %v", left, err)
			}
		}
		end, err := model.Open(l.path)
		require.NoError(t, err)
		last := l.versions[len(l.versions)-1]
		for i, name := range l.names {
			e, width := graph.EntityID(start.NumEntities()+i), end.Predictor.EntityTable.Width()
			if row := end.Predictor.EntityTable.Row(e, nil); end.EntityName(e) != name || !slices.Equal(row, l.rows[i*width:(i+1)*width]) {
				t.Errorf("entity %d is %q with the row %v, want %q with %v", e, end.EntityName(e), row, name, l.rows[i*width:(i+1)*width])
			}
		}
		if end.NumEntities() != start.NumEntities()+last.fresh {
			t.Errorf("there are %d entities, want %d and %d", end.NumEntities(), start.NumEntities(), last.fresh)
		}
		var kept []values.EntityValue
		for v := range end.EachValue {
			kept = append(kept, v.EntityValue)
		}
		want := map[values.EntityValue]bool{}
		for _, v := range last.sizes {
			want[v] = slices.Contains(kept, v)
		}
		if len(kept) != len(want) || slices.Contains(slices.Collect(maps.Values(want)), false) {
			t.Errorf("sizes are %v, want %v", kept, last.sizes)
		}
		for _, x := range last.facts {
			if !end.Graph.Has(x.Head, graph.RelationID(2*x.Relation), x.Tail) {
				t.Errorf("%v has been lost", x)
			}
		}
		if end.Graph.NumTriples() != len(last.facts) {
			t.Errorf("there are %d facts, want %d", end.Graph.NumTriples(), len(last.facts))
		}
		end.Close()
	}
	t.Logf("%d facts in %d changes, %d new entities, %d kills, %d answers", facts, len(l.versions)-1, len(l.names), kills, l.asked.Load())
}

// listed returns a list that JSON writes as one even if it is empty: the server refuses null.
func listed[T any](list []T) []T { return append([]T{}, list...) }
