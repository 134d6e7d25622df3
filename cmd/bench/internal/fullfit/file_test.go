package fullfit

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadFileErrors reads files whose checksum is right and whose content is not.
func TestReadFileErrors(t *testing.T) {
	valid := func() *matrix {
		return &matrix{start: []int64{0, 2, 2, 3}, ids: []int32{0, 2, 1}, deg: []float32{0.5, 1, 0.25}}
	}
	path := filepath.Join(t.TempDir(), "x.fit")
	read := func(m *matrix) error {
		t.Helper()
		if err := writeFile(path, m, 1); err != nil {
			t.Fatal(err)
		}
		_, _, err := readFile(path, len(m.start)-1)
		return err
	}
	if err := read(valid()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want  string
		alter func(m *matrix)
	}{
		{"do not span the 3 entries", func(m *matrix) { m.start[3] = 2 }},
		{"do not span the 3 entries", func(m *matrix) { m.start[0] = -1 }},
		{"row 0 goes from 0 to 9 of 3", func(m *matrix) { m.start[1] = 9 }},
		{"row 1 goes from 2 to 1", func(m *matrix) { m.start[2] = 1 }},
		{"row 0 holds entity 0 after 0", func(m *matrix) { m.ids[1] = 0 }},
		{"row 2 holds entity 3", func(m *matrix) { m.ids[2] = 3 }},
		{"row 2 holds entity -7", func(m *matrix) { m.ids[2] = -7 }},
		{"row 0 holds the degree NaN", func(m *matrix) { m.deg[0] = float32(math.NaN()) }},
		{"row 0 holds the degree 1.5", func(m *matrix) { m.deg[1] = 1.5 }},
	} {
		m := valid()
		c.alter(m)
		if err := read(m); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
	}
	// A number of entries whose bytes overflow to what the file has.
	var b bytes.Buffer
	h := header{magic, 0, 2, 1 << 61, 1}
	if err := binary.Write(&b, byteOrder, h); err != nil {
		t.Fatal(err)
	}
	b.Write(make([]byte, 3*startBytes))
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readFile(path, 2); err == nil || !strings.Contains(err.Error(), "not whole") {
		t.Errorf("error is %v", err)
	}
}
