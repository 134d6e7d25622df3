package runtime

import (
	"fmt"
	"slices"
	"strings"
)

// Status says how an answer relates to the observed graph.
type Status uint8

// The statuses of answers.
const (
	// Unchecked answers were not compared with the graph.
	Unchecked Status = iota
	// Predicted answers do not follow from the observed graph.
	Predicted
	// Known answers follow from the observed graph by exact traversal.
	Known
	// Confirmed answers are predicted, and follow once the facts held back by the bundle are
	// added.
	Confirmed
	// Undecided answers exceeded the budget of the exact traversal.
	Undecided
)

var statusNames = [...]string{Unchecked: "unchecked", Predicted: "predicted", Known: "known", Confirmed: "confirmed", Undecided: "undecided"}

// String returns the status in lower case.
func (s Status) String() string { return statusNames[min(s, Undecided)] }

// MarshalText writes a Status as its name.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the name of a Status.
func (s *Status) UnmarshalText(text []byte) (err error) {
	if *s = Unchecked; string(text) != s.String() {
		*s, err = parseStatus(string(text))
	}
	return err
}

// parseStatus returns the status of a name.
func parseStatus(name string) (Status, error) {
	if s := Status(max(0, slices.Index(statusNames[:], name))); s != Unchecked {
		return s, nil
	}
	return Unchecked, fmt.Errorf("status is %q, want known, predicted, confirmed or undecided", name)
}

// Statuses is a set of statuses.
type Statuses uint8

// StatusesOf returns the set of some statuses.
func StatusesOf(list ...Status) Statuses {
	var set Statuses
	for _, s := range list {
		set |= 1 << s
	}
	return set
}

// ParseStatuses returns a set of statuses by name; each name may be a comma-separated list.
func ParseStatuses(names ...string) (Statuses, error) {
	var set Statuses
	for _, list := range names {
		for name := range strings.SplitSeq(list, ",") {
			s, err := parseStatus(strings.TrimSpace(name))
			if err != nil {
				return 0, err
			}
			set |= 1 << s
		}
	}
	return set, nil
}

// Has reports whether a status is in the set.
func (s Statuses) Has(x Status) bool { return s>>x&1 == 1 }

// String lists the set with commas between.
func (s Statuses) String() string {
	var names []string
	for x := range Undecided + 1 {
		if s.Has(x) {
			names = append(names, x.String())
		}
	}
	return strings.Join(names, ",")
}
