package facts_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/model"
)

// A change goes into the journal beside the bundle, and questions asked afterwards see it.
func ExampleStore_Apply() {
	if err := change(); err != nil {
		panic(err)
	}
	// Output:
	// 1 added
	// known
}

func change() error {
	dir, err := os.MkdirTemp("", "facts")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bundle, err := os.ReadFile("../../cmd/efoc/world/world.efoc")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "my.efoc")
	if err := os.WriteFile(path, bundle, 0o644); err != nil {
		return err
	}
	m, err := runtime.Open(path, model.Mapped())
	if err != nil {
		return err
	}
	defer m.Close()
	store, err := facts.Open(path, m)
	if err != nil {
		return err
	}
	defer store.Close()
	done, err := store.Apply(context.Background(), facts.Change{Add: []facts.Fact{{"France", "borders", "Peru"}}})
	if err != nil {
		return err
	}
	fmt.Println(done.Added, "added")
	q, err := compiler.Prepare(m, `borders("France", y) & capital(y, "Lima")`, compiler.Options{})
	if err != nil {
		return err
	}
	r, err := q.Ask(context.Background(), nil, runtime.Options{K: 1})
	if err != nil {
		return err
	}
	fmt.Println(r.Rows[0].Status)
	return nil
}
