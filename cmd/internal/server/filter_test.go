package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// TestAskFiltered asks for answers of some statuses, page by page, in every way, and compares
// with the whole list.
func TestAskFiltered(t *testing.T) {
	_, hs := start(t, Config{})
	type row struct {
		Name, Status string
		OutOfRange   bool
	}
	ask := func(method, path, body string) (rows []row, next int) {
		t.Helper()
		status, text := call(t, hs, method, path, body)
		if status != http.StatusOK {
			t.Fatalf("%s %s: status %d: %s", path, body, status, text)
		}
		if strings.HasPrefix(path, "/v1/batch") {
			all := unmarshal[struct {
				Results []struct{ Result json.RawMessage }
			}](t, text)
			text = string(all.Results[1].Result)
		}
		got := unmarshal[answersOf](t, text)
		for _, a := range got.Answers {
			rows = append(rows, row{a.Name, a.Status, a.OutOfRange})
		}
		return rows, got.Next
	}
	const formula = `exists x. borders("France", x) & official_language(x, y)`
	get := "/v1/ask?formula=" + url.QueryEscape(formula)
	all, next := ask("GET", get+"&k=1000", "")
	if len(all) != 1000 || next != 1000 {
		t.Fatalf("%d answers, the next at %d", len(all), next)
	}
	for _, c := range []struct {
		statuses []string
		inRange  bool
	}{{nil, false}, {nil, true}, {[]string{"predicted"}, false}, {[]string{"known"}, false}, {[]string{"confirmed", "known"}, true}} {
		var want []row
		for _, r := range all {
			if (c.statuses == nil || slices.Contains(c.statuses, r.Status)) && !(c.inRange && r.OutOfRange) {
				want = append(want, r)
			}
		}
		for _, page := range []struct{ offset, k int }{{0, 3}, {2, 4}} {
			query := fmt.Sprintf("%s&k=%d&offset=%d&in_range=%v", get, page.k, page.offset, c.inRange)
			repeated := query
			if c.statuses != nil {
				query += "&status=" + strings.Join(c.statuses, ",")
				repeated += "&status=" + strings.Join(c.statuses, "&status=")
			}
			names, _ := json.Marshal(c.statuses)
			body, _ := json.Marshal(formula)
			one := fmt.Sprintf(`{"formula":%s,"k":%d,"offset":%d,"status":%s,"in_range":%v}`, body, page.k, page.offset,
				strings.Replace(string(names), "null", "[]", 1), c.inRange)
			for _, way := range [][3]string{{"GET", query}, {"GET", repeated}, {"POST", "/v1/ask", one},
				{"POST", "/v1/batch", `{"queries":[` + one + `,` + one + `]}`}} {
				got, next := ask(way[0], way[1], way[2])
				list := want[min(page.offset, len(want)):min(page.offset+page.k, len(want))]
				if !slices.Equal(got, list) {
					t.Errorf("%v: %v, want %v", way, got, list)
				}
				if full := len(list) == page.k; full != (next == page.offset+page.k) || !full && next != 0 {
					t.Errorf("%v: %d answers, and the next at %d", way, len(got), next)
				}
			}
		}
	}
}

// TestAskShow asks for the values of a variable beside each answer: France borders the value,
// and its official language is the answer, which follows from the graph.
func TestAskShow(t *testing.T) {
	_, hs := start(t, Config{})
	m, err := openWorld(t.Context())
	require.NoError(t, err)
	defer m.Close()
	fact := func(head, relation, tail string) bool {
		h, err := m.Entity(head)
		r, err2 := m.Relation(relation)
		o, err3 := m.Entity(tail)
		if err != nil || err2 != nil || err3 != nil {
			t.Fatal(err, err2, err3)
		}
		return m.Bundle().Graph.Has(h.ID(), r.ID(), o.ID())
	}
	get := "/v1/ask?status=known&show=x&formula=" + url.QueryEscape(`exists x. borders("France", x) & official_language(x, y)`)
	for _, semantics := range []string{"nsmp", "fit", "mixed"} {
		status, text := call(t, hs, "GET", get+"&semantics="+semantics, "")
		got := unmarshal[answersOf](t, text)
		if status != http.StatusOK || len(got.Answers) < 4 {
			t.Fatalf("status %d: %s", status, text)
		}
		for _, a := range got.Answers {
			if len(a.Values) != 1 || a.Values[0].Variable != "x" || !fact("France", "borders", a.Values[0].Name) || !fact(a.Values[0].Name, "official_language", a.Name) {
				t.Errorf("%s: beside %s there is %+v", semantics, a.Name, a.Values)
			}
		}
	}
}

// TestAskType asks for answers of a type, which are those that have the fact.
func TestAskType(t *testing.T) {
	_, hs := start(t, Config{})
	formula := `official_language(y, "Spanish")`
	body, _ := json.Marshal(formula)
	_, text := call(t, hs, "GET", "/v1/ask?k=500&formula="+url.QueryEscape(formula+` & in_continent(y, "Europe")`), "")
	europe := map[string]bool{}
	m, err := openWorld(t.Context())
	require.NoError(t, err)
	defer m.Close()
	for _, a := range unmarshal[answersOf](t, text).Answers {
		h, _ := m.Entity(a.Name)
		r, _ := m.Relation("in_continent")
		o, _ := m.Entity("Europe")
		europe[a.Name] = m.Bundle().Graph.Has(h.ID(), r.ID(), o.ID())
	}
	for _, way := range [][3]string{
		{"GET", "/v1/ask?type=" + url.QueryEscape("in_continent=Europe") + "&k=5&formula=" + url.QueryEscape(formula)},
		{"POST", "/v1/ask", `{"formula":` + string(body) + `,"k":5,"type":"in_continent=Europe"}`},
	} {
		status, text := call(t, hs, way[0], way[1], way[2])
		got := unmarshal[answersOf](t, text)
		if status != http.StatusOK || len(got.Answers) != 5 || got.Answers[0].Name != "Spain" {
			t.Fatalf("status %d: %s", status, text)
		}
		for _, a := range got.Answers {
			if !europe[a.Name] {
				t.Errorf("%v: %s is not in Europe", way, a.Name)
			}
		}
	}
}

// TestAskTypeInFormula compares a type in the question with that beside it, and checks that
// mistakes show at their places.
func TestAskTypeInFormula(t *testing.T) {
	_, hs := start(t, Config{})
	ask := func(parameters ...string) (int, string) {
		v := url.Values{"k": {"5"}}
		for i := 0; i < len(parameters); i += 2 {
			v.Set(parameters[i], parameters[i+1])
		}
		return call(t, hs, "GET", "/v1/ask?"+v.Encode(), "")
	}
	const formula = `exists x. borders("Turkey", x) & borders(x, y)`
	_, beside := ask("formula", formula, "type", "in_continent=Europe")
	status, within := ask("formula", formula+` & y: in_continent("Europe")`)
	got, want := unmarshal[answersOf](t, within), unmarshal[answersOf](t, beside)
	if status != http.StatusOK || len(got.Answers) != 5 || fmt.Sprint(got.Answers) != fmt.Sprint(want.Answers) {
		t.Errorf("status %d: %s, want %s", status, within, beside)
	}
	for text, want := range map[string]string{` & y: in_continent("Evrope")`: "did you mean", " & y: Europe": "names no relation of types"} {
		if status, text := ask("formula", formula+text); status/100 != 4 || !strings.Contains(text, want) || !strings.Contains(text, `"column":`) {
			t.Errorf("status %d: %s, want %s", status, text, want)
		}
	}
}
