package main

import "github.com/efoc/efoc/codegen/shapes"

// plans are the generated plans that the command has: those of the benchmark shapes.
var plans = shapes.Plans()
