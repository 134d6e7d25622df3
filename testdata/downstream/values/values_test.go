package values

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// towns are the entities of the test's model, each in the country of its index, with inhabitants and the year it
// was founded in.
var towns = []struct {
	name, founded string
	country       int
	people        float64
}{
	{"Paris", "-0250", 0, 2_100_000}, {"Lyon", "-0043", 0, 520_000}, {"Nice", "1517", 0, 160_000},
	{"Berlin", "1237", 1, 3_700_000}, {"Wolfsburg", "1938", 1, 125_000},
}

var countries = []string{"France", "Germany"}

// newModel makes the model of the towns.
func newModel(t *testing.T) *runtime.Model {
	t.Helper()
	spec := modeltest.Spec{EntityNames: append([]string{}, countries...), RelationNames: []string{"in"}}
	people := values.AttributeValues{Name: "people", Kind: values.NumberKind}
	founded := values.AttributeValues{Name: "founded", Kind: values.DateKind}
	for _, town := range towns {
		id := graph.EntityID(len(spec.EntityNames))
		spec.EntityNames = append(spec.EntityNames, town.name)
		spec.Facts = append(spec.Facts, graph.Triple{Head: id, Tail: graph.EntityID(town.country)})
		people.Values = append(people.Values, values.EntityValue{Entity: id, Number: town.people})
		first, _, err := values.DateKind.Parse(town.founded)
		require.NoError(t, err)
		founded.Values = append(founded.Values, values.EntityValue{Entity: id, Number: first})
	}
	m, err := modeltest.New(t, spec).WithValues([]values.AttributeValues{people, founded})
	require.NoError(t, err)
	return runtime.NewModel(m)
}

// TestLarge asks with numbers and dates of several sizes, one by one and together: answers are the towns that a
// loop over the table finds.
func TestLarge(t *testing.T) {
	m := newModel(t)
	defer m.Close()
	q, err := BindLarge(m)
	require.NoError(t, err)
	has, err := BindHasLarge(m)
	require.NoError(t, err)
	var batch []LargeParams
	var want []string
	for c, country := range countries {
		e, err := m.Entity(country)
		require.NoError(t, err)
		for _, least := range []float64{0, 160_000, 520_000, 1e9} {
			large := false
			for _, since := range []string{"-1000", "1237", "1500-06"} {
				var names []string
				for _, town := range towns {
					large = large || town.country == c && town.people > least
					// Years of four digits, of which no two towns have the same, compare as text from -1000 on.
					early := strings.HasPrefix(town.founded, "-") && since != "-1000" || since != "-1000" && town.founded < since
					if town.country == c && town.people > least && !early {
						names = append(names, town.name)
					}
				}
				date, err := runtime.ParseDate(since)
				require.NoError(t, err)
				batch = append(batch, LargeParams{Country: e, Least: least, Since: date})
				want = append(want, strings.Join(names, " "))
			}
			verdict, err := has.Decide(context.Background(), HasLargeParams{Country: e, Least: least}, runtime.Options{})
			require.NoError(t, err)
			if verdict.Holds != large {
				t.Errorf("a town of %s with more than %v inhabitants: %v, want %v", country, least, verdict.Holds, large)
			}
		}
	}
	known := runtime.Options{Filter: runtime.AnswerFilter{Statuses: runtime.Known}}
	together, err := q.AnswerBatch(context.Background(), batch, known)
	require.NoError(t, err)
	for i, p := range batch {
		alone, err := q.Answer(context.Background(), p, known)
		require.NoError(t, err)
		for _, r := range []*LargeReply{alone, together[i]} {
			if got := names(r); got != want[i] {
				t.Errorf("%+v: got %q, want %q", p, got, want[i])
			}
		}
	}
	if _, err := q.Answer(context.Background(), LargeParams{Country: batch[0].Country, Least: math.NaN()}, known); err == nil || !strings.Contains(err.Error(), "parameter Least: NaN is neither a number nor a date") {
		t.Errorf("not a number: %v", err)
	}
}

// TestBetween asks for towns in a range, whose last end does not belong to it.
func TestBetween(t *testing.T) {
	m := newModel(t)
	defer m.Close()
	q, err := BindBetween(m)
	require.NoError(t, err)
	france, err := m.Entity("France")
	require.NoError(t, err)
	known := runtime.Options{Filter: runtime.AnswerFilter{Statuses: runtime.Known}}
	for _, ends := range [][2]float64{{160_000, 520_000}, {160_000, 2_100_001}, {160_001, 160_002}} {
		r, err := q.Answer(context.Background(), BetweenParams{Country: france, Least: ends[0], Most: ends[1]}, known)
		require.NoError(t, err)
		want := 0
		for _, town := range towns {
			if town.country == 0 && town.people >= ends[0] && town.people < ends[1] {
				want++
			}
		}
		if len(r.Rows) != want {
			t.Errorf("%d towns from %v to %v, want %d", len(r.Rows), ends[0], ends[1], want)
		}
	}
}

// names returns the answers in the order of the towns.
func names(r *LargeReply) string {
	var found []string
	for _, town := range towns {
		if slices.ContainsFunc(r.Rows, func(row LargeRow) bool { return row.Y.Name == town.name }) {
			found = append(found, town.name)
		}
	}
	if len(found) != len(r.Rows) {
		found = append(found, "and others")
	}
	return strings.Join(found, " ")
}

// TestUnsetDate checks that a date that is not set does not stand for 1970.
func TestUnsetDate(t *testing.T) {
	m := newModel(t)
	defer m.Close()
	q, err := BindLarge(m)
	require.NoError(t, err)
	france, err := m.Entity("France")
	require.NoError(t, err)
	_, err = q.Answer(context.Background(), LargeParams{Country: france, Least: 1}, runtime.Options{})
	if param, ok := errors.AsType[*runtime.ParamError](err); !ok || param.Param != "Since" {
		t.Errorf("without a date, Answer gives %v", err)
	}
}
