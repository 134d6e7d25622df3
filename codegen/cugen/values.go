package cugen

import "github.com/efoc/efoc/compiler/ir"

// isMap reports whether a value is computed element-wise.
func isMap(v *ir.Value) bool {
	return v.Space() == ir.Entities && !scored(v)
}

// operands returns the operands of a value.
func operands(v *ir.Value) []*ir.Value {
	if from, ok := knownSum(v); ok {
		return from
	}
	return v.Args
}

// known reports whether a number is a sum that follows from other numbers, without a pass over the entities.
func known(v *ir.Value) bool {
	_, ok := knownSum(v)
	return ok
}

// knownSum returns the reductions that determine a sum of the entries of at least ε, if they do.
func knownSum(v *ir.Value) (from []*ir.Value, ok bool) {
	if v.Op != ir.SumCut {
		return nil, false
	}
	return sumOf(v.Args[0])
}

// sumOf returns the reductions that determine the sum of a vector. A softmax and a normalised vector sum to 1, or to 0
// if there was nothing to normalise, so the sums of their blends are known, too; entries below ε are neglected: see
// device.ErrEpsilon. The number of neighbours of a constant is the length of its row.
func sumOf(x *ir.Value) (from []*ir.Value, ok bool) {
	switch x.Op {
	case ir.Share, ir.Neighbors:
		return nil, true
	case ir.Complement:
		return nil, x.Args[0].Op == ir.Neighbors
	case ir.Cut:
		return x.Args[1:], true
	case ir.Blend:
		first, known := sumOf(x.Args[0])
		second, both := sumOf(x.Args[1])
		return append(first[:len(first):len(first)], second...), known && both
	}
	return nil, false
}

// scored reports whether a vector is made by a sweep.
func scored(v *ir.Value) bool { return v.Space() == ir.Entities && v.Op.Info().Sweeps > 0 }
