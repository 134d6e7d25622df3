package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/efoc/efoc/runtime/atomicfile"
)

// Writer appends to a journal. It serves one goroutine at a time.
type Writer struct {
	path string
	file *os.File
	info fs.FileInfo // of file; nil before the first opening
	size int64       // of the complete records, in bytes
	open bool        // the last of them lacks its newline
	next int
	// broken is why nothing can be written any more: the disk's content is unknown.
	broken error
}

// Open opens the journal at path for writing, for the bundle with the given identity, and returns its contents. It
// creates a journal if the bundle has none. The caller holds the lock of Lock.
func Open(path, bundle string) (*Writer, *Contents, error) {
	c, err := Read(path, bundle)
	if err != nil {
		return nil, nil, err
	}
	w := &Writer{path: path, next: c.next, size: c.size, open: c.open}
	if !c.Ours {
		if err := w.Reset(bundle, c); err != nil {
			return nil, nil, errors.Join(err, w.Close())
		}
		return w, c, nil
	}
	return w, c, w.reopen()
}

// Lock prevents other programs from writing to the journal at path until release is called or the process ends. If
// another program holds the lock, the error is atomicfile.ErrLocked.
func Lock(path string) (release func() error, err error) {
	release, err = atomicfile.Lock(path + ".lock")
	if errors.Is(err, atomicfile.ErrLocked) {
		err = fmt.Errorf("%s is being written by another program: %w", path, atomicfile.ErrLocked)
	}
	return release, err
}

// reopen opens the file at the end of its last complete record, truncates it there, and waits until the file and its
// name are on disk. A file that was open before must be the same one.
func (w *Writer) reopen() (err error) {
	w.file, err = os.OpenFile(w.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	info, err := w.file.Stat()
	if err != nil {
		return err
	}
	if w.info != nil && !os.SameFile(w.info, info) {
		return fmt.Errorf("%s: another file is in its place: start again", w.path)
	}
	w.info = info
	if err := w.file.Truncate(w.size); err != nil {
		return err
	}
	if _, err := w.file.Seek(w.size, io.SeekStart); err != nil {
		return err
	}
	if w.open {
		if _, err := w.file.WriteString("\n"); err != nil {
			return err
		}
		w.size++
		w.open = false
	}
	return errors.Join(w.file.Sync(), atomicfile.SyncFolder(filepath.Dir(w.path)))
}

// Append writes batches as one record, and waits for the disk: after a crash either all or none of them are there.
// After an error none is; if the disk failed, the writer writes nothing more.
func (w *Writer) Append(batches []Batch) error { return w.write(record{Batches: batches}) }

// Last returns the number of the last record.
func (w *Writer) Last() int { return w.next - 1 }

// Mark records that the bundle with the given identity contains everything up to a record, by its number from Last.
// The mark may be written before that bundle is renamed.
func (w *Writer) Mark(bundle string, through int) error {
	return w.write(record{Compacted: bundle, Through: through})
}

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
		return errors.Join(atomicfile.Explain(w.path, err), w.rewind())
	}
	if err := w.file.Sync(); err != nil {
		w.broken = fmt.Errorf("%s: the disk failed, start again: %w", w.path, err)
		return w.broken
	}
	w.size += int64(len(line))
	w.next++
	return nil
}

// rewind removes a partial record, for example after the disk was full.
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

// Keys bounds the keys that a journal keeps of batches in the bundle: the latest ones.
const Keys = 10_000

// replace rewrites the file; tests make it fail.
var replace = atomicfile.Write

// Reset replaces the journal by one for the given bundle, with the batches that the bundle lacks and the keys of the
// others. If the new journal cannot be written, the old one continues. If it is in place but its name may not survive
// a crash, the writer writes nothing more.
func (w *Writer) Reset(bundle string, c *Contents) error {
	if w.broken != nil {
		return w.broken
	}
	var keys []Batch
	for _, b := range c.Before {
		if b.Key != "" {
			keys = append(keys, Batch{Key: b.Key, Digest: b.Digest, Counts: b.Counts, Marked: b.Marked, Unmarked: b.Unmarked})
		}
	}
	records := []record{{Version: version, Bundle: bundle}}
	keys = keys[max(0, len(keys)-Keys):]
	if len(keys) > 0 {
		// A mark: the bundle contains these.
		records = append(records, record{Number: 1, Batches: keys}, record{Number: 2, Compacted: bundle})
	}
	for _, b := range c.Batches {
		records = append(records, record{Number: len(records), Batches: []Batch{b}})
	}
	var text []byte
	for _, x := range records {
		line, err := encode(x)
		if err != nil {
			return err
		}
		text = append(text, line...)
	}
	// Windows cannot replace an open file. An error of Close is harmless: every record was flushed to disk when
	// written.
	_ = w.Close()
	err := replace(w.path, func(to io.Writer) error { _, err := to.Write(text); return err })
	switch {
	case err == nil:
		w.size = int64(len(text))
		w.open = false
		w.next = len(records)
		w.info = nil
	case w.info == nil: // there was none
		return err
	}
	w.broken = w.reopen()
	return errors.Join(err, w.broken)
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
