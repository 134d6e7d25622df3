// Package nearest suggests corrections of misspelt names.
package nearest

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agext/levenshtein"
)

// Max is the number of known names that a hint offers.
const Max = 3

// Names returns at most max candidates that name could be a typo of, nearest first: those within an edit
// distance of a third of the name's length, rounded up, ignoring case. It compares name with every candidate.
func Names(name string, candidates []string, max int) []string {
	type match struct {
		name       string
		fold, full int
	}
	length := utf8.RuneCountInString(name)
	lower := strings.ToLower(name)
	cutoff := (length + 2) / 3
	if length == 1 {
		cutoff = 0
	}
	var found []match
	for _, c := range candidates {
		// A shorter or longer name is at least that far away.
		if d := utf8.RuneCountInString(c) - length; d > cutoff || -d > cutoff {
			continue
		}
		if fold := levenshtein.Distance(lower, strings.ToLower(c), nil); fold <= cutoff {
			found = append(found, match{c, fold, levenshtein.Distance(name, c, nil)})
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.fold, b.fold), cmp.Compare(a.full, b.full), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, m := range found {
		if len(names) < max && !slices.Contains(names, m.name) {
			names = append(names, m.name)
		}
	}
	return names
}

// Hint returns a hint that offers the names; empty if there are none.
func Hint(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "did you mean " + List(names, "or") + "?"
}

// List joins names into an English list: a, b and c.
func List(names []string, last string) string {
	n := len(names) - 1
	if n == 0 {
		return names[0]
	}
	return strings.Join(names[:n], ", ") + " " + last + " " + names[n]
}
