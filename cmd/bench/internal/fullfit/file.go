package fullfit

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/efoc/efoc/runtime/atomicfile"
)

// header starts a file: its kind and byte byteOrder, sizes, and the seconds that the
// matrix took. Behind it lie start, ids and deg.
type header struct {
	Magic    [12]byte
	CRC      uint32 // of all that follows the header
	Entities int64
	Entries  int64
	Seconds  float64
}

var (
	magic     = [12]byte{'e', 'f', 'o', 'c', 'f', 'i', 't', '1', 4, 3, 2, 1}
	byteOrder = binary.LittleEndian
)

// fileName returns the name of a matrix's file.
func fileName(o Options, k Key) string {
	mass := ""
	if k.Mass {
		mass = "-mass"
	}
	model := strings.ReplaceAll(o.Model, ":", "-") // as in sha256:…
	return filepath.Join(o.Dir, fmt.Sprintf("%s-%g-%g%s-%d.fit", model, k.Threshold, k.Temperature, mass, k.Relation))
}

// parts returns what a file holds behind the header.
func (m *matrix) parts() []any { return []any{m.start, m.ids, m.deg} }

// write writes what a file holds behind the header.
func (m *matrix) write(w io.Writer) error {
	for _, p := range m.parts() {
		if err := binary.Write(w, byteOrder, p); err != nil {
			return err
		}
	}
	return nil
}

func (m *matrix) sum() uint32 {
	h := crc32.NewIEEE()
	_ = m.write(h) // a hash takes all
	return h.Sum32()
}

// writeFile writes a matrix, all of it or nothing.
func writeFile(path string, m *matrix, seconds float64) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	h := header{magic, m.sum(), int64(len(m.start) - 1), int64(len(m.ids)), seconds}
	return atomicfile.Write(path, func(w io.Writer) error { return errors.Join(binary.Write(w, byteOrder, h), m.write(w)) })
}

// readFile reads a matrix and the seconds that it took; it is nil if there is no file.
func readFile(path string, entities int) (*matrix, float64, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	var h header
	damaged := fmt.Errorf("%s is not whole, or of another program: remove it", path)
	size, err := binary.Decode(text, byteOrder, &h)
	if err != nil || h.Magic != magic || h.Entities != int64(entities) || h.Entries < 0 || h.Entries > int64(len(text)) ||
		int64(len(text)-size) != matrixBytes(entities, h.Entries) {
		return nil, 0, damaged
	}
	m := &matrix{start: make([]int64, entities+1), ids: make([]int32, h.Entries), deg: make([]float32, h.Entries)}
	for _, p := range m.parts() {
		n, err := binary.Decode(text[size:], byteOrder, p)
		if err != nil {
			return nil, 0, damaged
		}
		size += n
	}
	if m.sum() != h.CRC {
		return nil, 0, damaged
	}
	if err := m.validate(); err != nil {
		return nil, 0, fmt.Errorf("%s: %w: remove it", path, err)
	}
	return m, h.Seconds, nil
}

// validate checks a matrix that was read: rows that follow one another, tails that
// ascend within a row, and degrees from 0 to 1.
func (m *matrix) validate() error {
	n, entries := len(m.start)-1, int64(len(m.ids))
	if m.start[0] != 0 || m.start[n] != entries {
		return fmt.Errorf("the rows do not span the %d entries", entries)
	}
	for h := range n {
		lo, hi := m.start[h], m.start[h+1]
		if lo > hi || hi > entries {
			return fmt.Errorf("row %d goes from %d to %d of %d entries", h, lo, hi, entries)
		}
		last := int32(-1)
		for i := lo; i < hi; i++ {
			if id := m.ids[i]; id <= last || int(id) >= n {
				return fmt.Errorf("row %d holds entity %d after %d, want them to ascend up to %d", h, id, last, n-1)
			}
			if d := m.deg[i]; !(d >= 0 && d <= 1) {
				return fmt.Errorf("row %d holds the degree %v, want 0 to 1", h, d)
			}
			last = m.ids[i]
		}
	}
	return nil
}
