package model

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// resident returns how much of the mappings of a file is in the memory of this process, in
// bytes, as Linux has it.
func resident(t *testing.T, path string) (bytes int64) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip("needs /proc/self/smaps: ", err)
	}
	inside := false
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if strings.Contains(fields[0], "-") {
			inside = fields[len(fields)-1] == path
		}
		if inside && fields[0] == "Rss:" {
			kilobytes, _ := strconv.ParseInt(fields[1], 10, 64)
			bytes += kilobytes << 10
		}
	}
	return bytes
}

// TestResident opens bundles as if they were large: after the check only what passes read is in
// memory, facts come and go, and all of it is as it was written, also for many at once.
func TestResident(t *testing.T) {
	defer func(from int, rest int64) { residentFrom, residentRest = from, rest }(residentFrom, residentRest)
	const n, relations, rank, facts = 6000, 3, 16, 300_000
	random := rand.New(rand.NewPCG(1, 2))
	triples := make([]Triple, facts)
	for i := range triples {
		triples[i] = Triple{EntityID(random.IntN(n)), int32(random.IntN(relations)), EntityID(random.IntN(n))}
	}
	graph, err := NewGraph(n, relations, triples)
	require.NoError(t, err)
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("a rather long name of entity %d, so that names take more than a few pages", i)
	}
	entities, err := NewNames("entity", names, nil)
	require.NoError(t, err)
	values := func(rows int) []float32 {
		list := make([]float32, rows*2*rank)
		for i := range list {
			list[i] = float32(random.NormFloat64())
		}
		return list
	}
	rows, table := values(n), values(2*relations)
	for _, c := range []struct{ table, exact TableType }{{Int8, ""}, {Int8, Float32}, {Int8, Float16}, {Float32, ""}} {
		t.Run(string(c.table+" "+c.exact), func(t *testing.T) {
			entityTable, err := MakeTable(slices.Clone(rows), 2*rank, c.table, c.exact)
			require.NoError(t, err)
			m, err := New(Manifest{Settings: DefaultSettings()}, graph, nil, Predictor{Rank: rank, EntityTable: entityTable, RelationTable: table}, entities, NumberedNames("relation", relations))
			require.NoError(t, err)
			path := filepath.Join(t.TempDir(), "large.efoc")
			require.NoError(t, Save(t.Context(), path, m, nil))
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			residentFrom, residentRest = len(want), 1<<20
			large, err := Open(path, Mapped())
			require.NoError(t, err)
			defer large.Close()
			// A page brings up to 64 kB with it.
			read := int64(entityTable.Bytes() + 4*n + 4*len(table))
			if got := resident(t, path); got > read+8*64<<10 || got < read/2 {
				t.Errorf("%d of %d bytes are in memory after opening, passes read %d", got, len(want), read)
			}
			var readers sync.WaitGroup
			for i := range 4 {
				readers.Go(func() {
					for k := range 20 {
						r := RelationID((i + k) % (2 * relations))
						heads, tails := large.Graph.Edges(r)
						wantHeads, wantTails := graph.Edges(r)
						for e := range heads {
							if heads[e] != wantHeads[e] || tails[e] != wantTails[e] {
								t.Errorf("pair %d of relation %d is (%d, %d), want (%d, %d)", e, r, heads[e], tails[e], wantHeads[e], wantTails[e])
								return
							}
						}
					}
				})
			}
			readers.Wait()
			// The last relations that were read are there, of 800 kB, and what came before a look.
			if got := resident(t, path); got > read+2*residentRest+4*800_000 {
				t.Errorf("%d of %d bytes are in memory after facts were read, passes read %d", got, len(want), read)
			}
			large.Graph.pages.releaseAll()
			for e := EntityID(0); e < n; e += 5 {
				for r := range RelationID(2 * relations) {
					if got, want := large.Graph.Tails(e, r), graph.Tails(e, r); !slices.Equal(got, want) {
						t.Fatalf("tails of %d under %d are %v, want %v", e, r, got, want)
					}
				}
				if e%500 > 0 {
					continue
				}
				if got := resident(t, path); got > read+2*residentRest {
					t.Fatalf("%d of %d bytes are in memory when the tails of %d entities were read, passes read %d", got, len(want), e+1, read)
				}
			}
			var got bytes.Buffer
			if err := Write(&got, large); err != nil || !bytes.Equal(got.Bytes(), want) {
				t.Errorf("it is written as something else, error %v", err)
			}
		})
	}
}
