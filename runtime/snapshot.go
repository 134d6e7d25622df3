package runtime

import (
	"errors"

	"github.com/efoc/efoc/runtime/model"
)

// A Model is a snapshot of facts. Models that Update makes of one another share all else, and know
// which is the newest. A Query is bound to all of them: each call takes the newest once, and then
// reads no other. No reader waits for a change, and none sees a part of it.

// errOnDevice refuses what a device would not see.
var errOnDevice = errors.New("a device has a copy of the model's facts: close that before they are changed")

// errSplit refuses what shards would not see.
var errSplit = errors.New("the model is split: change the facts of the whole one, and split it again")

// Now returns the model with the current facts. Later changes do not affect it, but queries
// made from it follow them: see Query.Snapshot.
func (m *Model) Now() *Model {
	if m.device != nil {
		return m
	}
	return m.current.Load()
}

// Update calls change with the current facts and makes the returned model current, for all
// queries that begin afterwards. change must return what model.Model.With or Grown returned for
// its argument, or for a model derived from it that way. Updates wait for one another; after an
// error nothing has changed. A model whose facts a device has copied refuses.
func (m *Model) Update(change func(now *model.Model) (*model.Model, error)) error {
	m.updating.Lock()
	defer m.updating.Unlock()
	if m.shards != nil {
		return errSplit
	}
	if m.copies > 0 {
		return errOnDevice
	}
	now := m.current.Load()
	next, err := change(now.Model)
	if err != nil || next == now.Model {
		return err
	}
	m.current.Store(&Model{Model: next, shared: m.shared, workspaces: now.workspaces.For(next)})
	return nil
}

// Change adds and removes facts, all or none, for all queries that begin afterwards. Changes
// last as long as the model; package facts stores them in a file.
func (m *Model) Change(c model.Change) (done model.Changed, err error) {
	err = m.Update(func(now *model.Model) (next *model.Model, err error) {
		next, done, err = now.With(c)
		return next, err
	})
	return done, err
}
