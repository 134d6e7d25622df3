package server

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/testdata/require"
)

// assumption is what the tests of assumptions read of a response.
type assumption struct {
	Answers []struct {
		Name, Label, Status string
	}
	Changes  []struct{ Change string }
	Warnings []string
	Count    struct{ Known int }
	Before   struct {
		Count struct{ Known int }
	}
	Witnesses []struct {
		Atoms []struct{ Negated, Observed, Assumed bool }
	}
	Error struct {
		Code     string
		Mistakes []struct {
			Source      string
			Column      int
			Suggestions []string
		}
	}
}

// known lists the labels of the known answers.
func (a *assumption) known() string {
	var labels []string
	for _, x := range a.Answers {
		if x.Status == "known" {
			labels = append(labels, x.Label)
		}
	}
	return strings.Join(labels, " ")
}

// TestAssume makes assumptions in all endpoints that take questions. They leave facts, journal and metrics alone.
func TestAssume(t *testing.T) {
	c := factsConfig(t)
	c.Token = ""
	_, hs := start(t, c)
	ask := func(path, body string, want int) (a assumption) {
		t.Helper()
		status, text := call(t, hs, "POST", path, body)
		if status != want {
			t.Errorf("%s: status %d: %s", body, status, text)
		}
		require.NoError(t, json.Unmarshal([]byte(text), &a))
		return a
	}
	const question = `"formula": "borders(\"Iceland\", y)"`
	const assumed = `, "assume": ["borders(\"Iceland\", \"Peru\") & !borders(\"France\", \"Spain\")", "borders(\"Iceland\", \"Chile\")"]`
	_, first := call(t, hs, "GET", "/v1/model", "")

	if a := ask("/v1/ask", "{"+question+assumed+`, "compare": true}`, 200); a.known() != "Chile Peru" && a.known() != "Peru Chile" || len(a.Changes) < 2 {
		t.Errorf("assumed: %+v", a)
	}
	if a := ask("/v1/ask", "{"+question+"}", 200); a.known() != "" || a.Changes != nil {
		t.Errorf("without assumptions: %+v", a)
	}
	query := url.Values{"formula": {`borders("Iceland", y)`}, "assume": {`borders("Iceland", "Peru")`, `borders("Iceland", "Chile")`}}
	_, text := call(t, hs, "GET", "/v1/ask?"+query.Encode(), "")
	if a := unmarshal[assumption](t, text); len(strings.Fields(a.known())) != 2 {
		t.Errorf("in the address: %s", text)
	}
	if a := ask("/v1/ask", `{"formula": "count y: borders(\"Iceland\", y)"`+assumed+`, "compare": true}`, 200); a.Count.Known != 2 || a.Before.Count.Known != 0 {
		t.Errorf("counted: %+v", a)
	}
	if a := ask("/v1/ask", `{"formula": "borders(\"Atlantis\", y)", "assume": ["borders(\"Atlantis\", \"Peru\")"]}`, 200); a.known() != "Peru" || len(a.Warnings) != 1 {
		t.Errorf("a new entity: %+v", a)
	}
	a := ask("/v1/witness", `{"formula": "borders(\"Iceland\", y) & !official_language(y, \"Dutch\")", "entities": ["Peru"], "assume": ["borders(\"Iceland\", \"Peru\")", "!borders(\"Peru\", \"Bolivia\")"]}`, 200)
	if atoms := a.Witnesses[0].Atoms; len(atoms) != 2 || !atoms[0].Assumed || atoms[1].Assumed {
		t.Errorf("premises: %+v", a.Witnesses)
	}
	a = ask("/v1/witness", `{"formula": "borders(\"Bolivia\", y) & !borders(y, \"Chile\")", "entities": ["Peru"], "assume": ["!borders(\"Peru\", \"Chile\")"]}`, 200)
	if atoms := a.Witnesses[0].Atoms; len(atoms) != 2 || atoms[0].Assumed || !atoms[1].Assumed || atoms[1].Observed {
		t.Errorf("a premise that was removed: %+v", a.Witnesses)
	}
	a = ask("/v1/witness", `{"formula": "borders(\"Brazil\", y)", "entities": ["Bolivia"], "assume": ["!borders(\"Brazil\", \"Bolivia\")"]}`, 200)
	if atoms := a.Witnesses[0].Atoms; len(atoms) != 1 || atoms[0].Assumed || atoms[0].Observed {
		t.Errorf("a fact that was assumed away is predicted: %+v", a.Witnesses)
	}
	_, text = call(t, hs, "POST", "/v1/why-not", "{"+question+`, "entities": ["Peru"]`+assumed+"}")
	if !strings.Contains(text, `"status":"known"`) || !strings.Contains(text, `"assumed":true`) || strings.Contains(text, `"fails"`) {
		t.Errorf("why not: %s", text)
	}
	_, text = call(t, hs, "POST", "/v1/batch", `{"queries": [{`+question+assumed+`}, {`+question+`}]}`)
	both := unmarshal[struct{ Results []struct{ Result assumption } }](t, text).Results
	if len(both) != 2 || len(strings.Fields(both[0].Result.known())) != 2 || both[1].Result.known() != "" {
		t.Errorf("a batch: %s", text)
	}
	if status, text := call(t, hs, "POST", "/v1/explain", `{"formula": "borders(\"Atlantis\", y)", "assume": ["borders(\"Atlantis\", \"Peru\")"]}`); status != 200 {
		t.Errorf("explain: %s", text)
	}

	_, last := call(t, hs, "GET", "/v1/model", "")
	if first != last {
		t.Errorf("the model was\n%s\nand is\n%s", first, last)
	}
	if state, err := os.Stat(c.File + ".journal"); err == nil && state.Size() > 512 {
		t.Errorf("the journal has %d bytes", state.Size())
	}
	if _, text := call(t, hs, "GET", "/metrics", ""); strings.Contains(text, "efoc_facts_changed_total{") {
		t.Error("assumed facts count as changed")
	}
}

