package queryset

import (
	"errors"
	"fmt"
	"math"
)

// maxQuoted bounds values quoted in errors, in bytes.
const maxQuoted = 120

// errID describes a valid id.
var errID = errors.New("want an id from 0 to " + fmt.Sprint(math.MaxInt32))

// checkIDs reports an id below 0.
func checkIDs(name string, ids []int32) error {
	for _, id := range ids {
		if id < 0 {
			return fmt.Errorf("field %s holds %d, %w", name, id, errID)
		}
	}
	return nil
}

// short truncates text quoted in errors, in bytes.
func short[T ~string | ~[]byte](text T, most int) string {
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}
