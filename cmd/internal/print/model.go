package print

import (
	"cmp"
	"fmt"
)

// Model describes in a few words the model that was used.
type Model struct {
	Name string `json:"name"`
	// File is empty for the built-in model.
	File      string `json:"file,omitempty"`
	Entities  int    `json:"entities"`
	Relations int    `json:"relations"`
	Triples   int    `json:"triples"`
}

// String names the model and its size.
func (m Model) String() string {
	name := "model " + cmp.Or(m.Name, m.File)
	if m.File == "" {
		name = "built-in model " + m.Name
	}
	return fmt.Sprintf("%s (%d entities, %d relations, %d facts)", name, m.Entities, m.Relations, m.Triples)
}
