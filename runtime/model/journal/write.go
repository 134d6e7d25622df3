package journal

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/efoc/efoc/runtime/atomicfile"
)

// Writer appends to a journal. It serves one goroutine at a time.
type Writer struct {
	path string
	file *os.File
	size int64
	next int
	// broken is why nothing can be written any more: nobody knows what is on the disk.
	broken error
}

// Open opens the journal at path for writing, of the bundle with some identity, and
// returns what it holds. It begins one where there is none, or none of that bundle. The
// caller holds the lock of Lock.
func Open(path, bundle string) (*Writer, *Contents, error) {
	c, err := Read(path, bundle)
	if err != nil {
		return nil, nil, err
	}
	w := &Writer{path: path, next: c.next, size: c.size}
	if !c.ours {
		return w, c, w.Reset(bundle, c.Before)
	}
	return w, c, w.open()
}

// Lock keeps others from writing to the journal at path until release is called, or the
// process ends.
func Lock(path string) (release func() error, err error) {
	release, err = atomicfile.Lock(path + ".lock")
	if errors.Is(err, atomicfile.ErrLocked) {
		err = fmt.Errorf("%s is being written by another program: wait for it, or send facts to efoc serve if that is it", path)
	}
	return release, err
}

// open opens the file, without what is incomplete at its end.
func (w *Writer) open() (err error) {
	if w.file, err = os.OpenFile(w.path, os.O_RDWR, 0); err != nil {
		return err
	}
	if err = w.file.Truncate(w.size); err == nil {
		_, err = w.file.Seek(w.size, io.SeekStart)
	}
	if err == nil {
		err = w.file.Sync()
	}
	if err != nil {
		err = errors.Join(err, w.file.Close())
	}
	return err
}

// Append writes batches as one record, and waits for the disk: all of them are there after
// a crash, or none. After an error none is, unless the disk failed: then nothing more is
// written.
func (w *Writer) Append(batches []Batch) error { return w.write(record{Batches: batches}) }

// Mark notes that a bundle with some identity holds all that was appended so far. It may
// come before that bundle has its name.
func (w *Writer) Mark(bundle string) error { return w.write(record{Compacted: bundle}) }

func (w *Writer) write(x record) error {
	if w.broken != nil {
		return w.broken
	}
	x.Number = w.next
	line, err := encode(x)
	if err != nil {
		return err
	}
	if _, err := w.file.Write(line); err != nil {
		return errors.Join(err, w.rewind())
	}
	if err := w.file.Sync(); err != nil {
		w.broken = fmt.Errorf("%s: the disk failed, start again: %w", w.path, err)
		return w.broken
	}
	w.size, w.next = w.size+int64(len(line)), w.next+1
	return nil
}

// rewind takes back a part of a record, such as on a full disk.
func (w *Writer) rewind() error {
	err := w.file.Truncate(w.size)
	if err == nil {
		_, err = w.file.Seek(w.size, io.SeekStart)
	}
	if err != nil {
		w.broken = fmt.Errorf("%s: a part of a record cannot be taken back, start again: %w", w.path, err)
	}
	return err
}

// Reset begins an empty journal of a bundle, in the place of the one that was there. The
// keys of batches that the bundle holds are kept.
func (w *Writer) Reset(bundle string, before []Batch) error {
	var keys []Batch
	for _, b := range before {
		if b.Key != "" {
			keys = append(keys, Batch{Key: b.Key, Digest: b.Digest, Counts: b.Counts})
		}
	}
	text, err := encode(record{Version: version, Bundle: bundle})
	next := 1
	if err == nil && len(keys) > 0 {
		var line []byte
		line, err = encode(record{Number: next, Batches: keys})
		text, next = append(text, line...), next+1
	}
	if err == nil {
		err = errors.Join(w.Close(), atomicfile.Write(w.path, func(to io.Writer) error { _, err := to.Write(text); return err }))
	}
	if err == nil {
		w.size, w.next = int64(len(text)), next
		err = w.open()
	}
	if err != nil {
		w.broken = err
	}
	return err
}

// Close closes the file.
func (w *Writer) Close() error {
	if w.file == nil {
		return nil
	}
	err := w.file.Close()
	w.file = nil
	return err
}
