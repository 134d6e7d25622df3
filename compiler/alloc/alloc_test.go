package alloc_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/alloc"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/plantest"
	"github.com/efoc/efoc/lang"
)

// inPlace are the ops whose kernels allow the result to overwrite an operand.
var inPlace = map[ir.Op]bool{
	ir.Softmax: true, ir.Complement: true, ir.Normalize: true, ir.Add: true, ir.Mul: true,
	ir.Mix: true, ir.ScaleMax: true, ir.ScaleSum: true, ir.Max: true,
}

// TestAssign runs random plans through their buffers: each operand must
// find its own value when it is read, and no buffer may be spent without need.
func TestAssign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := plantest.Options{Entities: 5, Relations: 3, Atoms: 10}
		if rapid.Bool().Draw(t, "template") {
			o.Name = "T"
		}
		d, _, err := lang.Normalize(plantest.Formula(t, o))
		if err != nil {
			t.Fatal(err)
		}
		c, err := compiler.Compile(lower.NewShape(d), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []*ir.Plan{c.Naive, c.Plan} {
			b := alloc.Assign(p)
			if err := runBuffers(p, b); err != nil {
				t.Fatalf("%v\n%s", err, p)
			}
		}
		b := alloc.Assign(c.Plan)
		if peak := peakLive(c.Plan, ir.Entities); b.Vectors > peak {
			t.Errorf("%d vectors, but no more than %d are alive at once\n%s", b.Vectors, peak, c.Plan)
		}
		if peak := peakLive(c.Plan, ir.Embedding); b.Embeddings > peak {
			t.Errorf("%d embeddings, but no more than %d are alive at once\n%s", b.Embeddings, peak, c.Plan)
		}
	})
}

// TestAssignRepeated checks operands that come twice, which lowered plans
// have seldom.
func TestAssignRepeated(t *testing.T) {
	for _, line := range []string{
		"mul v1 v2 v1", "mul v1 v1 v2", "mul v2 v1 v1", "mul v1 v1 v1 v1", "mul v0 v1 v2 v0",
		"max v2 v1 v0 v2", "add v1 v1", "mix v2 v2", "mul v0 v1 v2",
	} {
		for _, last := range []string{"v3", "v1", "v2"} {
			p, err := ir.Parse(`plan "x"
constants 1
relations 1
layers 1
v0:vec = onehot s1
v1:vec = loops r1
v2:vec = neighbors s1 r1
v3:vec = ` + line + `
v4:vec = add v3 ` + last + `
v5:vec = traverse v4 r1
answer v5
set 0 e1 v4
`)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Verify(); err != nil {
				t.Fatal(err)
			}
			if err := runBuffers(p, alloc.Assign(p)); err != nil {
				t.Errorf("%v\n%s", err, p)
			}
		}
	}
}

// storage is what the buffers of one space hold: the value last written.
type storage map[int]*ir.Value

// runBuffers executes a plan on buffers that hold the values' identities.
func runBuffers(p *ir.Plan, b *alloc.Buffers) error {
	stores := map[ir.Space]storage{ir.Entities: {}, ir.Embedding: {}}
	sizes := map[ir.Space]int{ir.Entities: b.Vectors, ir.Embedding: b.Embeddings}
	read := func(a *ir.Value) error {
		slot, ok := b.Slot[a]
		if a.Op == ir.Entity && !ok {
			return nil // read from the table
		}
		if !ok || stores[a.Type().Space][slot] != a {
			return fmt.Errorf("operand %s (%s) is not in its buffer %d any more", a.Op, a.Note, slot)
		}
		return nil
	}
	for i, v := range p.Values {
		slot, ok := b.Slot[v]
		if v.Op == ir.Entity {
			if ok {
				return fmt.Errorf("v%d: an entity has a buffer", i)
			}
			continue
		}
		store := stores[v.Type().Space]
		if !ok || slot < 0 || slot >= sizes[v.Type().Space] {
			return fmt.Errorf("v%d has buffer %d of %d", i, slot, sizes[v.Type().Space])
		}
		for j, a := range v.Args {
			if err := read(a); err != nil {
				return fmt.Errorf("v%d: %w", i, err)
			}
			if !inPlace[v.Op] && a.Op != ir.Entity && a.Type().Space == v.Type().Space && b.Slot[a] == slot {
				return fmt.Errorf("v%d: %s overwrites its operand", i, v.Op)
			}
			// The first two operands are read before anything is written, each
			// further one after a pair has been.
			if j >= 1 {
				store[slot] = v
			}
		}
		store[slot] = v
	}
	for _, s := range p.Sets {
		if err := read(s.Value); err != nil {
			return fmt.Errorf("set of %s: %w", s.Variable, err)
		}
	}
	return read(p.Answer)
}

// peakLive returns the largest number of values of a space that exist at once,
// counting the result of an op beside its operands.
func peakLive(p *ir.Plan, space ir.Space) int {
	last := map[*ir.Value]int{}
	for i, v := range p.Values {
		for _, a := range v.Args {
			last[a] = i
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
			if v.Op != ir.Entity && v.Type().Space == space && last[v] >= i {
				alive++
			}
		}
		peak = max(peak, alive)
	}
	return peak
}
