// Package table holds the kernels that all message-passing plans share: passes over the entity table, and
// rankings. There is a module for each number type. Package runtime/device launches them; the package does not
// depend on plans.
package table

import (
	"embed"

	"github.com/efoc/efoc/kernels/cuda"
)

//go:embed *.cu
var files embed.FS

// Source returns the module for tables of a number type, f32 or i8, with its compiled code in builds with
// the tag cuda.
func Source(numbers string) (cuda.Source, error) {
	name := "table_" + numbers + ".cu"
	text, err := files.ReadFile(name)
	return cuda.Source{Name: name, Text: string(text), Compiled: compiled}, err
}
