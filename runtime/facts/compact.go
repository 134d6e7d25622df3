package facts

import (
	"context"
	"errors"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/journal"
	"github.com/efoc/efoc/runtime/query"
)

// Compact writes the bundle at path anew, with the facts of its journal, which is empty
// then, and returns how many changes that were. progress, which may be nil, is told the
// bytes written and to be written.
//
// A crash at any moment leaves a bundle and a journal that make up all acknowledged facts:
// before the new bundle takes the place of the old one, a mark at the end of the journal
// says that it holds what is above, and only then does an empty journal take the place of
// that. Models that have the old bundle open stay as they are.
func Compact(ctx context.Context, path string, progress func(written, total int64)) (changes int, err error) {
	release, err := Lock(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, release()) }()
	m, err := query.Open(path, model.Mapped())
	if err != nil {
		return 0, err
	}
	defer m.Close()
	w, c, err := journal.Open(journal.Path(path), m.Identity())
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if err := replay(m, c); err != nil {
		return 0, err
	}
	if len(c.Batches) == 0 {
		return 0, w.Reset(m.Identity(), c.Before) // a crash may have come between the bundle and this
	}
	var identity string
	err = model.Replace(ctx, path, m.Now().Model, progress, func(is string) error {
		identity = is
		return w.Mark(is)
	})
	if err != nil {
		return 0, err
	}
	return len(c.Batches), w.Reset(identity, append(c.Before, c.Batches...))
}
