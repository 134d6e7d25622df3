package main

import (
	"errors"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/journal"
)

// noteJournal says what a crash has left of the journal beside a model.
func (a *app) noteJournal(path string, m *runtime.Model) {
	if torn := m.Bundle().Journal().Torn; torn > 0 && a.stderr != nil {
		a.notef("efoc: a crash left %d bytes behind the last complete record of %s: they were never acknowledged, and are left out", torn, journal.Path(path))
	}
}

// checkJournal reports a model to be written whose journal has facts: they would be of a
// bundle that is no longer there.
func checkJournal(path string) error {
	_, err := journal.Read(journal.Path(path), "")
	if errors.Is(err, journal.ErrOther) {
		return usagef("%s has facts that were added to the model there: put them into it with efoc compact, or name another file", journal.Path(path))
	}
	return err
}
