package ir

import (
	"fmt"
	"slices"
)

// Verify checks the plan's invariants: operands have the right number and type and precede their users, slots
// exist, and the answer and the sets are fuzzy vectors of the plan. An error is a fault of the compiler.
func (p *Plan) Verify() error {
	seen := make(map[*Value]int, len(p.Values))
	for i, v := range p.Values {
		if err := p.verifyValue(v, seen); err != nil {
			return fmt.Errorf("v%d (%s): %w", i, v.Op, err)
		}
		if _, twice := seen[v]; twice {
			return fmt.Errorf("v%d (%s): stands twice in the plan", i, v.Op)
		}
		seen[v] = i
	}
	if err := verifyVector("answer", p.Answer, seen); err != nil {
		return err
	}
	for i, v := range p.Values {
		behind := slices.ContainsFunc(p.Values[i+1:], func(y *Value) bool { return y != p.Answer })
		if v.Op.Info().WholeSweeps > 0 && (v != p.Messages() || behind) {
			return fmt.Errorf("v%d (%s): is not the answer, or not the last value", i, v.Op)
		}
	}
	if err := p.verifySweeps(); err != nil {
		return err
	}
	if err := p.verifyExchanges(); err != nil {
		return err
	}
	for _, s := range p.Sets {
		if s.Disjunct < 0 || s.Disjunct >= len(p.Layers) {
			return fmt.Errorf("set of %s: no disjunct %d", s.Variable, s.Disjunct)
		}
		if err := verifyVector("set of "+s.Variable, s.Value, seen); err != nil {
			return err
		}
	}
	return nil
}

func verifyVector(what string, v *Value, seen map[*Value]int) error {
	if v == nil {
		return fmt.Errorf("%s: missing", what)
	}
	if _, ok := seen[v]; !ok {
		return fmt.Errorf("%s: %s is not in the plan", what, v.Op)
	}
	if v.Space() != Entities {
		return fmt.Errorf("%s: %s is not a fuzzy vector", what, v.Op)
	}
	return nil
}

func (p *Plan) verifyValue(v *Value, seen map[*Value]int) error {
	info := v.Op.Info()
	if info.Name == "" {
		return fmt.Errorf("unknown op %d", v.Op)
	}
	if n := len(v.Args); n < len(info.Args) && !(info.Optional && n == 0) || n > len(info.Args) && !info.Variadic {
		return fmt.Errorf("has %d operands, want %d", n, len(info.Args))
	}
	for i, a := range v.Args {
		if a == nil {
			return fmt.Errorf("operand %d is missing", i)
		}
		if _, ok := seen[a]; !ok {
			return fmt.Errorf("operand %d (%s) does not stand before it", i, a.Op)
		}
		if want := info.Args[min(i, len(info.Args)-1)]; a.Space() != want {
			return fmt.Errorf("operand %d is %s, want %s", i, a.Space(), want)
		}
	}
	switch {
	case info.Const && (v.Const < 0 || v.Const >= p.Constants):
		return fmt.Errorf("no constant slot %d", v.Const)
	case info.Rel && (v.Rel < 0 || v.Rel >= p.Relations):
		return fmt.Errorf("no relation slot %d", v.Rel)
	case info.Filter && (v.Filter < 0 || v.Filter >= p.Filters):
		return fmt.Errorf("no filter slot %d", v.Filter)
	case !info.Const && v.Const != 0, !info.Rel && v.Rel != 0, !info.Filter && v.Filter != 0,
		!info.Dir && v.Backward, !info.Neg && v.Negated, info.Sweeps == 0 && v.Sweep != 0, v.Sweep < 0,
		!info.Index && v.Index != 0, v.Index < 0, !info.Exchanges && v.Exchange != 0, v.Exchange < 0:
		return fmt.Errorf("has an attribute that the op lacks")
	}
	return nil
}

// verifySweeps checks that the values of a sweep are contiguous, and that they read no value of the same sweep,
// except for estimates and rows of truth degrees, which read its scores.
func (p *Plan) verifySweeps() error {
	done := map[int]bool{}
	current := 0
	corrected := map[*Value]bool{}
	for i, v := range p.Values {
		if v.Sweep != current {
			if done[v.Sweep] {
				return fmt.Errorf("v%d (%s): sweep %d is not in one piece", i, v.Op, v.Sweep)
			}
			done[current] = current != 0
			current = v.Sweep
		}
		if v.Op == Correct {
			if len(v.Args) > 3 {
				return fmt.Errorf("v%d (%s): takes at most two estimates", i, v.Op)
			}
			for _, g := range v.Args[1:] {
				if g.Op != Estimate || corrected[g] {
					return fmt.Errorf("v%d (%s): needs an estimate of its own", i, v.Op)
				}
				corrected[g] = true
			}
		}
		for _, a := range v.Args {
			if a.Op == Estimate && v.Op != Correct {
				return fmt.Errorf("v%d (%s): reads an estimate that nothing corrected", i, v.Op)
			}
		}
		if v.Sweep == 0 {
			continue
		}
		for _, a := range v.Args {
			scores := (v.Op == Estimate || v.Op == Row) && a.Op.Info().Raw
			if a.Sweep == v.Sweep && !scores {
				return fmt.Errorf("v%d (%s): reads %s of its own sweep", i, v.Op, a.Op)
			}
		}
	}
	return nil
}

// verifyExchanges checks a plan for several machines: every op that needs an exchange has one, exchanges are in
// order, and nothing reads a value before its exchange. Machines stay in step only if a loop around an exchange
// depends only on exchanged numbers. That holds, because loops iterate over candidates and branches, and ops
// that compute these from partial data exchange something: a test of the op table checks that.
func (p *Plan) verifyExchanges() error {
	made := map[int]int{} // index of the last value of each exchange
	for i, v := range p.Values {
		if v.Exchange > 0 {
			made[v.Exchange] = i
		}
	}
	if len(made) == 0 {
		return nil
	}
	for i, v := range p.Values {
		info := v.Op.Info()
		switch {
		case info.Exchanges && v.Exchange == 0:
			return fmt.Errorf("v%d (%s): has no exchange", i, v.Op)
		case made[v.Exchange-1] > made[v.Exchange] && v.Exchange > 1:
			return fmt.Errorf("v%d (%s): exchange %d is made before exchange %d", i, v.Op, v.Exchange, v.Exchange-1)
		}
		for _, a := range v.Args {
			if a.Exchange > 0 && made[a.Exchange] >= i {
				return fmt.Errorf("v%d (%s): reads %s before exchange %d", i, v.Op, a.Op, a.Exchange)
			}
		}
	}
	return nil
}
