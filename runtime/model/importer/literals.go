package importer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Literals selects the treatment of RDF literals: skip (also the empty string), keep or values.
type Literals string

const (
	// skipLiterals skips and counts statements about literals. It is the default.
	skipLiterals Literals = "skip"
	// keepLiterals makes literals entities.
	keepLiterals Literals = "keep"
	// literalValues makes numbers and dates values of entities, and skips other literals.
	literalValues Literals = "values"
)

// Check reports an invalid value.
func (l Literals) Check() error {
	if !slices.Contains([]Literals{skipLiterals, keepLiterals, literalValues}, l) {
		return fmt.Errorf("literals is %q, want skip, keep or values", string(l))
	}
	return nil
}

// literalCounts counts statements about literals by their relation.
type literalCounts struct {
	all int
	by  map[string]int
}

// maxLiteralRelations bounds the relations that are counted individually.
const maxLiteralRelations = 1000

func (c *literalCounts) add(relation string) {
	c.all++
	if c.by == nil {
		c.by = map[string]int{}
	}
	if _, counted := c.by[relation]; counted || len(c.by) < maxLiteralRelations {
		c.by[relation]++
	}
}

// most lists the relations with the most statements, for a sentence.
func (c *literalCounts) most(p *prefixes) string {
	const most = 3
	names := slices.SortedFunc(maps.Keys(c.by), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.by[b], c.by[a]), cmp.Compare(a, b))
	})
	var list []string
	for _, name := range names[:min(most, len(names))] {
		list = append(list, fmt.Sprintf("%d of %s", c.by[name], cmp.Or(p.shorten(name), name)))
	}
	text := ": " + strings.Join(list, ", ")
	if more := len(names) - len(list); more > 0 {
		text += fmt.Sprintf(" and those of %d more", more)
	}
	return text
}
