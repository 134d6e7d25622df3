package journal

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/testdata/require"
)

const bundle = "sha256:0a"

// batches are two changes.
var batches = []Batch{
	{Key: "k1", Digest: "d1", Add: []Fact{{"a", "r", "b"}, {"ü", "r", "\t"}}, Counts: [4]int{2, 0, 0, 0}},
	{Remove: []Fact{{"a", "r", "b"}}, Counts: [4]int{0, 0, 1, 0}},
}

// written returns a journal of three records: a batch, a batch and a mark.
func written(t testing.TB) (path string, text []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "m.efoc.journal")
	w, c, err := Open(path, bundle)
	if err != nil || len(c.Batches) != 0 {
		t.Fatal(c, err)
	}
	for _, b := range batches {
		require.NoError(t, w.Append([]Batch{b}))
	}
	require.NoError(t, errors.Join(w.Mark("sha256:0b", w.Last()), w.Close()))
	text, err = os.ReadFile(path)
	require.NoError(t, err)
	return path, text
}

// TestRoundTrip reads what was written, for the bundle before the mark and behind it.
func TestRoundTrip(t *testing.T) {
	path, _ := written(t)
	c, err := Read(path, bundle)
	if err != nil || !reflect.DeepEqual(c.Batches, batches) || c.Before != nil || c.Torn != 0 {
		t.Errorf("%+v, error %v", c, err)
	}
	c, err = Read(path, "sha256:0b")
	if err != nil || c.Batches != nil || !reflect.DeepEqual(c.Before, batches) {
		t.Errorf("behind the mark: %+v, error %v", c, err)
	}
	if _, err := Read(path, "sha256:0c"); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), path) {
		t.Errorf("another bundle: error %v", err)
	}
	w, _, err := Open(path, "sha256:0b")
	require.NoError(t, err)
	require.NoError(t, w.Reset("sha256:0b", &Contents{Before: batches, Batches: batches[1:]}))
	require.NoError(t, errors.Join(w.Append(batches[1:]), w.Close()))
	c, err = Read(path, "sha256:0b")
	keys, rest := []Batch{{Key: "k1", Digest: "d1", Counts: batches[0].Counts}}, []Batch{batches[1], batches[1]}
	if err != nil || !reflect.DeepEqual(c.Before, keys) || !reflect.DeepEqual(c.Batches, rest) {
		t.Errorf("after a reset: %+v, error %v", c, err)
	}
	if c, err := Read(filepath.Join(t.TempDir(), "none"), bundle); err != nil || c.Batches != nil {
		t.Errorf("no journal: %+v, error %v", c, err)
	}
}

// TestMark marks that a bundle holds the first of some records: it lacks those between that
// and the mark, and those behind the mark.
func TestMark(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.efoc.journal")
	w, _, err := Open(path, bundle)
	require.NoError(t, err)
	one := func(name string) []Batch { return []Batch{{Add: []Fact{{name, "r", "b"}}}} }
	var all []Batch
	add := func(list ...Batch) {
		t.Helper()
		require.NoError(t, w.Append(list))
		all = append(all, list...)
	}
	add(append(one("a"), one("b")...)...)
	first := w.Last()
	add(one("c")...)
	second := w.Last()
	require.NoError(t, w.Mark("sha256:0b", first))
	add(one("d")...)
	require.NoError(t, w.Mark("sha256:0c", second))
	add(one("e")...)
	w.Close()
	for is, held := range map[string]int{bundle: 0, "sha256:0b": 2, "sha256:0c": 3} {
		w, c, err := Open(path, is)
		if err != nil || len(c.Before) != held || !reflect.DeepEqual(append(c.Before, c.Batches...), all) {
			t.Fatalf("%s: %+v, error %v", is, c, err)
		}
		w.Close()
	}
	w, c, err := Open(path, "sha256:0c")
	require.NoError(t, err)
	require.NoError(t, errors.Join(w.Reset("sha256:0c", c), w.Close()))
	if again, err := Read(path, "sha256:0c"); err != nil || again.Before != nil || !reflect.DeepEqual(again.Batches, all[3:]) {
		t.Errorf("after a reset: %+v, error %v", again, err)
	}
}

// TestResetErrors cannot write the new journal: the old one goes on.
func TestResetErrors(t *testing.T) {
	path, _ := written(t)
	w, c, err := Open(path, "sha256:0b")
	require.NoError(t, err)
	if err := w.Reset("sha256:0b", &Contents{Batches: []Batch{{Key: strings.Repeat("k", MaxRecord)}}}); err == nil {
		t.Error("a record that is too long was written")
	}
	require.NoError(t, errors.Join(w.Append(batches[1:]), w.Close()))
	if again, err := Read(path, "sha256:0b"); err != nil || !reflect.DeepEqual(again.Before, c.Before) || !reflect.DeepEqual(again.Batches, batches[1:]) {
		t.Errorf("%+v, error %v", again, err)
	}
}

