package main

import (
	"slices"

	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/codegen/shapes/degrees"
)

// plans are the generated plans that the command has: those of the benchmark shapes.
var plans = slices.Concat(shapes.ShapesPlans, degrees.ShapesPlans)
