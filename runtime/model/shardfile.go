package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/model/values"
)

// partFile returns the file of shard i in the folder of a split model, or of the head if i is −1.
func partFile(folder string, i, of int) string {
	if i < 0 {
		return filepath.Join(folder, "head.efoc")
	}
	return filepath.Join(folder, fmt.Sprintf("shard-%d-of-%d.efoc", i, of))
}

// Split writes a model to a folder as a head and of shards, all or nothing. progress, if not nil, receives the bytes
// written and the total. For a model opened with ReadOnce, only the facts of one shard are in memory at a time.
func Split(ctx context.Context, folder string, m *Model, of int, progress func(written, total int64)) error {
	if err := m.Hold(); err != nil {
		return err
	}
	defer m.Release()
	if err := m.canSplit(of); err != nil {
		return err
	}
	m = m.plain()
	split := m.splits(of)
	out := &meter{ctx: ctx, total: m.size() + 16*int64(m.Graph.NumTriples()) + 12*int64(values.Count(m.Manifest.Attributes)), progress: progress}
	// Write beside the folder, so that it appears whole or not at all.
	real, err := atomicfile.Follow(filepath.Clean(folder))
	if err != nil {
		return err
	}
	switch entries, err := os.ReadDir(real); {
	case len(entries) > 0:
		return fmt.Errorf("write folder %s: it is not empty: name a new folder", folder)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	temp := filepath.Join(filepath.Dir(real), "."+filepath.Base(real)+".split.tmp")
	if err := cmp.Or(os.RemoveAll(temp), os.MkdirAll(temp, 0o777)); err != nil {
		return atomicfile.Explain(folder, err)
	}
	defer os.RemoveAll(temp)
	for i := -1; i < of; i++ {
		err := atomicfile.Write(partFile(temp, i, of), func(w io.Writer) error {
			out.w = w
			_, err := m.part(i, split).encode(out)
			return err
		})
		if err != nil {
			return err
		}
	}
	_ = os.Remove(real) // an empty one would block the rename on some systems
	return atomicfile.Explain(folder, cmp.Or(os.Rename(temp, real), atomicfile.SyncFolder(filepath.Dir(real))))
}

// OpenHead opens the head of the split model in a folder, without its shards.
func OpenHead(folder string) (*Model, error) {
	path := partFile(folder, -1, 0)
	m, err := openPart(path)
	if err != nil {
		return nil, err
	}
	if !m.Manifest.Shard.Head() {
		return nil, wrongPart(m, path, fmt.Sprintf("the head of a model in %d shards", m.Manifest.Shard.Of))
	}
	return m, nil
}

// OpenShard opens shard i of a model split into of shards.
func OpenShard(folder string, i, of int) (*Model, error) {
	path := partFile(folder, i, of)
	m, err := openPart(path)
	if err != nil {
		return nil, err
	}
	if s := m.Manifest.Shard; s.Index != i || s.Of != of {
		return nil, wrongPart(m, path, fmt.Sprintf("shard %d of %d", i, of))
	}
	return m, nil
}

// openPart opens a part of a split model. It maps the file, so only pages that queries read are loaded.
func openPart(path string) (*Model, error) {
	m, _, err := openFile(path, openOptions{part: true, mapped: true})
	return m, err
}

func wrongPart(m *Model, path, want string) error {
	m.Close()
	return fmt.Errorf("%s: this is %s, want %s: split the model again", path, m.Manifest.Shard, want)
}

// Fits reports why two parts do not come from the same split; name is the file of the other part.
func (s *Shard) Fits(other *Shard, name string) error {
	if s.Split != other.Split || s.Of != other.Of || !slices.Equal(s.Pushed, other.Pushed) {
		return fmt.Errorf("%s: %s is of another model than %s, or was split another time: split the model again", name, other, s)
	}
	return nil
}
