package model

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/efoc/efoc/runtime/atomicfile"
)

// headFile is the name of the head in the folder of a split model.
const headFile = "head.efoc"

// shardFile returns the name of a shard there.
func shardFile(i, of int) string { return fmt.Sprintf("shard-%d-of-%d.efoc", i, of) }

// Split writes a model as a head and so many shards to a folder: all, or nothing. progress,
// which may be nil, is told the bytes written and to be written.
func Split(ctx context.Context, folder string, m *Model, of int, progress func(written, total int64)) error {
	if err := m.Hold(); err != nil {
		return err
	}
	defer m.Release()
	m = m.plain()
	head, err := m.Head(of)
	if err != nil {
		return err
	}
	total := m.size()
	done := int64(0)
	return atomicfile.WriteFolder(folder, func(temp string) error {
		put := func(name string, part *Model) error {
			f, err := os.Create(filepath.Join(temp, name))
			if err != nil {
				return err
			}
			defer f.Close()
			w := &meter{ctx: ctx, w: f}
			if progress != nil {
				w.progress = func(written, _ int64) { progress(done+written, max(total, done+written)) }
			}
			if _, err := write(w, part); err != nil {
				return err
			}
			done += w.written
			m.release()
			return f.Sync()
		}
		if err := put(headFile, head); err != nil {
			return err
		}
		return m.Shards(of, func(s *Model) error { return put(shardFile(s.Manifest.Shard.Index, of), s) })
	})
}

// release takes a mapped model out of the memory of the process: what is read comes back.
func (m *Model) release() {
	if m.memory != nil {
		m.memory.Release()
	}
}

// OpenHead opens the head of the split model in a folder, without its shards.
func OpenHead(folder string, options ...OpenOption) (*Model, error) {
	m, err := openPart(filepath.Join(folder, headFile), options)
	if err != nil {
		return nil, err
	}
	if !m.Manifest.Shard.Head() {
		return nil, wrongPart(m, filepath.Join(folder, headFile), fmt.Sprintf("the head of a model in %d shards", m.Manifest.Shard.Of))
	}
	return m, nil
}

// OpenShard opens shard i of the model in a folder that was split into so many.
func OpenShard(folder string, i, of int, options ...OpenOption) (*Model, error) {
	path := filepath.Join(folder, shardFile(i, of))
	m, err := openPart(path, options)
	if err != nil {
		return nil, err
	}
	if s := m.Manifest.Shard; s.Index != i || s.Of != of {
		return nil, wrongPart(m, path, fmt.Sprintf("shard %d of %d", i, of))
	}
	return m, nil
}

// openPart opens a part of a split model.
func openPart(path string, options []OpenOption) (*Model, error) {
	o := openOptions{part: true}
	for _, set := range options {
		set(&o)
	}
	m, _, err := openFile(path, o)
	return m, err
}

func wrongPart(m *Model, path, want string) error {
	m.Close()
	return fmt.Errorf("%s: this is %s, want %s: split the model again", path, m.Manifest.Shard, want)
}

// Fits reports why parts are not of one model that was split once; name is the file of the
// other part.
func (s *Shard) Fits(other *Shard, name string) error {
	if s.Split != other.Split || s.Of != other.Of || !slices.Equal(s.Pushed, other.Pushed) {
		return fmt.Errorf("%s: %s is of another model than %s, or was split another time: split the model again", name, other, s)
	}
	return nil
}

// ShardPath returns the file of shard i in a folder.
func ShardPath(folder string, i, of int) string { return filepath.Join(folder, shardFile(i, of)) }
