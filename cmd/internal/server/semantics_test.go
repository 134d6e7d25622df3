package server

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server/api"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// TestSemantics asks by every semantics, of servers with every default, and compares
// with what plans say that nothing has optimised.
func TestSemantics(t *testing.T) {
	m, err := openWorld(t.Context())
	require.NoError(t, err)
	defer m.Close()
	formulas := map[string]string{ // and their engines
		`exists x. borders("France", x) & official_language(x, y)`:                             "compiled",
		`exists x. borders("France", x) & borders(x, y) & borders(y, x) & borders("Italy", y)`: "interpreted",
	}
	for _, standard := range model.AllSemantics {
		_, hs := start(t, Config{Options: host.Options{Semantics: new(standard)}})
		for _, asked := range []string{"", "nsmp", "fit", "mixed"} {
			want := standard
			if asked != "" {
				want, _ = model.ParseSemantics(asked)
			}
			for formula, engine := range formulas {
				values := url.Values{"formula": {formula}}
				if asked != "" {
					values.Set("semantics", asked)
				}
				parameters := values.Encode()
				body := jsonText(t, AskRequest{Question: Question{Formula: formula, Semantics: asked}})
				status, text := call(t, hs, "POST", "/v1/ask", body)
				got := unmarshal[answersOf](t, text)
				if status != http.StatusOK || got.Semantics != want.String() || (got.Layers == nil) != (want == model.FIT) {
					t.Fatalf("%s: status %d: %s", body, status, text)
				}
				if got.Engine != engine {
					t.Errorf("%s by %s: engine %s, want %s", formula, want, got.Engine, engine)
				}
				direct, err := compiler.Prepare(m, formula, compiler.Options{Engine: compiler.EngineLayers, Semantics: new(want)})
				require.NoError(t, err)
				answers, err := direct.Ask(t.Context(), nil, runtime.Options{})
				require.NoError(t, err)
				for i, a := range answers.Rows[:5] {
					if g := got.Answers[i]; g.Name != a.Values[0].Name || math.Abs(g.Score-float64(a.Score)) > 1e-4*float64(a.Score) {
						t.Errorf("%s by %s: answer %d is %+v, want %+v", formula, want, i, g, a)
					}
				}
				status, text = call(t, hs, "GET", "/v1/ask?"+parameters, "")
				if get := unmarshal[answersOf](t, text); status != http.StatusOK || !reflect.DeepEqual(get.Answers, got.Answers) || get.Semantics != got.Semantics {
					t.Errorf("GET: status %d: %s", status, text)
				}
				_, text = call(t, hs, "GET", "/v1/explain?"+parameters, "")
				report := unmarshal[struct {
					Semantics string
					Degrees   []any
					Disjuncts []struct{ Layers []any }
				}](t, text)
				if report.Semantics != want.String() || (report.Degrees == nil) != (want == model.NSMP) || (report.Disjuncts[0].Layers == nil) != (want == model.FIT) {
					t.Errorf("explain by %s: %s", want, text)
				}
			}
			body := jsonText(t, api.WitnessRequest{Question: Question{Formula: `borders("France", y)`, Semantics: asked}, Entities: []string{"Spain"}})
			if status, text := call(t, hs, "POST", "/v1/witness", body); status != http.StatusOK || !strings.Contains(text, fmt.Sprintf(`{"semantics":%q,`, want)) || !strings.Contains(text, `"observed":true`) {
				t.Errorf("%s: status %d: %s", body, status, text)
			}
		}
	}
}

