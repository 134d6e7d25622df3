package importer

import (
	"fmt"
	"slices"
	"strings"
)

// relationFilter chooses the relations to read.
type relationFilter struct {
	// only are the relations to read, or all if empty; skip are the ones to skip.
	only, skip []string
	// seen are the relations of both lists found so far.
	seen map[string]bool
	// known caches the decision for each relation.
	known map[string]bool
}

func newRelationFilter(only, skip []string) *relationFilter {
	if len(only)+len(skip) == 0 {
		return nil
	}
	return &relationFilter{only: only, skip: skip, seen: map[string]bool{}, known: map[string]bool{}}
}

// reads reports whether to read facts of a relation. Prefixes may shorten IRIs.
func (f *relationFilter) reads(relation []byte, p *prefixes) bool {
	if f == nil {
		return true
	}
	if reads, ok := f.known[string(relation)]; ok {
		return reads
	}
	name := string(relation)
	among := func(list []string) bool {
		for _, x := range []string{name, p.shorten(name)} {
			if x != "" && slices.Contains(list, x) {
				f.seen[x] = true
				return true
			}
		}
		return false
	}
	reads := (len(f.only) == 0 || among(f.only)) && !among(f.skip)
	f.known[name] = reads
	return reads
}

// check reports relations in the lists without facts.
func (f *relationFilter) check() error {
	if f == nil {
		return nil
	}
	var missing []string
	for _, name := range slices.Concat(f.only, f.skip) {
		if !f.seen[name] {
			missing = append(missing, fmt.Sprintf("%q", name))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("no fact has the relation %s, which the options choose or leave out: "+
		"write relations as the file does, or with its prefixes", strings.Join(missing, " or "))
}
