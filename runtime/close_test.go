package runtime

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/require"
)

// bundleFile is a file with the bundle of smallModel.
func bundleFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.efoc")
	require.NoError(t, os.WriteFile(path, smallBundle(t), 0o600))
	return path
}

// ways are those to open a file.
var ways = map[string][]model.OpenOption{"mapped": {model.Mapped()}, "copied": nil}

// TestClosed checks what may be done with a closed model: everything that returns an error returns
// model.ErrClosed.
func TestClosed(t *testing.T) {
	path := bundleFile(t)
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			m, err := Open(path, way...)
			require.NoError(t, err)
			if m.bundle.Mapped() != (name == "mapped") {
				t.Errorf("it is mapped: %v", m.bundle.Mapped())
			}
			p := (&faulty{broken: map[*plan.Workspace]bool{}}).plan(nil)
			q, err := m.Bind(byslot.Spec("", p, nil))
			require.NoError(t, err)
			b := argsOf(1)
			if _, err := q.Ask(t.Context(), b, Options{}); err != nil {
				t.Fatal(err)
			}
			require.NoError(t, errors.Join(m.Close(), m.Close()))
			for call, err := range map[string]error{
				"Hold":          m.bundle.Hold(),
				"NewQuery":      last(m.Bind(byslot.Spec("", p, nil))),
				"NewBoundQuery": last(newBound(m, p, 1)),
				"Answer":        last(q.Ask(t.Context(), b, Options{})),
				"AnswerBatch":   last(q.AskAll(t.Context(), []Args{b, b}, Options{})),
				"Why":           last(q.Why(t.Context(), b, Options{}, 1)),
				"WhyNot":        last(q.WhyNot(t.Context(), b, Options{}, 1)),
				"Each":          q.Each(t.Context(), []Args{b}, nil, func(int, *Run) error { return nil }),
				"EachOfTwo":     q.Each(t.Context(), []Args{b, b}, nil, func(int, *Run) error { return nil }),
				"Entity":        last(m.Entity("e1")),
				"FindEntity":    last(m.bundle.FindEntity("e1")),
				"Relation":      last(m.Relation("nobody")),
				"FindRelation":  last(m.bundle.FindRelation("knows")),
				"WriteBundle":   model.Write(io.Discard, m.bundle),
				"SaveBundle":    model.Save(t.Context(), filepath.Join(t.TempDir(), "x.efoc"), m.bundle, nil),
			} {
				if !errors.Is(err, model.ErrClosed) {
					t.Errorf("%s: error is %v, want model.ErrClosed", call, err)
				}
			}
			if near := append(m.bundle.NearestEntities("e", 3), m.bundle.NearestRelations("know", 3)...); near != nil {
				t.Errorf("names are suggested: %v", near)
			}
		})
	}
}

func last[T any](_ T, err error) error { return err }

// TestCloseInFlight closes a model while a query is answered, and a second one that
// waits: both finish, later ones do not begin, and the memory is freed after the last.
func TestCloseInFlight(t *testing.T) {
	path := bundleFile(t)
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			m, err := Open(path, way...)
			require.NoError(t, err)
			q, err := m.Bind(byslot.Spec("", (&faulty{broken: map[*plan.Workspace]bool{}}).plan(nil), nil))
			require.NoError(t, err)
			b := argsOf(1)
			started, closed, done := make(chan struct{}, 2), make(chan struct{}), make(chan error, 2)
			read := func(m *model.Model) float32 {
				return m.Predictor.EntityTable.Row(4, nil)[3] + m.Predictor.EntityNorms[0] + float32(len(m.EntityName(3)))
			}
			want := read(m.bundle)
			for range 2 {
				go func() {
					done <- q.Each(t.Context(), []Args{b}, nil, func(_ int, r *Run) error {
						w := r.result.Workspace()
						started <- struct{}{}
						<-closed
						if got := read(w.Model()); got != want {
							t.Errorf("after Close a query reads %v, want %v", got, want)
						}
						s := w.Sweep()
						s.Score(0, 0)
						s.Run()
						return w.Err()
					})
				}()
			}
			<-started
			<-started
			require.NoError(t, m.Close())
			if _, err := q.Ask(t.Context(), b, Options{}); !errors.Is(err, model.ErrClosed) {
				t.Errorf("error is %v, want model.ErrClosed", err)
			}
			if name == "mapped" && goruntime.GOOS == "linux" && mappings(t, path) == 0 {
				t.Error("the mapping is gone while queries read it")
			}
			close(closed)
			if err := errors.Join(<-done, <-done); err != nil {
				t.Error(err)
			}
			if goruntime.GOOS == "linux" && mappings(t, path) != 0 {
				t.Error("the mapping stays")
			}
		})
	}
}

