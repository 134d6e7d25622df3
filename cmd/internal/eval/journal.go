package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/efoc/efoc/runtime/atomicfile"
)

// Journal is a file of results, JSON Lines, that grows by a line at a time. The
// first line says what the results depend on.
type Journal struct{ file *os.File }

// OpenJournal opens the journal at path, or begins it with a header, which is
// marshalled to an object. In an existing file, check is given the first line and
// take every other; an incomplete last line is dropped. A file whose header does
// not begin with the same first field is refused.
func OpenJournal(path string, header any, check, take func(line []byte) error) (j *Journal, err error) {
	first, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			j, err = nil, errors.Join(err, f.Close())
		}
	}()
	j = &Journal{f}
	end, err := readJournal(path, f, first[:bytes.IndexByte(first, ':')+1], check, take)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(end); err != nil {
		return nil, err
	}
	if _, err := f.Seek(end, io.SeekStart); err != nil {
		return nil, err
	}
	if end == 0 {
		return j, j.write(first)
	}
	return j, nil
}

// readJournal reads a journal up to the last whole line, whose end it returns.
// start is how the first line begins; path is named in errors.
func readJournal(path string, r io.Reader, start []byte, check, take func(line []byte) error) (end int64, err error) {
	lines := bufio.NewReader(r)
	begins, err := lines.Peek(len(start))
	if err != nil && err != io.EOF {
		return 0, err
	}
	if !bytes.HasPrefix(start, begins) {
		return 0, fmt.Errorf("%s is not a state file of this command: give the name of a new file", path)
	}
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return end, nil
		}
		if err == nil && number == 1 {
			err = check(line)
		} else if err == nil {
			err = take(line)
		}
		if err != nil {
			return 0, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		end += int64(len(line))
	}
}

// Append adds a line, a value as JSON, and waits until it is on the disk.
func (j *Journal) Append(value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return j.write(line)
}

// write writes a line.
func (j *Journal) write(line []byte) error {
	_, err := j.file.Write(append(line, '\n'))
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return atomicfile.Explain(j.file.Name(), err)
	}
	return nil
}

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }
