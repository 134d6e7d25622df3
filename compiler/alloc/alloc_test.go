package alloc_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler/alloc"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/pass"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/plantext"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// TestAssign runs random plans on their buffers: each operand must still be in its buffer when it is read, and
// no buffer may be wasted.
func TestAssign(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		o := plantest.Options{Entities: 5, Relations: 3, Atoms: 10}
		if rapid.Bool().Draw(t, "template") {
			o.Name = "T"
		}
		d := plantest.Formula(t, o).Normal
		c, err := stages.Compile(lower.NewShape(d), stages.Options{Semantics: model.NSMP})
		require.NoError(t, err)
		mixed, _, err := lower.Mixed(c.Shape, 0)
		require.NoError(t, err)
		require.NoError(t, pass.Run(mixed, pass.Default(), nil))
		distributed := []*ir.Plan{c.Optimized.Clone(), mixed.Clone()}
		for _, p := range distributed {
			require.NoError(t, pass.Run(p, []pass.Pass{pass.WriteOutReadout, pass.Distribute}, nil))
		}
		for _, p := range append(distributed, c.Lowered, c.Optimized, lower.FIT(c.Shape), mixed) {
			b := alloc.Assign(p)
			if err := runBuffers(p, b); err != nil {
				t.Fatalf("%v\n%s", err, p)
			}
		}
		for _, p := range []*ir.Plan{c.Optimized, mixed} {
			b := alloc.Assign(p)
			if peak := peakLive(p, ir.Entities); b.Vectors > peak {
				t.Errorf("%d vectors, but no more than %d are alive at once\n%s", b.Vectors, peak, p)
			}
			if peak := peakLive(p, ir.Embedding); b.Embeddings > peak {
				t.Errorf("%d embeddings, but no more than %d are alive at once\n%s", b.Embeddings, peak, p)
			}
		}
	})
}

// TestAssignDegrees checks that values of truth degrees have no buffers, and vectors made from them do.
func TestAssignDegrees(t *testing.T) {
	p, err := plantext.Parse(`plan "x"
constants 1
relations 1
layers 1
v0:vec = onehot s1
v1:deg = row s1 r1 #0 @1
v2:cand = best v1
v3:rows = rows v2 r1 #1 @2
v4:deg = push v1 v3 #0
v5:vec = dense v4
v6:vec = mixture v0 v5
v7:vec = dense v1
answer v6
set 0 e1 v7
`)
	require.NoError(t, err)
	b := alloc.Assign(p)
	if err := runBuffers(p, b); err != nil {
		t.Fatalf("%v\n%s", err, p)
	}
	for i, v := range p.Values {
		if _, ok := b.Slot[v]; ok != (v.Space() == ir.Entities) {
			t.Errorf("v%d (%s) has a buffer: %v", i, v.Op, ok)
		}
	}
	if b.Vectors != 2 || b.Embeddings != 0 {
		t.Errorf("%d vectors and %d embeddings, want 2 and none", b.Vectors, b.Embeddings)
	}
	for space, want := range map[ir.Space]bool{
		ir.Embedding: true, ir.Entities: true, ir.Degrees: false, ir.Candidates: false, ir.AtomRows: false, ir.Branches: false, ir.Number: false,
	} {
		if alloc.HasBuffers(space) != want {
			t.Errorf("%s has buffers: %v", space, !want)
		}
	}
}

// buffered reports whether a value needs a buffer in the plans of these tests, which keep nothing.
func buffered(v *ir.Value) bool {
	return v.Op != ir.Entity && (v.Space() == ir.Entities || v.Space() == ir.Embedding)
}

// TestAssignRepeated checks repeated operands, which are rare in lowered plans.
func TestAssignRepeated(t *testing.T) {
	for _, line := range []string{
		"mul v1 v2 v1", "mul v1 v1 v2", "mul v2 v1 v1", "mul v1 v1 v1 v1", "mul v0 v1 v2 v0",
		"max v2 v1 v0 v2", "blend v1 v1", "mix v2 v2", "mul v0 v1 v2",
	} {
		for _, last := range []string{"v3", "v1", "v2"} {
			p, err := plantext.Parse(`plan "x"
constants 1
relations 1
layers 1
v0:vec = onehot s1
v1:vec = loops r1
v2:vec = neighbors s1 r1
v3:vec = ` + line + `
v4:vec = blend v3 ` + last + `
v5:vec = traverse v4 r1
answer v5
set 0 e1 v4
`)
			require.NoError(t, err)
			require.NoError(t, p.Verify())
			if err := runBuffers(p, alloc.Assign(p)); err != nil {
				t.Errorf("%v\n%s", err, p)
			}
		}
	}
}

// TestAssignSweeps checks sweeps that are rare in lowered plans: operands that die within one, that repeat, or
// that both a member and an estimate read.
func TestAssignSweeps(t *testing.T) {
	for _, body := range []string{
		"v5:emb = embed v2 @1\nv6:vec = score v1 @1\nv7:vec = score v1 @1\nv8:emb = estimate v6 v7 v3 @1\nv9:vec = mul v6 v7\nv10:emb = correct v9 v8",
		"v5:vec = score v1 @1\nv6:vec = loopscore r1 @1\nv7:emb = estimate v5 v2 @1\nv8:emb = estimate v2 v2 @1\nv9:vec = softmax v5\nv10:emb = correct v9 v7 v8",
		"v5:vec = score v1 @1\nv6:emb = estimate v2 v3 v4 v5 @1\nv7:emb = embed v4 @1\nv8:emb = correct v5 v6\nv9:vec = score v8 @2\nv10:emb = estimate v9 @2",
	} {
		for _, last := range []string{"v10", "v0"} {
			for _, set := range []string{"v2", "v3", "v4"} {
				p, err := plantext.Parse(`plan "x"
constants 1
relations 1
layers 1
v0:emb = entity s1
v1:emb = project v0 r1
v2:vec = onehot s1
v3:vec = loops r1
v4:vec = neighbors s1 r1
` + body + `
v11:vec = cosine ` + strings.Replace(last, "v10", corrected(body), 1) + `
answer v11
set 0 e1 ` + set + "\n")
				require.NoError(t, err)
				require.NoError(t, p.Verify())
				if err := runBuffers(p, alloc.Assign(p)); err != nil {
					t.Errorf("%v\n%s", err, p)
				}
			}
		}
	}
}

// corrected returns v10 if it is a correction, otherwise v8.
func corrected(body string) string {
	if strings.Contains(body, "v10:emb = correct") {
		return "v10"
	}
	return "v8"
}

// shadow represents the factors that an estimate keeps in its vector.
type shadow struct{ estimate *ir.Value }

// storage is the content of the buffers of a space: the last written value, or the shadow of an estimate.
type storage map[int]any

// machine executes plans on buffers that hold the values' identities.
type machine struct {
	*alloc.Buffers
	stores map[ir.Space]storage
}

// runBuffers executes a plan on its buffers.
func runBuffers(p *ir.Plan, b *alloc.Buffers) error {
	m := &machine{Buffers: b, stores: map[ir.Space]storage{ir.Entities: {}, ir.Embedding: {}}}
	for i := 0; i < len(p.Values); i++ {
		group := []*ir.Value{p.Values[i]}
		together := group[0].Sweep > 0 || group[0].Exchange > 0
		for together && i+1 < len(p.Values) && p.Values[i+1].Sweep == group[0].Sweep && (group[0].Sweep > 0 || p.Values[i+1].Exchange == group[0].Exchange) {
			i++
			group = append(group, p.Values[i])
		}
		var err error
		if group[0].Sweep > 0 {
			err = m.sweep(group)
		} else {
			err = m.exchange(group)
		}
		if err != nil {
			return fmt.Errorf("v%d: %w", i, err)
		}
	}
	for _, s := range p.Sets {
		if err := m.read(s.Value); err != nil {
			return fmt.Errorf("set of %s: %w", s.Variable, err)
		}
	}
	return m.read(p.Answer)
}

// read checks that a value is in its buffer.
func (m *machine) read(a *ir.Value) error {
	slot, ok := m.Slot[a]
	if !buffered(a) && !ok {
		return nil // read from the table, or computed by an op of truth degrees
	}
	if !ok || m.stores[a.Space()][slot] != a {
		return fmt.Errorf("operand %s (%s) is not in its buffer %d any more", a.Op, a.Note, slot)
	}
	return nil
}

// readShadow checks that the shadow of an estimate is in its buffer.
func (m *machine) readShadow(g *ir.Value) error {
	slot, ok := m.Shadow[g]
	if !ok || m.stores[ir.Entities][slot] != (shadow{g}) {
		return fmt.Errorf("the shadow of %s (%s) is not in its buffer %d any more", g.Op, g.Note, slot)
	}
	return nil
}

// check checks that a value has a buffer if it needs one.
func (m *machine) check(v *ir.Value) error {
	slot, ok := m.Slot[v]
	size := m.Vectors
	if v.Space() == ir.Embedding {
		size = m.Embeddings
	}
	if !buffered(v) && ok {
		return fmt.Errorf("%s has a buffer", v.Op)
	}
	if buffered(v) && (!ok || slot < 0 || slot >= size) {
		return fmt.Errorf("%s has buffer %d of %d", v.Op, slot, size)
	}
	slot, ok = m.Shadow[v]
	if ok != (v.Op == ir.Estimate) || ok && (slot < 0 || slot >= m.Vectors) {
		return fmt.Errorf("%s has shadow %d of %d", v.Op, slot, m.Vectors)
	}
	return nil
}

// write writes a value, and the shadow of an estimate, to its buffer.
func (m *machine) write(v *ir.Value) {
	if !buffered(v) {
		return
	}
	m.stores[v.Space()][m.Slot[v]] = v
	if slot, ok := m.Shadow[v]; ok {
		m.stores[ir.Entities][slot] = shadow{v}
	}
}

// step executes a value outside sweeps.
func (m *machine) step(v *ir.Value) error {
	if err := m.check(v); err != nil || !buffered(v) {
		return err // a value without a buffer reads none
	}
	store, slot := m.stores[v.Space()], m.Slot[v]
	if v.Op == ir.Correct {
		return m.correct(v)
	}
	for j, a := range v.Args {
		if err := m.read(a); err != nil {
			return err
		}
		if !v.Op.Info().InPlace && buffered(a) && a.Space() == v.Space() && m.Slot[a] == slot {
			return fmt.Errorf("%s overwrites its operand", v.Op)
		}
		// The first two operands are read before anything is written, each further one after the previous pair is
		// combined.
		if j >= 1 {
			store[slot] = v
		}
	}
	m.write(v)
	return nil
}

// exchange executes the values of an exchange, which reread their operands afterwards, or a single value.
func (m *machine) exchange(values []*ir.Value) error {
	for _, v := range values {
		if err := m.step(v); err != nil {
			return err
		}
	}
	for _, v := range values {
		if err := m.read(v); buffered(v) && err != nil {
			return fmt.Errorf("after the exchange: %w", err)
		}
		for _, a := range v.Args {
			if buffered(a) && (a.Space() != v.Space() || m.Slot[a] != m.Slot[v]) {
				if err := m.read(a); err != nil && v.Exchange > 0 {
					return fmt.Errorf("after the exchange: %w", err)
				}
			}
		}
	}
	return nil
}

// correct executes a correction: the first estimate already exists and is overwritten while the state, the
// shadows and the second estimate are read.
func (m *machine) correct(v *ir.Value) error {
	if m.Slot[v] != m.Slot[v.Args[1]] {
		return errors.New("correct is not in the place of its estimate")
	}
	if err := m.read(v.Args[1]); err != nil {
		return err
	}
	m.write(v)
	if err := m.read(v.Args[0]); err != nil {
		return err
	}
	for i, g := range v.Args[1:] {
		if i > 0 {
			if err := m.read(g); err != nil {
				return err
			}
		}
		if err := m.readShadow(g); err != nil {
			return err
		}
	}
	return nil
}

// sweep executes values that share a sweep. Parts of the sweep may be ahead of others, so every operand must
// stay intact until all values are written.
func (m *machine) sweep(group []*ir.Value) error {
	made := map[*ir.Value]bool{}
	for _, v := range group {
		if err := m.check(v); err != nil {
			return err
		}
		for _, a := range v.Args {
			if made[a] {
				continue // a score of this sweep
			}
			if err := m.read(a); err != nil {
				return err
			}
		}
		made[v] = true
	}
	for _, v := range group {
		m.write(v)
	}
	for _, v := range group {
		for _, a := range append(slices.Clone(v.Args), v) {
			if err := m.read(a); err != nil {
				return fmt.Errorf("after sweep %d: %w", v.Sweep, err)
			}
		}
		if v.Op == ir.Estimate {
			if err := m.readShadow(v); err != nil {
				return fmt.Errorf("after sweep %d: %w", v.Sweep, err)
			}
		}
	}
	return nil
}

// peakLive returns the maximum number of live values of a space, counting the result of an op as well as its
// operands, the shadow of an estimate as a vector, and the operands of a sweep up to its end.
func peakLive(p *ir.Plan, space ir.Space) int {
	// ends holds for each value the last value of its sweep.
	ends := make([]int, len(p.Values))
	for i := len(p.Values) - 1; i >= 0; i-- {
		ends[i] = i
		if s := p.Values[i].Sweep; s > 0 && i+1 < len(p.Values) && p.Values[i+1].Sweep == s {
			ends[i] = ends[i+1]
		}
	}
	last := map[*ir.Value]int{}
	for i, v := range p.Values {
		for _, a := range v.Args {
			last[a] = ends[i]
		}
	}
	last[p.Answer] = len(p.Values)
	for _, s := range p.Sets {
		last[s.Value] = len(p.Values)
	}
	peak := 0
	for i := range p.Values {
		alive := 0
		for _, v := range p.Values[:i+1] {
			if last[v] < i {
				continue
			}
			if v.Op != ir.Entity && v.Space() == space {
				alive++
			}
			if v.Op == ir.Estimate && space == ir.Entities {
				alive++
			}
		}
		// A correction overwrites its estimate.
		if p.Values[i].Op == ir.Correct && space == ir.Embedding {
			alive--
		}
		peak = max(peak, alive)
	}
	return peak
}
