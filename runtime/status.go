package runtime

import (
	"fmt"
	"strings"

	"github.com/efoc/efoc/runtime/internal/judge"
)

// Status says how an answer relates to the observed graph. Filter.Statuses has a set of them, the
// statuses joined by |.
type Status uint8

// The statuses of answers.
const (
	// Predicted answers do not follow from the observed graph.
	Predicted Status = Status(judge.Predicted)
	// Known answers follow from the observed graph by exact traversal.
	Known Status = Status(judge.Known)
	// Confirmed answers are predicted, and follow once the facts held back by the bundle are
	// added.
	Confirmed Status = Status(judge.Confirmed)
	// Undecided answers exceeded the budget of the exact traversal.
	Undecided Status = Status(judge.Undecided)
	// Unchecked answers were not compared with the graph.
	Unchecked Status = Status(judge.Unchecked)
)

var statusNames = [...]string{"predicted", "known", "confirmed", "undecided"}

// ParseStatus returns the set of the named statuses; each name may be a comma-separated list.
func ParseStatus(names ...string) (Status, error) {
	var set Status
	for _, list := range names {
		for name := range strings.SplitSeq(list, ",") {
			s, err := parseStatus(strings.TrimSpace(name))
			if err != nil {
				return 0, err
			}
			set |= s
		}
	}
	return set, nil
}

// parseStatus returns the status of a name.
func parseStatus(name string) (Status, error) {
	for i, n := range statusNames {
		if n == name {
			return 1 << i, nil
		}
	}
	return 0, fmt.Errorf("status is %q, want known, predicted, confirmed or undecided", name)
}

// String returns the status in lower case, or the set with commas between.
func (s Status) String() string {
	if s == Unchecked {
		return "unchecked"
	}
	var names []string
	for i, name := range statusNames {
		if s>>i&1 == 1 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// MarshalText writes a Status as its name.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the name of a Status.
func (s *Status) UnmarshalText(text []byte) (err error) {
	*s = Unchecked
	if string(text) != s.String() {
		*s, err = ParseStatus(string(text))
	}
	return err
}