// TestAssumeRefused sends assumptions that cannot be made.
func TestAssumeRefused(t *testing.T) {
	_, hs := start(t, Config{Options: host.Options{Limits: Limits{Formula: 4000}}})
	many := strings.Repeat(`r("a", "b") & `, 100) + `r("a", "b")`
	for _, x := range []struct {
		assume, want string
		status       int
	}{
		{`borders("Frence", y)`, `assume:1:19: y names no entity`, 400},
		{`border("France", "Spain")`, `"code":"unknown_name"`, 404},
		{`border("France", "Spain")`, `"source":"assume"`, 404},
		{`!borders("France", "Spainn")`, `assume:1:20: unknown entity \"Spainn\"; did you mean \"Spain\"?`, 404},
		{`borders("France"`, `assume:1:17: expected`, 400},
		{`borders("France", y) | borders(y, "France")`, `this states no fact`, 400},
		{`area("Atlantis") = 5`, `new entity \"Atlantis\" has no facts to make its row from`, 400},
		{many, `more than 100 facts are assumed`, 400},
		{many + many + many, `over the limit of 4000`, 413},
	} {
		body := jsonText(t, map[string]any{"formula": `borders("France", y)`, "assume": []string{x.assume}})
		if status, text := call(t, hs, "POST", "/v1/ask", body); status != x.status || !strings.Contains(text, x.want) {
			t.Errorf("%.60s: status %d: %s", x.assume, status, text)
		}
	}
	for body, want := range map[string]string{
		`{"formula": "borders(\"France\", y)", "compare": true}`:                                                                                           `compare shows what assumptions change`,
		`{"formula": "borders(\"Atlantis\", y)", "compare": true, "assume": ["borders(\"Atlantis\", \"Spain\")"]}`:                                         `compare: without the assumptions, 1:9: unknown entity`,
		`{"template": "query Q(e entity) y = borders($e, y)", "args": {"e": "Atlantis"}, "compare": true, "assume": ["borders(\"Atlantis\", \"Spain\")"]}`: `compare: without the assumptions, args: parameter e: unknown entity`,
		`{"formula": "borders(\"France\", y)", "type": "in_continent=Mu", "compare": true, "assume": ["in_continent(\"Spain\", \"Mu\")"]}`:                 `compare: without the assumptions, type: unknown entity`,
	} {
		if status, text := call(t, hs, "POST", "/v1/ask", body); status != http.StatusBadRequest || !strings.Contains(text, want) {
			t.Errorf("%s: status %d: %s", body, status, text)
		}
	}
}