// TestSemanticsTogether checks that queries of one shape and of all semantics which arrive together
// run together, each with its own answers and names, and are counted by their semantics and groups of shapes.
func TestSemanticsTogether(t *testing.T) {
	s, hs := start(t, Config{})
	countries := []string{"France", "Kenya", "Japan"}
	ask := func(country string, semantics model.Semantics) answersOf {
		formula := fmt.Sprintf(`exists via%[1]s. borders(%[1]q, via%[1]s) & capital(via%[1]s, of%[1]s)`, country)
		got := mustAsk(t, hs, AskRequest{Question: Question{Formula: formula, Semantics: semantics.String()}})
		if got.Variable != "of"+country || len(got.Sets) != 1 || got.Sets[0].Variable != "via"+country || len(got.Answers) < 3 {
			t.Errorf("%s by %s: %+v", country, semantics, got)
		}
		return got
	}
	alone := map[string]answersOf{}
	for _, semantics := range model.AllSemantics {
		for _, country := range countries {
			alone[country+semantics.String()] = ask(country, semantics)
		}
	}
	goOn := s.stall(t, spanish)
	defer goOn()
	var wg sync.WaitGroup
	for _, semantics := range model.AllSemantics {
		for _, country := range countries {
			wg.Go(func() {
				got, want := ask(country, semantics), alone[country+semantics.String()]
				if got.Batch < 2 || got.Semantics != semantics.String() {
					t.Errorf("%s by %s: %d ran together, by %s", country, semantics, got.Batch, got.Semantics)
				}
				for i, a := range want.Answers[:3] {
					if g := got.Answers[i]; g.Name != a.Name || g.Status != a.Status || math.Abs(g.Score-a.Score) > 1e-4*a.Score {
						t.Errorf("%s by %s: answer %d is %+v in a batch, %+v alone", country, semantics, i, g, a)
					}
				}
			})
		}
	}
	until(t, "all run", func() bool { return s.jobs() == stalled+len(alone) })
	goOn()
	wg.Wait()
	_, text := call(t, hs, "GET", "/metrics", "")
	for _, semantics := range model.AllSemantics {
		if want := fmt.Sprintf("efoc_query_seconds_count{semantics=%q,shape_group=\"P\"} %d\n", semantics, 2*len(countries)); !strings.Contains(text, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	// A label has no more values than there are groups, whatever is asked.
	for _, c := range []struct{ formula, group string }{
		{`borders("France", y) & !borders("Spain", y)`, "N"}, {`borders("France", y) & exists x. borders(x, y)`, "F"},
		{`borders("France", y) & borders("Spain", y) & borders("Italy", y) & borders("Germany", y)`, "other"}, {`borders("France", y) & !capital(y, "Paris") & y != "Spain"`, "other"},
	} {
		mustAsk(t, hs, AskRequest{Question: Question{Formula: c.formula, Semantics: "nsmp"}})
		if _, text := call(t, hs, "GET", "/metrics", ""); !strings.Contains(text, fmt.Sprintf("efoc_query_seconds_count{semantics=\"nsmp\",shape_group=%q}", c.group)) {
			t.Errorf("%s is not counted in group %s", c.formula, c.group)
		}
	}
}

// tangle is a question with every pair of six variables in an atom, most of them
// negated: truth degrees condition on them. country is a constant of it.
func tangle(country string) string {
	names := []string{"y", "a", "b", "c", "d", "e"}
	atoms := []string{fmt.Sprintf("borders(%q, a)", country)}
	for i, x := range names {
		for j, y := range names[i+1:] {
			sign := "!"
			if j == 0 {
				sign = ""
			}
			atoms = append(atoms, fmt.Sprintf("%sborders(%s, %s)", sign, x, y))
		}
	}
	return "exists a, b, c, d, e. " + strings.Join(atoms, " & ")
}

// TestMemory finds the memory that a question of truth degrees needs: with half of it
// the question is refused while it runs, and when several arrive together for which
// there is too little, some are answered and the others are told to ask again.
func TestMemory(t *testing.T) {
	question := jsonText(t, AskRequest{Question: Question{Formula: tangle("China"), Semantics: "fit"}, NoStatus: true})
	refused := ""
	for memory := int64(1 << 20); ; memory *= 2 {
		s, hs := start(t, Config{Options: host.Options{Limits: Limits{Memory: memory}}})
		status, text := call(t, hs, "POST", "/v1/ask", question)
		if status == http.StatusUnprocessableEntity {
			refused = text
			continue
		}
		if status != http.StatusOK {
			t.Fatalf("%d bytes: status %d: %s", memory, status, text)
		}
		if !strings.Contains(refused, "too_costly") || !strings.Contains(refused, "variables in cycles") {
			t.Errorf("with half of %d bytes: %s", memory, refused)
		}
		const clients = 4
		var answered atomic.Int64
		free := s.occupy()
		var wg sync.WaitGroup
		for range clients {
			wg.Go(func() {
				status, text, header := callWith(t, hs, "POST", "/v1/ask", question, nil)
				switch {
				case status == http.StatusOK:
					answered.Add(1)
				case status != http.StatusTooManyRequests || header.Get("Retry-After") != "1" || !strings.Contains(text, "--max memory"):
					t.Errorf("%d bytes: status %d: %.300s", memory, status, text)
				}
			})
		}
		until(t, "all wait", func() bool { return s.waiting() == clients })
		free()
		wg.Wait()
		if answered.Load() == 0 {
			t.Error("none was answered")
		}
		return
	}
}

// TestReloadSemantics checks that another model is answered with by the same semantics
// and with the same bound on kept rows.
func TestReloadSemantics(t *testing.T) {
	const rows = 20_000
	s, hs := start(t, Config{Options: host.Options{Semantics: new(model.FIT), Limits: Limits{Rows: rows}, Open: func(ctx context.Context) (*runtime.Model, error) { return openWorld(ctx) }}})
	for range 2 {
		for _, country := range []string{"France", "Kenya", "Japan", "Brazil", "Spain", "Chad"} {
			status, text := call(t, hs, "GET", "/v1/ask?formula="+url.QueryEscape(fmt.Sprintf(`exists x. borders(%q, x) & official_language(x, y)`, country)), "")
			if got := unmarshal[answersOf](t, text); status != http.StatusOK || got.Semantics != "fit" {
				t.Errorf("status %d: %s", status, text)
			}
		}
		if kept := metric(t, hs, "efoc_rows_bytes"); kept == 0 || kept > rows {
			t.Errorf("%g bytes of rows are kept, want some and %d at most", kept, rows)
		}
		require.NoError(t, s.Reload(t.Context()))
		if kept := metric(t, hs, "efoc_rows_bytes"); kept != 0 {
			t.Errorf("%g bytes of rows are kept of a new model", kept)
		}
	}
}
