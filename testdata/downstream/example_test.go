package atlas_test

import (
	"context"
	"fmt"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/runtime"

	"example.com/atlas"
)

// Names are resolved once, when a query is made; answers to parameters then need no more of them. A program of
// your own opens a bundle with runtime.Open.
func ExampleNewLanguages_Answer() {
	m, err := world.Open()
	if err != nil {
		panic(err)
	}
	defer m.Close()
	q, err := atlas.BindNewLanguages(m)
	if err != nil {
		panic(err)
	}
	france, err := m.Entity("France")
	if err != nil {
		panic(err)
	}
	options := runtime.Options{K: 3, Filter: runtime.AnswerFilter{Statuses: runtime.Known}}
	r, err := q.Answer(context.Background(), atlas.NewLanguagesParams{Country: france}, options)
	if err != nil {
		panic(err)
	}
	for _, a := range r.Rows {
		fmt.Println(a.Y.Label, a.Status)
	}
	// Output:
	// German known
	// Dutch known
	// Italian known
}

// A batch shares sweeps of the entity table among its parameters.
func ExampleNeighbours_AnswerBatch() {
	m, err := world.Open()
	if err != nil {
		panic(err)
	}
	defer m.Close()
	q, err := atlas.BindNeighbours(m)
	if err != nil {
		panic(err)
	}
	names := []string{"Portugal", "Monaco"}
	var batch []atlas.NeighboursParams
	for _, name := range names {
		country, err := m.Entity(name)
		if err != nil {
			panic(err)
		}
		batch = append(batch, atlas.NeighboursParams{Country: country})
	}
	all, err := q.AnswerBatch(context.Background(), batch, runtime.Options{K: 1})
	if err != nil {
		panic(err)
	}
	for i, r := range all {
		fmt.Println(names[i], "borders", r.Rows[0].Y.Label)
	}
	// Output:
	// Portugal borders Spain
	// Monaco borders France
}

// A witness has the values and links that make an answer most true.
func ExampleTwoBordersAway_Why() {
	m, err := world.Open()
	if err != nil {
		panic(err)
	}
	defer m.Close()
	q, err := atlas.BindTwoBordersAway(m)
	if err != nil {
		panic(err)
	}
	france, err := m.Entity("France")
	if err != nil {
		panic(err)
	}
	portugal, err := m.Entity("Portugal")
	if err != nil {
		panic(err)
	}
	why, err := q.Why(context.Background(), atlas.TwoBordersAwayParams{Country: france}, runtime.Options{}, portugal.ID())
	if err != nil {
		panic(err)
	}
	for _, v := range why[0].Values {
		fmt.Println(v.Variable, "is", v.Label)
	}
	for _, a := range why[0].Atoms {
		fmt.Println(a.Head.Label, a.Relation, a.Tail.Label, a.Observed)
	}
	// Output:
	// x is Spain
	// France borders Spain true
	// Spain borders Portugal true
}
