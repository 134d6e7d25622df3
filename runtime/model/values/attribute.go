package values

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/model/names"
)

// Attribute describes the values of one attribute: an entity may have none, one or several.
type Attribute struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Values is their number.
	Values int `json:"values"`
}

// AttributeValues are the values of an attribute, for making a model. Dates are seconds since 1970.
type AttributeValues struct {
	Name   string
	Kind   Kind
	Values []EntityValue
}

const (
	maxValues   = math.MaxInt32
	NumberBytes = 8
	// MaxAttributes bounds the attributes of a model.
	MaxAttributes = 1000
)

// CheckAttributes checks attributes without their values.
func CheckAttributes(list []Attribute) error {
	if len(list) > MaxAttributes {
		return fmt.Errorf("there are %d, want at most %d", len(list), MaxAttributes)
	}
	sum := 0
	for i, a := range list {
		switch {
		case a.Values < 0 || a.Values > maxValues-sum:
			return fmt.Errorf("%q has %d values, want at least 0, and at most %d of all", a.Name, a.Values, maxValues)
		case i > 0 && a.Name <= list[i-1].Name:
			return fmt.Errorf("%q follows %q, want the names to ascend", a.Name, list[i-1].Name)
		}
		if err := cmp.Or(names.Check(a.Name), a.Kind.checkValue()); err != nil {
			return fmt.Errorf("%q: %w", a.Name, err)
		}
		sum += a.Values
	}
	return nil
}

// Find returns the index of an attribute in a list. A name may be shortened to its unique local name;
// whole is the name written in full. The error carries no suggestions.
func Find(list []Attribute, name, whole string) (int, error) {
	at, exact := Search(list, whole)
	if exact {
		return at, nil
	}
	var found []int
	for i, a := range list {
		if LocalName(a.Name) == name {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 0:
		return 0, &names.UnknownError{Kind: "attribute", Name: name, Range: -1}
	case 1:
		return found[0], nil
	}
	ambiguous := &names.AmbiguousError{Kind: "attribute", Label: name, Count: len(found)}
	for _, i := range found[:min(len(found), names.MaxCandidates)] {
		ambiguous.Candidates = append(ambiguous.Candidates, list[i].Name)
	}
	return 0, ambiguous
}

// Search returns the index of the attribute with that full name, or its insertion point.
func Search(list []Attribute, name string) (at int, found bool) {
	return slices.BinarySearchFunc(list, name, func(a Attribute, name string) int { return strings.Compare(a.Name, name) })
}

// LocalName returns the part of an IRI after the last /, # or colon.
func LocalName(iri string) string { return iri[strings.LastIndexAny(iri, "/#:")+1:] }

// WantKind returns the error for a value of a kind other than the attribute's.
func WantKind(a Attribute) error {
	return fmt.Errorf("%s is a %s, such as %s", a.Name, a.Kind, a.Kind.Example())
}