// TestAssumeReleases makes more questions with new entities, one after the other, than may run at once, of all outcomes.
func TestAssumeReleases(t *testing.T) {
	_, hs := start(t, Config{})
	for range 17 {
		for _, x := range []struct {
			path, rest string
			status     int
		}{
			{"/v1/ask", `"formula": "borders(\"Atlantis\", y)"`, 200}, {"/v1/ask", `"formula": "borders(\"Atlantes\", y)"`, 404},
			{"/v1/ask", `"formula": "borders(\"Atlantis\", y)", "args": {"x": "y"}`, 400}, {"/v1/ask", `"formula": "borders(\"Atlantis\", y)", "k": -1`, 400},
			{"/v1/ask", `"formula": "borders(\"Atlantis\", y)", "compare": true`, 400},
			{"/v1/witness", `"formula": "borders(\"Atlantis\", y)", "entities": ["Peru"]`, 200}, {"/v1/witness", `"formula": "borders(\"Atlantis\", y)", "entities": ["Peruu"]`, 404},
			{"/v1/explain", `"formula": "borders(\"Atlantis\", y)"`, 200}, {"/v1/explain", `"formula": "borders(\"Atlantes\", y)"`, 404},
		} {
			body := `{"assume": ["borders(\"Atlantis\", \"Peru\")"], ` + x.rest + "}"
			if status, text := call(t, hs, "POST", x.path, body); status != x.status {
				t.Fatalf("%s: status %d, want %d: %s", body, status, x.status, text)
			}
		}
	}
}

// TestAssumeAgain repeats questions with assumptions, alone and beside the same ones without. The replies are those of a
// server whose facts were changed.
func TestAssumeAgain(t *testing.T) {
	type answered struct {
		Answers []struct {
			Name, Status      string
			Score, Confidence float64
		}
	}
	formulas := []string{`borders("Peru", y)`, `borders("Peru", y) & !official_language(y, "Spanish")`, `exists x. borders("Peru", x) & borders(x, y)`}
	ask := func(hs *httptest.Server, formula, semantics string, assume []string) answered {
		t.Helper()
		body := jsonText(t, map[string]any{"formula": formula, "semantics": semantics, "assume": assume, "k": 30})
		status, text := call(t, hs, "POST", "/v1/ask", body)
		if status != 200 {
			t.Fatal(text)
		}
		return unmarshal[answered](t, text)
	}
	_, hs := start(t, Config{})
	for _, x := range []struct {
		assume []string
		change string
	}{
		{[]string{`!borders("Peru", "Chile")`}, `{"remove": [["Peru", "borders", "Chile"]]}`},
		{[]string{`borders("Peru", "France")`, `borders("France", "Cuba")`}, `{"add": [["Peru", "borders", "France"], ["France", "borders", "Cuba"]]}`},
		{[]string{`borders("Peru", "Atlantis") & borders("Atlantis", "Cuba")`}, `{"new": true, "add": [["Peru", "borders", "Atlantis"], ["Atlantis", "borders", "Cuba"]]}`},
	} {
		c := factsConfig(t)
		c.Token = ""
		_, changed := start(t, c)
		status, text, _ := callWith(t, changed, "POST", "/v1/facts", x.change, withToken("secret"))
		if status != 200 {
			t.Fatal(text)
		}
		for _, semantics := range []string{"nsmp", "fit", "mixed"} {
			for _, formula := range formulas {
				want := ask(changed, formula, semantics, []string{})
				for range 4 {
					ask(hs, formula, semantics, []string{})
					got := ask(hs, formula, semantics, x.assume)
					if len(got.Answers) != len(want.Answers) {
						t.Fatalf("%d answers, want %d", len(got.Answers), len(want.Answers))
					}
					for i, a := range got.Answers {
						w := want.Answers[i]
						if a.Name != w.Name || a.Status != w.Status || math.Abs(a.Score-w.Score) > 1e-5*w.Score || math.Abs(a.Confidence-w.Confidence) > 1e-4 {
							t.Errorf("%s, %s under %q: answer %d is %v, want %v", semantics, formula, x.assume, i, a, w)
						}
					}
				}
			}
		}
	}
}

