package lines

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/regularfile"
)

// Log is a JSON Lines file with the results of a run, so that another run can continue it. The first line, the
// header, identifies everything that the results depend on; each other line holds an R.
type Log[R any] struct {
	file *os.File
	body int64 // the end of the header
	kept int64 // the end of the lines of earlier runs
}

// Open opens the log at path, or creates it with a header, which is marshalled to an object. Open refuses a file with
// another header, or whose first field has another name. It drops an incomplete last line, and passes the other lines
// to take, if that is not nil.
func Open[R any](path string, header any, take func(R) error) (l *Log[R], err error) {
	first, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	f, _, err := regularfile.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			l, err = nil, errors.Join(err, f.Close())
		}
	}()

	l = &Log[R]{file: f}
	l.body, err = readHeader(f, path, first)
	if err != nil {
		return l, err
	}
	if l.body == 0 {
		return l, l.begin(first)
	}
	var whole wholeLines
	if _, err := io.Copy(&whole, l.from(0)); err != nil {
		return l, err
	}
	l.kept = whole.end
	if take != nil {
		if err := l.each(take); err != nil {
			return l, err
		}
	}
	if err := f.Truncate(l.kept); err != nil {
		return l, err
	}
	_, err = f.Seek(l.kept, io.SeekStart)
	return l, err
}

// readHeader compares the first line of a file with the wanted one, and returns its end, 0 if the file has no
// complete line.
func readHeader(r io.Reader, path string, wanted []byte) (end int64, err error) {
	start := wanted[:bytes.IndexByte(wanted, ':')+1]
	lines := bufio.NewReader(r)
	begins, err := lines.Peek(len(start))
	if err != nil && err != io.EOF {
		return 0, err
	}
	if !bytes.HasPrefix(start, begins) {
		return 0, fmt.Errorf("%s is not a state file of this command: give the name of a new file", path)
	}
	line, err := lines.ReadBytes('\n')
	if err == io.EOF {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if err := compareHeaders(line, wanted); err != nil {
		return 0, fmt.Errorf("%s:1: %w", path, err)
	}
	return int64(len(line)), nil
}

// compareHeaders reports the fields in which a header differs from the wanted one.
func compareHeaders(header, wanted []byte) error {
	var got, want map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(header, &got), json.Unmarshal(wanted, &want)); err != nil {
		return err
	}
	all := maps.Clone(want)
	maps.Copy(all, got)
	differ := slices.Collect(maps.Keys(all))
	differ = slices.DeleteFunc(differ, func(name string) bool { return bytes.Equal(got[name], want[name]) })
	if len(differ) == 0 {
		return nil
	}
	slices.Sort(differ)
	return fmt.Errorf("the results are of another run (different: %s): use the same model, queries and options, or a new state file",
		strings.ReplaceAll(strings.Join(differ, ", "), "_", " "))
}

// begin writes the header to a file without one.
func (l *Log[R]) begin(header []byte) error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	if _, err := l.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	n, err := l.Write(append(header, '\n'))
	if err != nil {
		return err
	}
	l.body = int64(n)
	l.kept = l.body
	return l.Sync()
}

// wholeLines finds the end of the last complete line of a text.
type wholeLines struct{ read, end int64 }

func (w *wholeLines) Write(text []byte) (int, error) {
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		w.end = w.read + int64(i) + 1
	}
	w.read += int64(len(text))
	return len(text), nil
}

// from returns a reader of the file from a position on.
func (l *Log[R]) from(start int64) io.Reader {
	return io.NewSectionReader(l.file, start, math.MaxInt64-start)
}

// each passes the results of earlier runs to take, until that fails.
func (l *Log[R]) each(take func(R) error) error {
	lines := bufio.NewReader(io.NewSectionReader(l.file, l.body, l.kept-l.body))
	for number := 2; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		var result R
		if err == nil {
			err = json.Unmarshal(line, &result)
		}
		if err == nil {
			err = take(result)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", l.file.Name(), number, err)
		}
	}
}

// Rest yields the results of earlier runs, or finally an error.
func (l *Log[R]) Rest() iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		stopped := errors.New("stopped")
		err := l.each(func(result R) error {
			if !yield(result, nil) {
				return stopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, stopped) {
			var none R
			yield(none, err)
		}
	}
}

// Append adds a result, and waits until it is on disk. A nil log discards it.
func (l *Log[R]) Append(result R) error {
	if l == nil {
		return nil
	}
	line, err := json.Marshal(result)
	if err != nil {
		return err
	}
	if _, err := l.Write(append(line, '\n')); err != nil {
		return err
	}
	return l.Sync()
}

// Write adds lines, which a crash before the next Sync may lose.
func (l *Log[R]) Write(lines []byte) (int, error) {
	n, err := l.file.Write(lines)
	return n, atomicfile.Explain(l.file.Name(), err)
}

// Sync waits until all lines are on disk.
func (l *Log[R]) Sync() error { return atomicfile.Explain(l.file.Name(), l.file.Sync()) }

// WriteTo copies all lines except the header.
func (l *Log[R]) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, l.from(l.body)) }

// Close closes the file.
func (l *Log[R]) Close() error { return l.file.Close() }
