package queryset

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/importer/pickle"
	"github.com/efoc/efoc/testdata/require"
)

// writeStructure writes a tuple of texts and tuples, or its query with ids that count up, as a
// pickle.
func writeStructure(b *bytes.Buffer, text string, query *int32) {
	number := func(n int32) { b.Write(binary.LittleEndian.AppendUint32([]byte("J"), uint32(n))) }
	for _, c := range text {
		switch {
		case c == '(':
			b.WriteByte('(') // a mark
		case c == ')':
			b.WriteByte('t') // the tuple of what is above it
		case c == ',' || c == '\'':
		case query == nil:
			b.WriteString("X\x01\x00\x00\x00" + string(c))
		case c == 'n':
			number(-2)
		case c == 'u':
			number(-1)
		default:
			number(*query)
			*query++
		}
	}
}

// betaeOf returns the pickle of a set of one query of each structure.
func betaeOf(texts ...string) []byte {
	b := bytes.NewBufferString("\x80\x03}")
	for _, text := range texts {
		writeStructure(b, text, nil)
		b.WriteString("cbuiltins\nset\n](")
		writeStructure(b, text, new(int32))
		b.WriteString("e\x85Rs")
	}
	b.WriteByte('.')
	return b.Bytes()
}

// answersOf returns the pickle of the answers to the query of a structure.
func answersOf(text string, answers ...int32) []byte {
	b := bytes.NewBufferString("\x80\x03}")
	writeStructure(b, text, new(int32))
	b.WriteString("cbuiltins\nset\n](")
	for _, x := range answers {
		b.Write(binary.LittleEndian.AppendUint32([]byte("J"), uint32(x)))
	}
	b.WriteString("e\x85Rs.")
	return b.Bytes()
}

// TestBetaEFolder reads queries with their answers.
func TestBetaEFolder(t *testing.T) {
	dir := t.TempDir()
	const text = "(('e',('r',)),('e',('r',)),('u',))"
	for name, data := range map[string][]byte{
		"valid-queries.pkl": betaeOf(text), "valid-easy-answers.pkl": answersOf(text, 256, 1), "valid-hard-answers.pkl": answersOf(text, 65536, 3),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	set, warnings, err := Open(t.Context(), dir, Options{Split: "valid"})
	if err != nil || len(warnings) > 0 || len(set.Groups) != 1 {
		t.Fatalf("%+v, %v, %v", set, warnings, err)
	}
	g := set.Groups[0]
	slices.Sort(g.Queries[0].Easy)
	slices.Sort(g.Queries[0].Hard)
	if want := (Case{Split: "valid", Args: []int32{0, 2, 1, 3}, Easy: []int32{1, 256}, Hard: []int32{3, 65536}}); g.Name != "2u" || !reflect.DeepEqual(g.Queries, []Case{want}) {
		t.Errorf("group %s has queries %+v, want %+v", g.Name, g.Queries, want)
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "valid-hard-answers.pkl")))
	if _, _, err := Open(t.Context(), dir, Options{Split: "valid"}); err == nil || !strings.Contains(err.Error(), "valid-hard-answers.pkl is missing") {
		t.Errorf("error is %v", err)
	}
}

// readBetaE reads the pickle of queries.
func readBetaE(data []byte) (*reader, error) {
	r := newReader(context.Background(), "q", Options{})
	index := map[string]asked{}
	err := pickle.ReadDict(bytes.NewReader(data), func(d *pickle.Decoder, k, v pickle.Value) error {
		return r.betaeQueries("q", d, k, v, index)
	})
	return r, err
}

// TestStructures reads every structure; each formula is that of the name, which says its slots.
func TestStructures(t *testing.T) {
	for text, want := range structures {
		r, err := readBetaE(betaeOf(text))
		if err != nil || len(r.groups) != 1 || len(r.warnings) > 0 {
			t.Errorf("%s: %v, %d groups, warnings %v", text, err, len(r.groups), r.warnings)
			continue
		}
		g := r.groups[0]
		name, _, _ := strings.Cut(want.name, "-")
		if formula, err := shapeNamed(name); g.Name != want.name || err != nil || g.Formula != formula {
			t.Errorf("%s is %s, %s, want %s, %s", text, g.Name, g.Formula, want.name, formula)
		}
		// Ids count up in the order of the tuples: a relation comes behind what it leads from.
		if slices.Sort(g.Queries[0].Args); g.Queries[0].Args[0] != 0 || int(g.Queries[0].Args[len(g.Queries[0].Args)-1]) != len(g.Queries[0].Args)-1 {
			t.Errorf("%s: ids are %v", text, g.Queries[0].Args)
		}
	}
}

// TestStructureSlots checks which id gets into which slot, expected by hand.
func TestStructureSlots(t *testing.T) {
	for text, want := range map[string]string{
		"('e',('r','r','r'))":                               "s1=0 r1=1 r2=2 r3=3",
		"(('e',('r','r')),('e',('r','n')))":                 "s1=0 s2=3 r1=1 r2=2 r3=4",
		"(('e',('r','r','n')),('e',('r',)))":                "s1=0 s2=3 r1=1 r2=2 r3=4",
		"((('e',('r',)),('e',('r','n'))),('r',))":           "s1=0 s2=2 r1=1 r2=3 r3=4",
		"((('e',('r','n')),('e',('r','n'))),('n','r'))":     "s1=0 s2=2 r1=1 r2=3 r3=4",
		"((('e',('r',)),('e',('r',)),('e',('r',))),('r',))": "s1=0 s2=2 s3=4 r1=1 r2=3 r3=5 r4=6",
	} {
		r, err := readBetaE(betaeOf(text))
		require.NoError(t, err)
		g := r.groups[0]
		var parts []string
		for i, p := range g.Template.Params {
			parts = append(parts, fmt.Sprintf("%s=%d", p.Name, g.Queries[0].Args[i]))
		}
		slices.Sort(parts)
		wanted := strings.Fields(want)
		if slices.Sort(wanted); !slices.Equal(parts, wanted) {
			t.Errorf("%s: %v, want %v", text, parts, wanted)
		}
	}
}

// TestStructuresLeftOut checks what is none of the structures.
func TestStructuresLeftOut(t *testing.T) {
	for _, text := range []string{"('e',('r','r','n'))", "('e',('n','r'))", "(('e',('r',)),('r',))", "('x',('r',))"} {
		r, err := readBetaE(betaeOf(text, "('e',('r',))"))
		if err != nil || len(r.groups) != 1 || len(r.warnings) != 1 {
			t.Errorf("%s: %v, %d groups, %d warnings", text, err, len(r.groups), len(r.warnings))
			continue
		}
		if w := r.warnings[0]; !strings.Contains(w.Msg, text) || !strings.Contains(w.Msg, "none of BetaE's") || w.Queries != 1 {
			t.Errorf("%s: warning %s", text, w)
		}
	}
}

// TestStructuresErrors checks what BetaE's files cannot hold.
func TestStructuresErrors(t *testing.T) {
	deep := bytes.NewBufferString("\x80\x03}X\x01\x00\x00\x00e")
	for range 200 {
		deep.WriteString("X\x01\x00\x00\x00r\x85\x86")
	}
	deep.WriteString("]s.")
	// A tuple of the tuple before it twice, 60 times: 2^60 entities.
	laughs := bytes.NewBufferString("\x80\x03}X\x01\x00\x00\x00eX\x01\x00\x00\x00r\x85\x86q\x00")
	for range 60 {
		laughs.WriteString("h\x00\x86q\x00")
	}
	laughs.WriteString("]s.")
	for what, c := range map[string]struct{ data, want string }{
		"no set":            {"\x80\x03}X\x01\x00\x00\x00eX\x01\x00\x00\x00r\x85\x86K\x01s.", "has an integer, want a set"},
		"an integer query":  {"\x80\x03}X\x01\x00\x00\x00eX\x01\x00\x00\x00r\x85\x86](K\x05es.", "query 5 is not of its structure ('e',('r',))"},
		"another structure": {"\x80\x03}X\x01\x00\x00\x00eX\x01\x00\x00\x00r\x85\x86](K\x05K\x06K\x07\x86\x86es.", "query (5,(6,7)) is not of its structure"},
		"a negative id":     {"\x80\x03}X\x01\x00\x00\x00eX\x01\x00\x00\x00r\x85\x86](K\x05J\xfe\xff\xff\xff\x85\x86es.", "query (5,(-2,)) is not of its structure"},
	} {
		if _, err := readBetaE([]byte(c.data)); err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 400 {
			t.Errorf("%s: error is %v, want %s", what, err, c.want)
		}
	}
	for what, data := range map[string]string{
		"a number": "\x80\x03}K\x01]s.", "a text": "\x80\x03}X\x01\x00\x00\x00e]s.", "too deep": deep.String(), "too many": laughs.String(),
	} {
		if r, err := readBetaE([]byte(data)); err != nil || len(r.groups) > 0 || len(r.warnings) != 1 || len(r.warnings[0].Msg) > 400 {
			t.Errorf("%s: %d groups, error %v, warnings %v", what, len(r.groups), err, r.warnings)
		}
	}
}

// FuzzBetaE reads anything as BetaE's queries.
func FuzzBetaE(f *testing.F) {
	for text := range structures {
		f.Add(betaeOf(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := readBetaE(data)
		if err != nil {
			return
		}
		for _, g := range r.groups {
			for _, q := range g.Queries {
				if len(q.Args) != len(g.Template.Params) {
					t.Fatalf("%d values of %s", len(q.Args), g.Formula)
				}
			}
		}
	})
}

// FuzzJSON reads anything as JSON Lines and as FIT's file.
func FuzzJSON(f *testing.F) {
	f.Add(`{"type": "2p", "s1": 4, "r1": 2, "r2": 3, "easy": [1, 2], "hard": []}`)
	f.Add(`{"(r1(s1,e1))&(r2(e1,f1))": [[{"s1": 8, "r1": 10, "r2": 9}, {"f1": [[116]]}, {"f1": []}]]}`)
	f.Add(`{"r1(s1,f)": [[{"s1": 8, "r1": 10}, {"f": [116]}, {"f": []}]]}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, read := range []func(r *reader) error{
			func(r *reader) error { return r.readLines("q", strings.NewReader(text)) },
			func(r *reader) error { return r.readFIT("q", strings.NewReader(text)) },
		} {
			r := newReader(context.Background(), "q", Options{})
			if read(r) != nil {
				continue
			}
			for _, g := range r.groups {
				for _, q := range g.Queries {
					if len(q.Args) != len(g.Template.Params) {
						t.Fatalf("%d values of %s", len(q.Args), g.Formula)
					}
				}
			}
		}
	})
}
