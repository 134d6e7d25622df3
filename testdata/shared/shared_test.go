package shared

import "testing"

func TestQueries(t *testing.T) {
	for _, kg := range []string{"fb15k-237", "nell995"} {
		queries := Queries(t, Dir(t, "data", kg, "queries-dev.jsonl"))
		if len(queries) == 0 {
			t.Fatalf("%s: no queries", kg)
		}
		for _, q := range queries {
			if len(q.Slots) < 2 || len(q.Hard) == 0 {
				t.Fatalf("%s: query %+v lacks slots or hard answers", kg, q)
			}
		}
	}
}

func TestGoldens(t *testing.T) {
	for _, kg := range []string{"fb15k-237", "nell995"} {
		goldens := Goldens(t, Dir(t, "data", "golden", kg+".json"))
		if len(goldens) == 0 {
			t.Fatalf("%s: no goldens", kg)
		}
		for _, g := range goldens {
			if len(g.Top) != 50 || g.Sum < 0.99 || g.Sum > 1.01 || g.Top[0].Prob < g.Top[49].Prob {
				t.Fatalf("%s: bad golden %+v", kg, g)
			}
		}
	}
}
