package facts

import (
	"errors"

	"github.com/efoc/efoc/runtime/internal/journal"
)

// MaxRecord bounds the bytes of a change in the journal.
const MaxRecord = journal.MaxRecord

// JournalPath returns the path of the journal of the model at path.
func JournalPath(path string) string { return journal.Path(path) }

// Kept reports whether the journal of the model at path has facts, which a new model there would lose.
func Kept(path string) (bool, error) {
	_, err := journal.Read(journal.Path(path), "")
	if errors.Is(err, journal.ErrOther) {
		return true, nil
	}
	return false, err
}
