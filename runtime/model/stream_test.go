package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// streamed writes a model of n entities and facts as a stream.
func streamed(t *testing.T, s *Stream) ([]byte, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stream")
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	if err := WriteStream(context.Background(), f, s); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data, nil
}

// TestWriteStream checks that a stream has the bytes of the model that is written whole.
func TestWriteStream(t *testing.T) {
	const n, rank, relations = 2500, 3, 2
	row := func(e EntityID, to []float32) error {
		for k := range to {
			to[k] = float32(int(e)*k%17) - 4
		}
		return nil
	}
	var facts []Triple
	names := make([]string, n)
	for e := range n {
		names[e] = fmt.Sprintf("e%05d", e)
		facts = append(facts, Triple{EntityID(e), int32(e % 2), EntityID(e * 7 % n)}, Triple{EntityID(e), 0, 5})
	}
	g, err := NewGraph(n, relations, facts)
	require.NoError(t, err)
	relationNames, err := NewNames("relation", []string{"knows", "likes"}, nil)
	require.NoError(t, err)
	for _, limit := range []int64{maxNarrow, 100} {
		narrow(t, limit)
		entities, err := NewNames("entity", names, nil)
		require.NoError(t, err)
		for _, c := range kinds {
			p := Predictor{Rank: rank, RelationTable: make([]float32, 2*relations*2*rank)}
			p.EntityTable, err = BuildTable(n, 2*rank, c[0], c[1], func(i int, to []float32) error { return row(EntityID(i), to) })
			require.NoError(t, err)
			manifest := Manifest{Name: "s", Settings: DefaultSettings(), Visible: "made up"}
			m, err := New(manifest, g, nil, p, entities, relationNames)
			require.NoError(t, err)
			var want bytes.Buffer
			require.NoError(t, Write(&want, m))
			s := &Stream{
				Manifest: m.Manifest, Row: row, Relations: p.RelationTable, RelationNames: relationNames,
				Pairs:      func(r RelationID) ([]int32, []int32, error) { h, t := g.Edges(r); return h, t, nil },
				EntityName: func(to []byte, e EntityID) []byte { return append(to, names[e]...) },
			}
			got, err := streamed(t, s)
			if err != nil || !bytes.Equal(got, want.Bytes()) {
				t.Errorf("%v, offsets up to %d: %d bytes, %v, want those of the model, %d", c, limit, len(got), err, want.Len())
			}
			mine := errors.New("mine")
			s.Row = func(EntityID, []float32) error { return mine }
			if _, err := streamed(t, s); !errors.Is(err, mine) {
				t.Errorf("error is %v", err)
			}
			s.Row, s.Manifest.Rank = row, 0
			if _, err := streamed(t, s); err == nil || !strings.Contains(err.Error(), "0 rows of 0") {
				t.Errorf("error is %v", err)
			}
		}
	}
}
