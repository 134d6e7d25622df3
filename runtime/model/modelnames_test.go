package model

import (
	"fmt"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
)

func TestModelNames(t *testing.T) {
	m := smallModel(t)
	if e, err := m.Entity("Ada"); err != nil || e.ID() != 0 {
		t.Errorf("Ada is %d, %v", e, err)
	}
	if _, err := m.Entity("ada"); err == nil || err.Error() != `unknown entity "ada"; did you mean "Ada"?` {
		t.Errorf("error is %v", err)
	}
	if r, err := m.Relation("knows^-1"); err != nil || r.ID() != 1 || m.RelationName(r.ID()) != "knows^-1" || m.RelationName(0) != "knows" {
		t.Errorf("inverse is %d, %v", r, err)
	}
	if _, err := m.Relation("nows^-1"); err == nil || err.Error() != `unknown relation "nows"; did you mean "knows"?` {
		t.Errorf("error is %v", err)
	}
	if r, err := m.FindRelation("likes"); err != nil || r != 2 {
		t.Errorf("likes is %d, %v", r, err)
	}
	for name, want := range map[string]graph.RelationID{"#0": 0, "#3": 3, "#3^-1": 2, "#2": 2} {
		if r, err := m.Relation(name); err != nil || r.ID() != want {
			t.Errorf("%s is %d, %v, want %d", name, r, err, want)
		}
	}
	if e, err := m.Entity("#1"); err != nil || e.ID() != 1 {
		t.Errorf("#1 is %d, %v", e, err)
	}
	for _, name := range []string{"#4", "#-1", "#", "#x", "#99999999999999"} {
		want := fmt.Sprintf("unknown relation %q; ids are #0 to #3", name)
		if _, err := m.Relation(name); err == nil || err.Error() != want {
			t.Errorf("%s: error is %v, want %s", name, err, want)
		}
	}
	if m.EntityName(0) != "e0" || m.EntityLabel(0) != "Ada" || m.EntityLabel(1) != "e1" {
		t.Error("names are wrong")
	}
	if got := m.NearestEntities("ADA", 3); !slices.Equal(got, []string{"Ada"}) {
		t.Errorf("nearest is %q", got)
	}
	if got := m.NearestRelations("know", 3); !slices.Equal(got, []string{"knows"}) {
		t.Errorf("nearest is %q", got)
	}
}
