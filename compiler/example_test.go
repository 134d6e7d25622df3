package compiler_test

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// Your own program opens a bundle with runtime.Open.
func Example() {
	m, err := world.Open()
	if err != nil {
		panic(err)
	}
	defer m.Close()
	q, err := compiler.Prepare(m, `exists x. borders("Switzerland", x) & capital(x, y)`, compiler.Options{})
	if err != nil {
		panic(err)
	}
	r, err := q.Ask(context.Background(), nil, runtime.Options{K: 3, SetSize: 2})
	if err != nil {
		panic(err)
	}
	for _, a := range r.Rows {
		fmt.Printf("%-10s %.3f %s\n", a.Values[0].Label, a.Score, a.Status)
	}
	for _, set := range r.Sets {
		fmt.Println(set.Variable, "is", set.Top[0].Values[0].Label, "or", set.Top[1].Values[0].Label)
	}
	// Output:
	// Rome       0.536 known
	// Vaduz      0.521 known
	// Vienna     0.519 known
	// x is Austria or France
}

// With a Cache, questions that differ only in names are compiled once; goroutines may share it.
func ExampleCache() {
	m, err := world.Open()
	if err != nil {
		panic(err)
	}
	defer m.Close()
	var cache stages.Cache
	options := compiler.Options{Cache: &cache, Semantics: new(model.Mixed)}
	countries := []string{"Kenya", "Peru", "Japan"}
	best := make([]string, len(countries))
	var wg sync.WaitGroup
	for i, country := range countries {
		wg.Go(func() {
			q, err := compiler.Prepare(m, fmt.Sprintf("capital(%q, y)", country), options)
			if err != nil {
				panic(err)
			}
			r, err := q.Ask(context.Background(), nil, runtime.Options{K: 1})
			if err != nil {
				panic(err)
			}
			best[i] = r.Rows[0].Values[0].Label
		})
	}
	wg.Wait()
	fmt.Println(best, "with", cache.Len(), "compiled shape")
	// Output: [Nairobi Lima Tokyo] with 1 compiled shape
}

// Errors in a question carry their positions.
func ExamplePrepare_mistake() {
	m, err := world.Open()
	if err != nil {
		panic(err)
	}
	defer m.Close()
	_, err = compiler.Prepare(m, `borders("Frence", y)`, compiler.Options{})
	var mistakes lang.ErrorList
	if errors.As(err, &mistakes) {
		fmt.Println("column", mistakes[0].Pos.Col)
		fmt.Print(mistakes.Render())
	}
	// Output:
	// column 9
	// 1:9: unknown entity "Frence"
	// 	borders("Frence", y)
	// 	        ^
	// 	hint: did you mean "France", "French" or "Greece"?
}

// A template is prepared once and asked with several values of its parameters; the queries of a batch share
// sweeps of the entity table.
func ExamplePrepared_AskAll() {
	m, err := world.Open()
	if err != nil {
		panic(err)
	}
	defer m.Close()
	file, err := lang.ParseFile("near.efo", []byte(`query Capital(country entity) y = capital($country, y)`))
	if err != nil {
		panic(err)
	}
	q, err := compiler.Prepare(m, file.Queries[0], compiler.Options{})
	if err != nil {
		panic(err)
	}
	var batch []runtime.Args
	for _, name := range []string{"Chad", "Cuba"} {
		country, err := m.Entity(name)
		if err != nil {
			panic(err)
		}
		batch = append(batch, runtime.Args{plan.Entity(country)})
	}
	results, err := q.AskAll(context.Background(), batch, runtime.Options{K: 1})
	if err != nil {
		panic(err)
	}
	for _, r := range results {
		fmt.Println(r.Rows[0].Values[0].Label)
	}
	// Output:
	// N'Djamena
	// Havana
}
