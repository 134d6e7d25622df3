// Package table holds the kernels that all plans of message passing share: passes over the entity
// table, and rankings. There is a module for each type of table. Package runtime/device launches
// them; the package knows no plans.
package table

import (
	"embed"

	"github.com/efoc/efoc/kernels/cuda"
)

//go:embed *.cu
var files embed.FS

// Source returns the module for tables of numbers of a type, f32, bf16 or i8, with what it was
// compiled to in builds with the tag cuda.
func Source(numbers string) (cuda.Source, error) {
	name := "table_" + numbers + ".cu"
	text, err := files.ReadFile(name)
	return cuda.Source{Name: name, Text: string(text), Compiled: compiled}, err
}
