package server

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/seed"
)

// TestSPARQLValuesSelected selects the values that random queries compare, beside one entity or two. What is known
// equals a brute force over the facts, in each order, in each part by LIMIT and OFFSET, and by Oxigraph.
func TestSPARQLValuesSelected(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 6))
	answered := map[string]int{}
	for range long.Or(40, 8) {
		m, facts := valueGraph(t, rng)
		_, hs := start(t, Config{Options: host.Options{Open: func(context.Context) (*runtime.Model, error) { return m, nil }}})
		q := &valueQueries{rng: rng}
		var queries []string
		var want [][]string
		for range 250 {
			g := q.query()
			names := regexp.MustCompile(`\?[vz][0-9]+`).FindAllString(g.text(), -1)
			if len(names) == 0 || strings.Contains(g.text(), "EXISTS") {
				continue
			}
			selected := []string{"?y", names[rng.IntN(len(names))]}
			if other := names[rng.IntN(len(names))]; rng.IntN(2) == 0 && other != selected[1] {
				selected = append(selected, other)
			}
			if !strings.Contains(strings.Join(selected, ""), "?v") {
				continue
			}
			found := selectedSolutions(g, facts, selected)
			text := "SELECT DISTINCT " + strings.Join(selected, " ") + " " + g.text()
			queries = append(queries, text)
			want = append(want, texts(found))
			kind := "of one"
			if strings.Contains(strings.Join(selected, ""), "?z") {
				kind = "of rows"
			}
			if checkSelected(t, hs, rng, text, selected, found) {
				answered[kind] += len(found)
			}
		}
		checkOxigraph(t, facts, queries, want)
		hs.Close()
	}
	if answered["of one"] < 50 || answered["of rows"] < 10 {
		t.Errorf("too few solutions: %v", answered)
	}
}

// selectedSolutions returns the distinct solutions of a pattern, sorted by text.
func selectedSolutions(g groupPart, facts [][3]string, selected []string) (list [][]string) {
	for _, s := range g.solutions(facts, solution{}) {
		var row []string
		for _, name := range selected {
			text, _, _ := strings.Cut(s[name], "^^")
			row = append(row, strings.Trim(text, `<>"`))
		}
		list = append(list, row)
	}
	slices.SortFunc(list, func(a, b []string) int { return strings.Compare(strings.Join(a, " "), strings.Join(b, " ")) })
	return slices.CompactFunc(list, slices.Equal)
}

func texts(list [][]string) []string {
	out := []string{}
	for _, row := range list {
		out = append(out, strings.Join(row, " "))
	}
	return out
}

// checkSelected asks a query for what is known, in several ways, and reports whether it is not refused.
func checkSelected(t *testing.T, hs *httptest.Server, rng *rand.Rand, text string, selected []string, want [][]string) bool {
	t.Helper()
	rows := strings.Contains(strings.Join(selected, ""), "?z")
	ask := func(text string) (list []string, refused bool) {
		t.Helper()
		status, _, reply := askSPARQL(t, hs, text, "")
		if status != 200 {
			if status != 400 || !strings.Contains(reply, "hint") && !strings.Contains(reply, "can never hold") {
				t.Errorf("%s\nstatus %d: %s", text, status, reply)
			}
			return nil, true
		}
		for _, b := range unmarshal[sparqlResult](t, reply).Results.Bindings {
			if rows && b["row_status"].Value != "known" {
				continue
			}
			var row []string
			for _, name := range selected {
				row = append(row, b[name[1:]].Value)
			}
			list = append(list, strings.Join(row, " "))
		}
		return list, false
	}
	if rows {
		got, refused := ask(text + " LIMIT 1000")
		slices.Sort(got)
		if !refused && !slices.Equal(got, texts(want)) {
			t.Errorf("%s\n got %v\nwant %v", text, got, want)
		}
		return !refused
	}

	known := strings.TrimSuffix(text, "}") + ` FILTER(?y_status = "known") }`
	got, refused := ask(known)
	if refused {
		return false
	}
	best := slices.Clone(got)
	slices.Sort(got)
	if !slices.Equal(got, texts(want)) {
		t.Errorf("%s\n got %v\nwant %v", known, got, want)
	}
	offset := rng.IntN(4)
	limit := rng.IntN(4)
	part := func(list []string) []string {
		list = list[min(offset, len(list)):]
		return list[:min(limit, len(list))]
	}
	cut := fmt.Sprintf(" LIMIT %d OFFSET %d", limit, offset)
	if got, _ := ask(known + cut); !slices.Equal(got, part(best)) {
		t.Errorf("%s%s\n got %v\nwant %v of %v", known, cut, got, part(best), best)
	}

	by := 1 + rng.IntN(len(selected)-1)
	ordered := slices.Clone(want)
	slices.SortFunc(ordered, func(a, b []string) int {
		return cmp.Or(-cmp.Compare(number(a[by]), number(b[by])), strings.Compare(a[0], b[0]))
	})
	order := " ORDER BY DESC(" + selected[by] + ") ?y"
	for i, name := range selected {
		if i > 0 && i != by {
			order += " " + name
			slices.SortStableFunc(ordered, func(a, b []string) int {
				return cmp.Or(-cmp.Compare(number(a[by]), number(b[by])), strings.Compare(a[0], b[0]), cmp.Compare(number(a[i]), number(b[i])))
			})
		}
	}
	if got, _ := ask(known + order + cut); !slices.Equal(got, part(texts(ordered))) {
		t.Errorf("%s%s%s\n got %v\nwant %v", known, order, cut, got, part(texts(ordered)))
	}
	return true
}

// number returns a value by which texts of the same kind sort as their values do: numbers, and dates without a sign.
func number(text string) float64 {
	var x float64
	if year := strings.ReplaceAll(text, "-", ""); len(text) == len("1950-03-01") {
		text = year
	}
	fmt.Sscan(text, &x)
	return x
}
