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
	info fs.FileInfo // of file; nil before it is opened for the first time
	size int64       // of the complete records
	open bool        // the last of them lacks its newline
	next int
	// broken is why nothing can be written any more: the content of the disk is unknown.
	broken error
}

// Open opens the journal at path for writing, for the bundle with the given identity, and
// returns its contents. It begins a new journal if there is none, or none of that bundle. The
// caller holds the lock of Lock.
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

// Lock prevents others from writing to the journal at path until release is called or the
// process ends. If another program writes to it, the error is atomicfile.ErrLocked.
func Lock(path string) (release func() error, err error) {
	release, err = atomicfile.Lock(path + ".lock")
	if errors.Is(err, atomicfile.ErrLocked) {
		err = fmt.Errorf("%s is being written by another program: %w", path, atomicfile.ErrLocked)
	}
	return release, err
}

// reopen opens the file at the end of its last complete record, cuts off what follows, and
// waits until the file and its name are on the disk. If the file has been open before, it must
// be the same one.
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

// Append writes batches as one record, and waits for the disk: after a crash all of them are
// there, or none. After an error none is there; if the disk failed, the writer writes nothing
// more.
func (w *Writer) Append(batches []Batch) error { return w.write(record{Batches: batches}) }

// Last returns the number of the last record.
func (w *Writer) Last() int { return w.next - 1 }

// Mark records that the bundle with the given identity contains everything up to the record
// with the given number, as returned by Last. It may precede that bundle's renaming.
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

// Keys bounds how many keys of batches in the bundle a journal keeps, the latest ones.
const Keys = 10_000

// replace writes the file anew; tests make it fail.
var replace = atomicfile.Write

// Reset replaces the journal by one of the given bundle, with the batches that the bundle lacks
// and the keys of those that it contains. If the new journal cannot be written, the old one
// continues. If it is in place but its name may not survive a crash, the writer writes nothing
// more.
func (w *Writer) Reset(bundle string, c *Contents) error {
	if w.broken != nil {
		return w.broken
	}
	var keys []Batch
	for _, b := range c.Before {
		if b.Key != "" {
			keys = append(keys, Batch{Key: b.Key, Digest: b.Digest, Counts: b.Counts, Marked: b.Marked})
		}
	}
	records := []record{{Version: version, Bundle: bundle}}
	keys = keys[max(0, len(keys)-Keys):]
	if len(keys) > 0 {
		// A mark: the bundle holds these.
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
	// Windows replaces no open file. An error of Close means nothing: every record was
	// flushed to the disk when it was written.
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