// TestResetFaults lets each step of a reset fail. The batches that were acknowledged before
// and afterwards are all there, whichever file is in place.
func TestResetFaults(t *testing.T) {
	t.Cleanup(func() { replace = atomicfile.Write })
	fault := errors.New("the disk is on fire")
	faults := map[string]func(w *Writer){
		"close":   func(w *Writer) { w.file.Close() }, // a second time it fails
		"replace": func(*Writer) { replace = func(string, func(io.Writer) error) error { return fault } },
		"folder": func(*Writer) {
			replace = func(path string, write func(io.Writer) error) error {
				return errors.Join(atomicfile.Write(path, write), fault)
			}
		},
		"close, folder": func(w *Writer) {
			w.file.Close()
			replace = func(path string, write func(io.Writer) error) error {
				return errors.Join(atomicfile.Write(path, write), fault)
			}
		},
		"close, replace": func(w *Writer) {
			w.file.Close()
			replace = func(string, func(io.Writer) error) error { return fault }
		},
	}
	long := Batch{Add: []Fact{{strings.Repeat("x", 2000), "r", "b"}}}
	for name, inject := range faults {
		for what, rest := range map[string][]Batch{"shorter": nil, "longer": {long}} {
			t.Run(name+", "+what, func(t *testing.T) {
				replace = atomicfile.Write
				path, _ := written(t)
				w, c, err := Open(path, "sha256:0b")
				require.NoError(t, err)
				inject(w)
				c.Batches = append(c.Batches, rest...)
				failed := w.Reset("sha256:0b", c) != nil
				if want := name != "close"; failed != want {
					t.Errorf("the reset failed: %v, want %v", failed, want)
				}
				now, err := Read(path, "sha256:0b")
				if err != nil {
					t.Fatalf("after the reset: %v", err)
				}
				want := now.Batches
				if len(want) > 0 && !reflect.DeepEqual(want, rest) {
					t.Errorf("there is %d batches", len(want))
				}
				// Behind a name that a crash may take back, nothing is acknowledged.
				err = w.Append(batches[1:])
				if unsure := strings.Contains(name, "folder"); (err != nil) != unsure {
					t.Errorf("a batch after the reset: error %v", err)
				}
				if err == nil {
					want = append(want, batches[1])
				}
				w.Close()
				again, err := Read(path, "sha256:0b")
				if err != nil || again.Torn != 0 || !reflect.DeepEqual(again.Batches, want) {
					t.Errorf("%+v, error %v; want %d batches", again, err, len(want))
				}
			})
		}
	}
}

// TestTorn cuts a journal at every byte, with and without zeros behind that: complete records are
// read, also if only the last newline is missing, and more can be appended.
func TestTorn(t *testing.T) {
	path, text := written(t)
	for cut := range len(text) {
		whole := bytes.Count(text[:cut], []byte("\n")) // with the first record
		for _, tail := range []string{"", "\x00\x00", "\x00\x00\n"} {
			if tail != "" && (cut == 0 || text[cut-1] == '\n') {
				continue // nothing is torn there
			}
			require.NoError(t, os.WriteFile(path, append(bytes.Clone(text[:cut]), tail...), 0o644))
			read, torn := whole, cut > 0 && text[cut-1] != '\n'
			if text[cut] == '\n' {
				read, torn = whole+1, tail != ""
			}
			c, err := Read(path, bundle)
			if err != nil || len(c.Batches) != min(2, max(0, read-1)) || (c.Torn > 0) != torn {
				t.Fatalf("cut at %d, %q: %+v, error %v", cut, tail, c, err)
			}
			if cut%11 > 0 && text[cut] != '\n' {
				continue // the disk is slow
			}
			w, _, err := Open(path, bundle)
			require.NoError(t, err)
			require.NoError(t, errors.Join(w.Append(batches[:1]), w.Close()))
			again, err := Read(path, bundle)
			if err != nil || again.Torn != 0 || !reflect.DeepEqual(again.Batches, append(c.Batches, batches[0])) {
				t.Fatalf("cut at %d, %q, appended: %+v, error %v", cut, tail, again, err)
			}
		}
	}
}

// TestDamaged changes every byte of all records but the last, and leaves records out.
func TestDamaged(t *testing.T) {
	path, text := written(t)
	last := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
	check := func(what any, text []byte) {
		t.Helper()
		require.NoError(t, os.WriteFile(path, text, 0o644))
		if c, err := Read(path, bundle); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%v: %+v, error %v", what, c, err)
		}
	}
	for at := range last {
		for _, flip := range []byte{1, 0x80, text[at]} { // the latter makes it zero
			damaged := bytes.Clone(text)
			damaged[at] ^= flip
			check(at, damaged)
		}
	}
	// Bytes of the last record too, unless it looks torn.
	for at := last; at < len(text)-1; at++ {
		damaged := bytes.Clone(text)
		damaged[at] ^= 0x80
		check(at, damaged)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	check("without the second record", bytes.Join(append(lines[:1:1], lines[2:]...), nil))
	check("the second record twice", bytes.Join(append(lines[:2:2], lines[1:]...), nil))
	newer, err := encode(record{Version: version + 1, Bundle: bundle})
	require.NoError(t, err)
	check("newer", newer)
}

// TestLock checks that one writer keeps out another until it lets go.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.efoc.journal")
	release, err := Lock(path)
	require.NoError(t, err)
	if _, err := Lock(path); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("a second lock: error %v", err)
	}
	require.NoError(t, release())
	release, err = Lock(path)
	require.NoError(t, err)
	release()
}

// FuzzParse reads anything: the part that is complete reads the same without the rest.
func FuzzParse(f *testing.F) {
	_, text := written(f)
	f.Add(text)
	f.Add(text[:len(text)-9])
	f.Add(append(bytes.Clone(text), 0, '\n'))
	f.Add([]byte("crc32c:00000000 \n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parse(bytes.NewReader(data), bundle)
		if err != nil {
			return
		}
		if c.size+c.Torn != int64(len(data)) {
			t.Fatalf("%d bytes are complete and %d torn, of %d", c.size, c.Torn, len(data))
		}
		again, err := parse(bytes.NewReader(data[:c.size]), bundle)
		if err != nil || again.Torn != 0 || !reflect.DeepEqual(again.Batches, c.Batches) || !reflect.DeepEqual(again.Before, c.Before) {
			t.Fatalf("without its end: %+v, error %v; with it %+v", again, err, c)
		}
	})
}