// mappings counts the places where this process has mapped a file.
func mappings(t *testing.T, path string) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	return strings.Count(string(text), path)
}

// TestForgotten opens 50 models that nobody closes, and uses half of them: neither goroutines nor
// mappings are left of them. Anything taken from a model keeps it.
func TestForgotten(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(4))
	path := bundleFile(t)
	settle()
	before := goruntime.NumGoroutine()
	maps := func() int {
		if goruntime.GOOS != "linux" {
			return 0
		}
		return mappings(t, path)
	}
	graph, names := func() (*graph.Graph, *names.Names) {
		var models []*Model
		for i := range 50 {
			m, err := Open(path, model.Mapped())
			require.NoError(t, err)
			if models = append(models, m); i%2 == 0 {
				m.bundle.Pool().Each(8, func(int, int) {})
			}
		}
		if n := goruntime.NumGoroutine(); n < before+25*3 {
			t.Errorf("%d goroutines, %d before: nobody helps", n, before)
		}
		if n := maps(); goruntime.GOOS == "linux" && n != 50 {
			t.Errorf("the file is mapped %d times, want 50", n)
		}
		return models[0].bundle.Graph, models[1].bundle.Entities
	}()
	kept := 0
	if goruntime.GOOS == "linux" {
		kept = 2
	}
	until(t, func() bool { return goruntime.NumGoroutine() <= before && maps() == kept })
	if goruntime.GC(); !graph.Has(4, 2, 0) || names.Name(3) != "e3" {
		t.Error("the graph and the names of a forgotten model have changed")
	}
	goruntime.KeepAlive(graph)
	goruntime.KeepAlive(names)
	graph, names = nil, nil
	until(t, func() bool { return maps() == 0 })
}

// until collects garbage until something holds.
func until(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if goruntime.GC(); holds() {
			return
		}
	}
	t.Errorf("it never holds, with %d goroutines", goruntime.NumGoroutine())
}

// settle waits until the goroutines of forgotten models have ended, for tests that count.
func settle() {
	for last, same := 0, 0; same < 20; time.Sleep(time.Millisecond) {
		goruntime.GC()
		if n := goruntime.NumGoroutine(); n == last {
			same++
		} else {
			last, same = n, 0
		}
	}
}

// TestClose checks that a model that was used leaves no goroutine behind, nor one
// that was not, and that it may be closed twice.
func TestClose(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(4))
	settle()
	for _, used := range []bool{false, true} {
		t.Run(fmt.Sprint("used ", used), func(t *testing.T) {
			before := goruntime.NumGoroutine()
			m := smallModel(t)
			q, err := m.Bind(byslot.Spec("", (&faulty{broken: map[*plan.Workspace]bool{}}).plan(nil), nil))
			require.NoError(t, err)
			if used {
				var wg sync.WaitGroup
				for range 3 {
					wg.Go(func() {
						b := argsOf(1)
						for range 10 {
							if _, err := q.Ask(t.Context(), b, Options{NoStatus: true}); err != nil {
								t.Error(err)
							}
						}
					})
				}
				wg.Wait()
				m.bundle.Pool().Each(2, func(int, int) {}) // a sweep of so few rows is one chunk, which nobody shares
				if goruntime.NumGoroutine() <= before {
					t.Error("the pool has no workers")
				}
			}
			for range 2 {
				if err := m.Close(); err != nil {
					t.Error(err)
				}
			}
			for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
				if goruntime.NumGoroutine() <= before {
					return
				}
			}
			t.Errorf("%d goroutines, %d before", goruntime.NumGoroutine(), before)
		})
	}
}
