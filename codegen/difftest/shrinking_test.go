package difftest

import (
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
)

// TestShrink makes a case small of which a negation, five entities, a rank of three and
// a weight are what fails.
func TestShrink(t *testing.T) {
	c := &testCase{
		World: world{Seed: 1, Entities: 77, Relations: 4, Rank: 31, Table: model.Int8, Exact: model.Float16, Facts: 120, Scale: 20, Shift: -90, Temperatures: true},
		Query: "query T(s1, s2, s3 entity, r1, r2, r3, r4 relation) y = " +
			"$r1($s1, y) & (exists x. $r2($s2, x) & !$r3(x, y) | $r4($s3, y))",
		Semantics: model.NSMP,
		Settings:  model.DefaultSettings(),
	}
	c.Settings.Weight, c.Settings.Lambda, c.Settings.Layers = 0.9, 0.5, 4
	for range 9 {
		c.Bindings = append(c.Bindings, map[string]int32{"s1": 70, "s2": 3, "s3": 50, "r1": 7, "r2": 0, "r3": 5, "r4": 1})
	}
	tried := 0
	got := shrink(c, func(d *testCase) bool {
		tried++
		for _, b := range d.Bindings {
			for name, v := range b {
				if limit := d.World.Entities; name[0] == 's' && int(v) >= limit || name[0] == 'r' && int(v) >= 2*d.World.Relations {
					t.Fatalf("%s is %d in a world of %+v", name, v, d.World)
				}
			}
		}
		return strings.Contains(d.Query, "!") && d.World.Entities >= 5 && d.World.Rank >= 3 && d.Settings.Weight == 0.9
	})
	want := world{Seed: 1, Entities: 5, Relations: 1, Rank: 3, Table: model.Float32, Scale: 1}
	if got.World != want {
		t.Errorf("world is %+v, want %+v", got.World, want)
	}
	plain := model.DefaultSettings()
	plain.Weight = 0.9
	if got.Settings != plain {
		t.Errorf("settings are %+v, want %+v", got.Settings, plain)
	}
	if n := strings.Count(got.Query, "("); n > 3 || len(got.Bindings) != 1 {
		t.Errorf("%d queries of %s, want one with two atoms at most", len(got.Bindings), got.Query)
	}
	if tried > shrinkTries {
		t.Errorf("%d cases tried", tried)
	}
}
