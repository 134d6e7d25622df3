package interpreted

import (
	"github.com/efoc/efoc/compiler/ir"
)

// call returns the call for a value, nil if there is none.
func (x *Program) call(v *ir.Value) func(c call) {
	if onTiles := tiled[v.Op]; x.tiled && onTiles != nil {
		return onTiles
	}
	return calls[v.Op]
}

// calls holds the call for each op. Those that need a sweep add to it.
var calls = map[ir.Op]func(c call){
	ir.OneHot:     func(c call) { c.OneHot(c.out(), c.con()) },
	ir.Factors:    func(c call) { c.Factors(c.out(), c.selection()) },
	ir.Neighbors:  func(c call) { c.Neighbors(c.out(), c.con(), c.rel(), c.direction) },
	ir.Loops:      func(c call) { c.Loops(c.out(), c.rel()) },
	ir.Ends:       func(c call) { c.Ends(c.out(), c.rel(), c.direction) },
	ir.Project:    func(c call) { c.Project(c.outEmb(), c.embeddings[0], c.rel(), c.direction, c.sign) },
	ir.Softmax:    func(c call) { c.Softmax(c.out(), c.vectors[0]) },
	ir.Traverse:   func(c call) { c.Traverse(c.out(), c.vectors[0], c.rel(), c.direction) },
	ir.Complement: func(c call) { c.Complement(c.out(), c.vectors[0]) },
	ir.Elsewhere:  func(c call) { c.Elsewhere(c.out(), c.vectors[0]) },
	ir.Normalize:  func(c call) { c.Normalize(c.out(), c.vectors[0]) },
	ir.Blend:      func(c call) { c.Blend(c.out(), c.vectors[0], c.vectors[1]) },
	ir.Mul:        func(c call) { c.Mul(c.out(), c.vectors[0], c.vectors[1], c.vectors[2:]...) },
	ir.Correct:    func(c call) { c.Correct(c.outEmb(), c.vectors[0], c.estimates...) },
	ir.Mix:        func(c call) { c.Mix(c.out(), c.vectors[0], c.vectors[1]) },
	ir.Readout:    func(c call) { c.Readout(c.out(), c.vectors[0], c.embeddings[0]) },
	ir.ScaleMax:   func(c call) { c.ScaleMax(c.out(), c.vectors[0]) },
	ir.ScaleSum:   func(c call) { c.ScaleSum(c.out(), c.vectors[0]) },
	ir.Max:        func(c call) { c.Max(c.out(), c.vectors[0], c.vectors[1], c.vectors[2:]...) },

	ir.Any:      func(c call) { c.result().Set = c.Degrees().Any() },
	ir.Except:   func(c call) { c.result().Set = c.Degrees().Except(c.con()) },
	ir.Selected: func(c call) { c.result().Set = c.Degrees().Selected(c.selection()) },
	ir.Peak:     func(c call) { c.result().Set = c.Degrees().Peak(c.index, c.set(0)) },
	ir.Best:     func(c call) { c.result().Candidates = c.Degrees().Best(c.set(0)) },
	ir.Every:    func(c call) { c.result().Candidates = c.Degrees().Every(c.set(0)) },
	ir.Values:   func(c call) { c.result().Candidates = c.Degrees().Values(c.index, c.set(0), c.sets(1)...) },
	ir.Others:   func(c call) { c.result().Rows = c.Degrees().Others(c.operand(0).Candidates) },
	ir.Diagonal: func(c call) { c.result().Set = c.Degrees().Diagonal(c.bands(0)[0]) },
	ir.Push:     func(c call) { c.result().Set = c.Degrees().Push(c.index, c.set(0), c.bands(1)...) },
	ir.Narrow:   func(c call) { c.result().Set = c.Degrees().Narrow(c.index, c.set(0), c.set(1), c.bands(2)...) },
	ir.Leaf:     func(c call) { c.result().Set = c.Degrees().Leaf(c.index, c.set(0), c.bands(1)...) },
	ir.Other:    func(c call) { c.result().Set = c.Degrees().Other(c.index, c.set(0)) },
	ir.Root:     func(c call) { c.result().Branches = c.Degrees().Root() },
	ir.Branch: func(c call) {
		c.result().Branches = c.Degrees().Branch(c.index, c.set(0), c.operand(1).Candidates, c.operand(2).Branches, c.bands(3)...)
	},
	ir.Each:    func(c call) { c.result().Set = c.Degrees().Each(c.operand(0).Branches, c.bands(1)...) },
	ir.Follow:  func(c call) { c.result().Set = c.Degrees().Follow(c.set(0), c.operand(1).Branches) },
	ir.Join:    func(c call) { c.result().Set = c.Degrees().Join(c.set(0), c.operand(1).Branches) },
	ir.Times:   func(c call) { c.result().Set = c.Degrees().Times(c.sets(0)...) },
	ir.Either:  func(c call) { c.result().Set = c.Degrees().Either(c.sets(0)...) },
	ir.Dense:   func(c call) { c.Dense(c.out(), c.set(0)) },
	ir.Mixture: func(c call) { c.Mixture(c.out(), c.vectors[0], c.vectors[1]) },

	ir.Score:     func(c call) { c.sweep.Score(c.out(), c.embeddings[0], c.links...) },
	ir.LoopScore: func(c call) { c.sweep.LoopScore(c.out(), c.rel(), c.sign) },
	ir.Embed:     func(c call) { c.sweep.Embed(c.outEmb(), c.vectors[0]) },
	ir.Estimate:  func(c call) { c.sweep.Estimate(c.outEmb(), c.weights, c.vectors...) },
	ir.Cosine:    func(c call) { c.sweep.Cosine(c.out(), c.embeddings[0]) },
	ir.Row: func(c call) {
		c.result().Set = c.sweep.Row(c.con(), c.rel(), c.direction, c.sign, c.index, c.vectors...)
	},
	ir.Rows: func(c call) {
		c.result().Rows = c.sweep.Rows(c.rel(), c.direction, c.sign, c.index, c.operand(0).Candidates)
	},
}

// tiled holds the calls of the ops that are methods of tiles in plans for small tables.
var tiled = map[ir.Op]func(c call){
	ir.Score:     func(c call) { c.tiles.Score(c.out(), c.embeddings[0]) },
	ir.LoopScore: func(c call) { c.tiles.LoopScore(c.out(), c.rel(), c.sign) },
	ir.Embed:     func(c call) { c.tiles.Embed(c.outEmb(), c.vectors[0]) },
	ir.Estimate:  func(c call) { c.tiles.Estimate(c.outEmb(), c.vectors...) },
	ir.Cosine:    func(c call) { c.tiles.Cosine(c.out(), c.embeddings[0]) },
	ir.Neighbors: func(c call) { c.tiles.Neighbors(c.out(), c.con(), c.rel(), c.direction) },
	ir.Traverse:  func(c call) { c.tiles.Traverse(c.out(), c.vectors[0], c.rel(), c.direction) },
	ir.Loops:     func(c call) { c.tiles.Loops(c.out(), c.rel()) },
	ir.Message:   func(c call) { c.tiles.Message(c.out(), c.vectors[0], c.vectors[1], c.sign) },
	ir.State:     func(c call) { c.tiles.State(c.out(), c.vectors[0], c.vectors[1:]...) },
	ir.Correct:   func(c call) { c.tiles.Correct(c.outEmb(), c.vectors[0], c.embeddings...) },
}