// TestAssumeTogether has clients ask at once under assumptions that contradict each other. Each gets the answers of its
// own, and new entities of one are unknown to others.
func TestAssumeTogether(t *testing.T) {
	_, hs := start(t, Config{})
	neighbours := []string{"Peru", "Chile", "Japan", "Kenya", "Fiji", "Cuba"}
	var wg sync.WaitGroup
	for i, n := range neighbours {
		wg.Go(func() {
			for k := range 8 {
				fresh := fmt.Sprintf("new %d %d", i, k)
				assume := []string{fmt.Sprintf(`borders("Iceland", %q)`, n)}
				want := n
				formula := `borders("Iceland", y)`
				if k%3 == 1 {
					assume = append(assume, fmt.Sprintf(`borders(%q, %q)`, fresh, n))
					formula = fmt.Sprintf("borders(%q, y)", fresh)
				}
				if k%3 == 2 {
					assume = []string{}
					want = ""
				}
				status, text := call(t, hs, "POST", "/v1/ask", jsonText(t, map[string]any{"formula": formula, "assume": assume, "status": []string{"known"}, "k": 50}))
				if status == http.StatusTooManyRequests {
					continue
				}
				if a := unmarshal[assumption](t, text); status != http.StatusOK || a.known() != want {
					t.Errorf("%s under %q: status %d, known %q", formula, assume, status, a.known())
				}
				if status, text := call(t, hs, "GET", "/v1/entity/"+url.PathEscape(fresh), ""); status != http.StatusNotFound {
					t.Errorf("%s is known to others: %s", fresh, text)
				}
			}
		})
	}
	wg.Wait()
}

// TestAssumeMemory has a server without memory for a copy of the entity table refuse new entities, and no other
// assumptions.
func TestAssumeMemory(t *testing.T) {
	_, hs := start(t, Config{Options: host.Options{Limits: Limits{Memory: 600 << 10}}})
	for assume, want := range map[string]int{`borders("Iceland", "Peru")`: http.StatusOK, `borders("Iceland", "Atlantis")`: http.StatusUnprocessableEntity} {
		status, text := call(t, hs, "POST", "/v1/ask", jsonText(t, map[string]any{"formula": `borders("Iceland", y)`, "assume": []string{assume}, "semantics": "nsmp"}))
		if status != want {
			t.Errorf("%s: status %d: %s", assume, status, text)
		}
	}
}

// TestAssumeTools has assistants assume facts.
func TestAssumeTools(t *testing.T) {
	assume := []string{`borders("Iceland", "Peru") & borders("Iceland", "Atlantis")`}
	for name, session := range assistants(t, Config{}) {
		for _, x := range []struct {
			tool string
			more map[string]any
			want []string
		}{
			{"ask", map[string]any{"compare": true, "status": []string{"known"}}, []string{"Peru\t1.00\tknown", "came\tPeru\tbefore –\tnow", `the model has no entity "Atlantis"`}},
			{"explain", map[string]any{"entities": []string{"Peru"}}, []string{`borders("Iceland", "Peru")` + "\tassumed"}},
		} {
			args := map[string]any{"formula": `borders("Iceland", y)`, "assume": assume}
			for k, v := range x.more {
				args[k] = v
			}
			text, failed := use(t, session, x.tool, args)
			for _, want := range x.want {
				if failed || !strings.Contains(text, want) {
					t.Errorf("%s, %s: failed %v, %s, want %s", name, x.tool, failed, text, want)
				}
			}
		}
	}
}
