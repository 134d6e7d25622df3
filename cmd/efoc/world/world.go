// Package world holds a small model of the world, which the command uses unless
// it is given another, and which examples and tests ask questions of.
package world

import (
	_ "embed"

	"github.com/efoc/efoc/runtime"
)

//go:generate go run .. import . --checkpoint predictor.safetensors --heldout heldout.tsv --name world --table float32 --description "countries, their neighbours, languages, currencies and habits" --no-calibration --output world.efoc
//go:generate go run .. calibrate world.efoc --graph . --limit 300 --only confidence --missing 10% --output world.efoc

//go:embed world.efoc
var bundle []byte

// Open opens the model.
func Open() (*runtime.Model, error) { return runtime.OpenBytes("built-in model", bundle) }
