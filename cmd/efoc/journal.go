package main

import (
	"errors"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/journal"
)

// noteJournal reports a journal that a crash has torn.
func (a *app) noteJournal(path string, m *runtime.Model) {
	if torn := m.Bundle().Journal().Torn; torn > 0 && a.stderr != nil {
		a.notef("efoc: a crash left %d bytes behind the last complete record of %s: they were never acknowledged, and are left out", torn, journal.Path(path))
	}
}

// checkJournal refuses to overwrite a model whose journal has facts, which would then belong to no bundle.
func checkJournal(path string) error {
	_, err := journal.Read(journal.Path(path), "")
	if errors.Is(err, journal.ErrOther) {
		return usagef("%s has facts that were added to the model there: put them into it with efoc compact, or name another file", journal.Path(path))
	}
	return err
}
