package compare

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/testdata/require"
)

func TestParse(t *testing.T) {
	got, err := parse("pni   n=   20 MRR   5.4   257.08 ms/query\n2il   n= 1000 MRR  25.5   17.6 ms/query\nAVG.(F) 19.5\n")
	require.NoError(t, err)
	if want := map[string]float64{"pni": 257.08, "2il": 17.6}; !maps.Equal(got, want) {
		t.Errorf("times are %v, want %v", got, want)
	}
	for text, want := range map[string]string{
		"":                                       "no times",
		"2p n= 1 MRR 5.4\n":                      "no times",
		"2p    n=    1 MRR   5.4  0.00 ms/query": `time of shape 2p is "0.00"`,
		"2p    n=    1 MRR   5.4  1.2.3 ms/query": `time of shape 2p is "1.2.3"`,
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error is %v, want %s", text, err, want)
		}
	}
}

// TestQueryLines checks that the relations come first, in both directions, and
// that the queries follow.
func TestQueryLines(t *testing.T) {
	shape, err := benchmark.Query("2il")
	require.NoError(t, err)
	g := queryset.NewGroup("2il", shape, false)
	g.Queries = []queryset.Case{{Args: []int32{8, 5, 2}}}
	text, err := queryLines([]*queryset.Group{g}, "1p")
	require.NoError(t, err)
	var got []string
	for line := range strings.Lines(string(text)) {
		var q struct {
			Type       string
			S1, R1, R2 int
			Easy, Hard []int
		}
		require.NoError(t, json.Unmarshal([]byte(line), &q))
		if q.Easy == nil || len(q.Hard) != 1 {
			t.Errorf("line %s lacks answers", line)
		}
		got = append(got, q.Type+" "+string(rune('0'+q.S1))+string(rune('0'+q.R1))+string(rune('0'+q.R2)))
	}
	if want := []string{"1p 020", "1p 030", "1p 040", "1p 050", "2il 852"}; !slices.Equal(got, want) {
		t.Errorf("queries are %v, want %v", got, want)
	}
}

func TestCheckPythonErrors(t *testing.T) {
	_, err := checkPython(context.Background(), filepath.Join(t.TempDir(), "python3"))
	if err == nil || !strings.Contains(err.Error(), "pip install torch scipy numpy") {
		t.Errorf("error is %v, want one that says what to install", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	self, err := os.Executable()
	require.NoError(t, err)
	if _, err := checkPython(ctx, self); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func TestReadAnswers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	write(t, path, `[{"type":"2p","r1":3,"top":[[4,0.5],[2,0.25]],"sum":1}]`)
	got, err := readAnswers(path)
	if err != nil || len(got) != 1 || got[0].Type != "2p" || len(got[0].Top) != 2 || got[0].Top[1] != [2]float64{2, 0.25} {
		t.Errorf("read %+v, %v", got, err)
	}
	write(t, path, "nonsense")
	if _, err := readAnswers(path); err == nil || !strings.Contains(err.Error(), "a.json") {
		t.Errorf("error is %v", err)
	}
	if _, err := readAnswers(path + "x"); err == nil {
		t.Error("missing file: want an error")
	}
}
