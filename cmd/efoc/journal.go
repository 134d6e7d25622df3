package main

import (
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/facts"
)

// noteJournal reports a journal that a crash has torn.
func (a *app) noteJournal(path string, m *runtime.Model) {
	if torn := m.Bundle().Journal().Torn; torn > 0 && a.stderr != nil {
		a.notef("efoc: a crash left %d bytes behind the last complete record of %s: they were never acknowledged, and are left out", torn, facts.JournalPath(path))
	}
}

// checkJournal refuses to overwrite a model whose journal has facts, which would then belong to no bundle.
func checkJournal(path string) error {
	kept, err := facts.Kept(path)
	if kept {
		return usagef("%s has facts that were added to the model there: put them into it with efoc compact, or name another file", facts.JournalPath(path))
	}
	return err
}
