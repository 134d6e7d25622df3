package device_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/require"
)

// boundPlan is a plan of the runtime that must not run.
func boundPlan(t *testing.T) *plan.Plan {
	never := func(*plan.Workspace) error {
		t.Error("the processor runs the plan")
		return nil
	}
	p := &plan.Plan{
		ABI: plan.ABI, Shape: device.TestPlan.Shape, Semantics: model.NSMP, Constants: 1, Relations: 1, Run: never,
		Disjuncts: []scq.Disjunct{{Variables: []string{"f"}, Atoms: []scq.Atom{{Head: scq.Const(0), Tail: scq.Var(0)}}}},
	}
	plan.Attach([]*plan.Plan{p}, []*device.Kernels{{Shape: device.TestPlan.Shape, Semantics: model.NSMP, Layers: 7}, device.TestPlan, {Shape: "r1(f,s1)"}})
	return p
}

// TestBind checks that a query that is bound to a model on a device is answered there,
// alone and in batches, and that the plan stays as it was for others.
func TestBind(t *testing.T) {
	d, _ := device.OpenFake(t)
	host := runtime.NewModel(device.TestModel(t, table.Float32))
	m, err := host.On(d)
	require.NoError(t, err)
	p := boundPlan(t)
	q, err := m.Bind(&plan.Spec{
		Name: "Test", Semantics: model.NSMP, Variables: []string{"y"}, IDs: &plan.IDs{Entities: []graph.EntityID{7}, Relations: []graph.RelationID{2}},
		Parts: []plan.Part{{Plan: p, Constants: []plan.Slot{{}}, Relations: []plan.Slot{{}}}},
	})
	require.NoError(t, err)
	if q.Model().Bundle() != host.Bundle() || p.Run == nil {
		t.Errorf("the query has model %p, want %p; its plan became %+v", q.Model().Bundle(), host.Bundle(), p)
	}
	alone, err := q.Ask(context.Background(), nil, runtime.Options{K: 2})
	require.NoError(t, err)
	batch, err := q.AskAll(context.Background(), []runtime.Args{nil, nil}, runtime.Options{K: 2})
	require.NoError(t, err)
	for _, r := range append(batch, alone) {
		if a := r.Rows[1]; len(r.Rows) != 2 || a.Values[0].ID != 1 || a.Score != 7 || a.Values[0].Name != fmt.Sprint(1) {
			t.Errorf("answers are %+v", r.Rows)
		}
	}
	require.NoError(t, m.Close())
	if _, err := q.AskAll(context.Background(), []runtime.Args{nil, nil}, runtime.Options{}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("after its model was closed a batch says %v", err)
	}
	if _, err := q.Ask(context.Background(), nil, runtime.Options{}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("after its model was closed the query says %v", err)
	}
	if _, err := m.Bind(byslot.Spec("Test", p, nil)); err == nil || !strings.HasPrefix(err.Error(), "query Test: ") || !strings.Contains(err.Error(), "closed") {
		t.Errorf("binding to a closed model says %v", err)
	}
}

// TestBindErrors checks the errors of plans without kernels, and with old ones.
func TestBindErrors(t *testing.T) {
	d, _ := device.OpenFake(t)
	m, err := runtime.NewModel(device.TestModel(t, table.Float32)).On(d)
	require.NoError(t, err)
	old := *device.TestPlan
	old.ABI = device.ABI + 1
	for _, c := range []struct {
		kernels []*device.Kernels
		want    string
	}{
		{nil, "query Test: shape r1(s1,f) has no kernels for a device: generate them"},
		{[]*device.Kernels{&old}, fmt.Sprintf("query Test: shape r1(s1,f): its kernels were generated for another version of the runtime (%d, this is %d): generate them again", device.ABI+1, device.ABI)},
	} {
		p := boundPlan(t)
		p.Kernels = nil
		plan.Attach([]*plan.Plan{p}, c.kernels)
		if _, err := m.Bind(byslot.Spec("Test", p, nil)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("error is %v, want %s", err, c.want)
		}
	}
	p := boundPlan(t)
	p.Kernels = &old
	if _, err := m.Bind(byslot.Spec("", p, nil)); !errors.Is(err, runtime.ErrABI) {
		t.Errorf("old kernels give error %v", err)
	}
	p.Kernels = nil
	p.ABI++
	if _, err := m.Bind(byslot.Spec("", p, nil)); !errors.Is(err, runtime.ErrABI) {
		t.Errorf("an old plan gives error %v", err)
	}
	p = boundPlan(t)
	p.Kernels, p.Semantics = nil, model.FIT
	plan.Attach([]*plan.Plan{p}, []*device.Kernels{device.TestPlan})
	if _, err := m.Bind(byslot.Spec("Test", p, nil)); err == nil || !strings.Contains(err.Error(), "has no kernels") {
		t.Errorf("binding a plan of truth degrees, which kernels of message passing do not compute, to a device says %v", err)
	}
}
