package device

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime"
)

// boundPlan is a plan of the runtime, in two parts, that must not run.
func boundPlan(t *testing.T) *runtime.Plan {
	never := func(*runtime.Workspace) error {
		t.Error("the processor runs the plan")
		return nil
	}
	p := &runtime.Plan{
		ABI: runtime.ABI, Shape: testPlan.Shape, Constants: 1, Relations: 1, KeptVectors: 1, Bind: never, Run: never,
		Patterns: []runtime.QueryGraph{{Variables: []string{"f"}, Atoms: []runtime.Atom{{Head: runtime.Const(0), Tail: runtime.Var(0)}}}},
	}
	Attach([]*runtime.Plan{p}, []*Plan{{Shape: testPlan.Shape, Layers: 7}, testPlan, {Shape: "r1(f,s1)"}})
	return p
}

// TestBind checks that a query that is bound to a model on a device is answered there,
// alone and in batches, and that the plan stays as it was for others.
func TestBind(t *testing.T) {
	d, _ := openFake(t)
	host := testModel(t, runtime.Float32)
	m, err := d.Load(host)
	if err != nil {
		t.Fatal(err)
	}
	p := boundPlan(t)
	b := runtime.Bindings{Constants: []runtime.EntityID{7}, Relations: []runtime.RelationID{2}}
	q, err := runtime.NewBoundQuery(m, p, runtime.QueryNames{Query: "Test"}, b)
	if err != nil {
		t.Fatal(err)
	}
	if q.Model() != host || p.Runner != nil || p.Bind == nil {
		t.Errorf("the query has model %p, want %p; its plan became %+v", q.Model(), host, p)
	}
	alone, err := q.Answer(context.Background(), b, runtime.Options{K: 2})
	if err != nil {
		t.Fatal(err)
	}
	batch, err := q.AnswerBatch(context.Background(), []runtime.Bindings{b, b}, runtime.Options{K: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range append(batch, alone) {
		if a := r.Answers[1]; len(r.Answers) != 2 || a.Entity != 1 || a.Probability != 7 || a.Name != fmt.Sprint(1) {
			t.Errorf("answers are %+v", r.Answers)
		}
	}
	named, err := runtime.NewQuery(m, p, runtime.QueryNames{Query: "Other", Variables: [][]string{{"city"}}})
	if err != nil {
		t.Fatal(err)
	}
	mixed := []runtime.Question{{Query: q, Bindings: b}, {Query: named, Bindings: b}}
	batch, err = runtime.AnswerBatch(context.Background(), mixed, runtime.Options{K: 2})
	if err != nil || batch[0].Variable != "f" || batch[1].Variable != "city" || len(batch[1].Answers) != 2 {
		t.Errorf("queries with names of their own are answered %+v, error %v", batch, err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := runtime.AnswerBatch(context.Background(), mixed, runtime.Options{}); err == nil || strings.Contains(err.Error(), "Test") || !strings.Contains(err.Error(), "closed") {
		t.Errorf("after its model was closed a batch of both says %v", err)
	}
	if _, err := q.Answer(context.Background(), b, runtime.Options{}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("after its model was closed the query says %v", err)
	}
	if _, err := runtime.NewQuery(m, p, runtime.QueryNames{Query: "Test"}); err == nil || !strings.HasPrefix(err.Error(), "query Test: ") || !strings.Contains(err.Error(), "closed") {
		t.Errorf("binding to a closed model says %v", err)
	}
}

// TestBindErrors checks what is said of plans without kernels, and with old ones.
func TestBindErrors(t *testing.T) {
	d, _ := openFake(t)
	m, err := d.Load(testModel(t, runtime.Float32))
	if err != nil {
		t.Fatal(err)
	}
	old := *testPlan
	old.ABI = ABI + 1
	for _, c := range []struct {
		kernels []*Plan
		want    string
	}{
		{nil, "query Test: shape r1(s1,f) has no kernels for a device: generate its file again with efoc generate --cuda"},
		{[]*Plan{&old}, "query Test: shape r1(s1,f): its kernels were generated for version 2 of the device runtime, this is version 1: run efoc generate --cuda"},
	} {
		p := boundPlan(t)
		p.Kernels = nil
		Attach([]*runtime.Plan{p}, c.kernels)
		if _, err := runtime.NewQuery(m, p, runtime.QueryNames{Query: "Test"}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("error is %v, want %s", err, c.want)
		}
	}
}
