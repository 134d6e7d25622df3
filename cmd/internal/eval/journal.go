package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/regularfile"
)

// Journal is a file of results, JSON Lines, that grows by a line at a time. The
// first line says what the results depend on.
type Journal struct {
	file *os.File
	body int64 // where the first line ends
}

// OpenJournal opens the journal at path, or begins it with a header, which is marshalled
// to an object. An existing file is refused if its header is another one, or does not
// begin with the same first field. Its other lines are decoded and given to take; an
// incomplete last line is dropped.
func OpenJournal[R any](path string, header any, take func(R) error) (j *Journal, err error) {
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
			j, err = nil, errors.Join(err, f.Close())
		}
	}()
	body, end, err := readJournal(path, f, first, take)
	if err == nil {
		err = f.Truncate(end)
	}
	if err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if j = (&Journal{f, body}); err == nil && end == 0 {
		j.body = int64(len(first)) + 1
		if _, err = j.Write(append(first, '\n')); err == nil {
			err = j.Sync()
		}
	}
	return j, err
}

// readJournal reads a journal, and returns where its first line and its last whole line end.
// path is named in errors.
func readJournal[R any](path string, r io.Reader, first []byte, take func(R) error) (body, end int64, err error) {
	start := first[:bytes.IndexByte(first, ':')+1]
	lines := bufio.NewReader(r)
	begins, err := lines.Peek(len(start))
	if err != nil && err != io.EOF {
		return 0, 0, err
	}
	if !bytes.HasPrefix(start, begins) {
		return 0, 0, fmt.Errorf("%s is not a state file of this command: give the name of a new file", path)
	}
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return body, end, nil
		}
		if err == nil && number == 1 {
			err = compareHeaders(line, first)
		} else if err == nil {
			var record R
			if err = json.Unmarshal(line, &record); err == nil {
				err = take(record)
			}
		}
		if err != nil {
			return 0, 0, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		if end += int64(len(line)); number == 1 {
			body = end
		}
	}
}

// compareHeaders reports the fields in which a header is not the one that is wanted.
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

// Append adds a line, a value as JSON, and waits until it is on the disk. A nil journal
// keeps nothing.
func (j *Journal) Append(value any) error {
	if j == nil {
		return nil
	}
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if _, err := j.Write(append(line, '\n')); err != nil {
		return err
	}
	return j.Sync()
}

// Write writes lines, which may be lost in a crash before the next Sync.
func (j *Journal) Write(lines []byte) (int, error) {
	n, err := j.file.Write(lines)
	return n, atomicfile.Explain(j.file.Name(), err)
}

// Sync waits until all is on the disk.
func (j *Journal) Sync() error { return atomicfile.Explain(j.file.Name(), j.file.Sync()) }

// Lines returns the lines behind the first, up to those that are written later.
func (j *Journal) Lines() (io.Reader, error) {
	end, err := j.file.Seek(0, io.SeekCurrent)
	return io.NewSectionReader(j.file, j.body, end-j.body), err
}

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }
