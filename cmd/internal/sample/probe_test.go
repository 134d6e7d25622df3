package sample

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/exact"
	"github.com/efoc/efoc/runtime/importer"
	"github.com/efoc/efoc/testdata/shared"
)

func TestProbe(t *testing.T) {
	for _, kg := range []string{"fb15k-237", "nell995"} {
		s, err := importer.ReadSplits(context.Background(), shared.Dir(t, "data", kg), nil)
		if err != nil {
			t.Fatal(err)
		}
		small, _ := runtime.NewGraph(s.N, s.Relations, slices.Concat(s.Train, s.Valid))
		full, _ := runtime.NewGraph(s.N, s.Relations, slices.Concat(s.Train, s.Valid, s.Test))
		start := time.Now()
		sm := New(small, full, Options{Count: 50, Seed: 1, MaxAnswers: 100, MinHard: 1, Budget: 5_000_000})
		fmt.Println(kg, "index", time.Since(start))
		for _, sh := range lang.Shapes {
			for _, rd := range []exact.Reading{exact.Existential, exact.Universal} {
				if rd == exact.Universal && sh.Name != "pni" {
					continue
				}
				sm.options.Reading = rd
				tm, err := NewShape(sh.Name)
				if err != nil {
					t.Fatal(err)
				}
				st := &State{Name: sh.Name}
				start := time.Now()
				var last []byte
				if err := sm.Run(context.Background(), tm, st, 2, func(q queryset.Query) { last = tm.Line(q, rd) }, func() error { return nil }); err != nil {
					t.Fatal(err)
				}
				fmt.Printf("%s found %d attempts %d over %d %v %.150s\n", sh.Name, len(st.Keys), st.Attempts, st.OverBudget, time.Since(start).Round(time.Millisecond), last)
			}
		}
	}
}
