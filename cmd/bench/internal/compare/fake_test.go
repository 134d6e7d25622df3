package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/testdata/require"
)

// fake is the environment variable that makes a test binary play the peer, and says
// how: well, wrong (other answers), silent (no times) or broken.
const fake = "EFOC_BENCH_FAKE_PEER"

// TestMain runs the tests, or plays the peer.
func TestMain(m *testing.M) {
	if how := os.Getenv(fake); how != "" && len(os.Args) > 2 {
		os.Exit(playPeer(how, os.Args))
	}
	os.Exit(m.Run())
}

// runFake runs a command whose Python is this test, which plays the peer as how says.
func runFake(t *testing.T, ctx context.Context, how string, command any, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	t.Setenv(fake, how)
	self, err := os.Executable()
	require.NoError(t, err)
	var out, errs bytes.Buffer
	status = cli.Run(ctx, "bench", "", command, append([]string{"--python", self}, args...), &out, &errs)
	return status, out.String(), errs.String()
}

// playPeer is called as Python is: with -c, or with the program and its
// arguments. Its account of its times is fakeTime; only its eager float32 answers are right.
func playPeer(how string, args []string) int {
	if args[1] == "-c" {
		fmt.Println("2.99.0")
		return 0
	}
	compiled, half := slices.Contains(args, "--compile"), slices.Contains(args, "--bf16")
	if how == "broken" {
		fmt.Fprintln(os.Stderr, "Traceback: no such tensor")
		return 1
	}
	text, err := os.ReadFile(args[4])
	if err != nil {
		return 2
	}
	var types []string
	for line := range strings.Lines(string(text)) {
		var q struct{ Type string }
		if json.Unmarshal([]byte(line), &q) == nil && !slices.Contains(types, q.Type) {
			types = append(types, q.Type)
		}
	}
	answers := []Answered{}
	for _, typ := range types {
		if how != "silent" {
			fmt.Printf("%-5s n=    1 MRR  10.0     %.2f ms/query\n", typ, fakeTime(typ, compiled, half))
		}
		a := Answered{Type: typ, Top: [][2]float64{}}
		if how == "wrong" || compiled || half {
			a.Top = append(a.Top, [2]float64{0, 0.987})
		}
		answers = append(answers, a)
	}
	at := slices.Index(args, "--dump")
	if at < 0 {
		return 0
	}
	out, err := json.Marshal(answers)
	if err != nil || os.WriteFile(args[at+1], out, 0o600) != nil {
		return 2
	}
	return 0
}

// fakeTime is a time in milliseconds: the fastest mode is compiled float32 on 1p, and
// eager bfloat16 elsewhere.
func fakeTime(typ string, compiled, half bool) float64 {
	switch {
	case compiled && half:
		return 0.9
	case half:
		return 0.8
	case compiled && typ == "1p":
		return 0.5
	case compiled:
		return 2
	}
	return 1
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// towns makes a folder of inputs with a graph of five towns.
func towns(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	folder := filepath.Join(dir, "data", "towns")
	write(t, filepath.Join(dir, "peer", "nsmp_torch.py"), "")
	write(t, filepath.Join(folder, "entities.tsv"), "0\tash\n1\tbirch\n2\tcedar\n3\tdale\n4\telm\n")
	write(t, filepath.Join(folder, "relations.tsv"), "0\troad\n1\ttwin\n")
	write(t, filepath.Join(folder, "train.tsv"), "ash\troad\tbirch\nbirch\troad\tcedar\ncedar\troad\tdale\nash\ttwin\tdale\n")
	write(t, filepath.Join(folder, "queries-dev.jsonl"), `{"type":"1p","s1":0,"r1":0,"easy":[1],"hard":[2]}
{"type":"2il","s1":0,"r1":0,"r2":3,"easy":[1],"hard":[2]}
{"type":"2il","s1":1,"r1":0,"r2":1,"easy":[1],"hard":[2]}
`)
	noise := rand.New(rand.NewPCG(1, 2))
	table := func(rows, width int) []float32 {
		values := make([]float32, rows*width)
		for i := range values {
			values[i] = float32(noise.NormFloat64()) / 10
		}
		return values
	}
	var b bytes.Buffer
	err := safetensors.Write(&b, nil, []safetensors.Tensor{
		safetensors.From("embeddings.0.weight", table(5, 8), 5, 8),
		safetensors.From("embeddings.1.weight", table(4, 8), 4, 8),
	})
	require.NoError(t, err)
	write(t, filepath.Join(folder, "model.safetensors"), b.String())
	return dir
}
