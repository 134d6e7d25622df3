// Command train fits the link predictor of testdata/world: ComplEx with reciprocal relations and the
// N3 regulariser, by full cross-entropy over all entities and Adagrad (Lacroix et al., Canonical Tensor
// Decomposition for Knowledge Base Completion, ICML 2018). It reads train.tsv, writes
// predictor.safetensors, and reports filtered ranks on heldout.tsv, which it uses for nothing else.
//
// It is naive on purpose: one small graph, no checkpoints, no early stopping.
package main

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// A triple holds row numbers; relation 2i is relation i of relations.tsv, 2i+1 its inverse.
type triple struct{ h, r, t int }

func main() {
	log.SetFlags(0)
	dir := flag.String("dir", ".", "folder of the tables and the predictor")
	rank := flag.Int("rank", 64, "complex numbers in an embedding")
	epochs := flag.Int("epochs", 80, "passes over the facts")
	batch := flag.Int("batch", 256, "facts in a step")
	rate := flag.Float64("rate", 0.1, "learning rate")
	n3 := flag.Float64("n3", 0.1, "weight of the regulariser")
	seed := flag.Uint64("seed", 1, "seed of the random numbers")
	flag.Parse()
	runtime.GOMAXPROCS(2)

	entities, entity := names(*dir, "entities.tsv")
	relations, relation := names(*dir, "relations.tsv")
	train := facts(*dir, "train.tsv", entity, relation)
	held := facts(*dir, "heldout.tsv", entity, relation)

	rng := rand.New(rand.NewPCG(*seed, 0))
	e := newTable(len(entities), 2**rank, rng)
	w := newTable(2*len(relations), 2**rank, rng)
	for epoch := 1; epoch <= *epochs; epoch++ {
		rng.Shuffle(len(train), func(i, j int) { train[i], train[j] = train[j], train[i] })
		var loss float64
		for i := 0; i < len(train); i += *batch {
			loss += step(e, w, train[i:min(i+*batch, len(train))], float32(*rate), float32(*n3))
		}
		if epoch%10 == 0 {
			log.Printf("epoch %d: loss %.4f", epoch, loss/float64(len(train)))
		}
	}
	if err := write(filepath.Join(*dir, "predictor.safetensors"), e, w); err != nil {
		log.Fatal(err)
	}
	report(e, w, train, held, relations)
}

// names reads a table of ids and names; the ids count up from 0.
func names(dir, file string) ([]string, map[string]int) {
	var list []string
	index := map[string]int{}
	for _, f := range lines(dir, file) {
		index[f[1]] = len(list)
		list = append(list, f[1])
	}
	return list, index
}

// facts reads triples by name and returns each with its inverse.
func facts(dir, file string, entity, relation map[string]int) []triple {
	var ts []triple
	for _, f := range lines(dir, file) {
		h, r, t := entity[f[0]], 2*relation[f[1]], entity[f[2]]
		ts = append(ts, triple{h, r, t}, triple{t, r + 1, h})
	}
	return ts
}

func lines(dir, file string) [][]string {
	data, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		log.Fatal(err)
	}
	var rows [][]string
	for l := range strings.Lines(string(data)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(l, "\n"), "\t"))
	}
	return rows
}

// A table holds parameters, their gradient, and Adagrad's sum of squared gradients.
// A row is a complex vector: the real half, then the imaginary half.
type table struct{ p, g, sum blas32.General }

func newTable(rows, cols int, rng *rand.Rand) *table {
	t := &table{zeros(rows, cols), zeros(rows, cols), zeros(rows, cols)}
	for i := range t.p.Data {
		t.p.Data[i] = float32(1e-3 * rng.NormFloat64())
	}
	return t
}

func zeros(rows, cols int) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float32, rows*cols)}
}

func row(m blas32.General, i int) []float32 { return m.Data[i*m.Stride : i*m.Stride+m.Cols] }

// times sets dst += a ⊗ b, or a ⊗ conj(b) where conj is -1.
func times(dst, a, b []float32, conj float32) {
	d := len(dst) / 2
	for k := range d {
		ar, ai, br, bi := a[k], a[d+k], b[k], conj*b[d+k]
		dst[k] += ar*br - ai*bi
		dst[d+k] += ar*bi + ai*br
	}
}

// scores returns for every query (h, r, ?) the real inner products of r ⊗ h with all entities.
func scores(e, w *table, ts []triple) (q, s blas32.General) {
	q, s = zeros(len(ts), e.p.Cols), zeros(len(ts), e.p.Rows)
	for i, t := range ts {
		times(row(q, i), row(w.p, t.r), row(e.p, t.h), 1)
	}
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, q, e.p, 0, s)
	return q, s
}

// step takes one step of Adagrad and returns the sum of the cross-entropies before it.
func step(e, w *table, ts []triple, rate, n3 float32) float64 {
	q, s := scores(e, w, ts)
	scale := 1 / float32(len(ts))
	var loss float64
	for i, t := range ts {
		x := row(s, i)
		top := x[0]
		for _, v := range x {
			top = max(top, v)
		}
		answer := float64(x[t.t] - top)
		var sum float64
		for j, v := range x {
			p := math.Exp(float64(v - top))
			x[j] = float32(p)
			sum += p
		}
		loss += math.Log(sum) - answer
		for j := range x {
			x[j] *= scale / float32(sum)
		}
		x[t.t] -= scale
	}
	dq := zeros(q.Rows, q.Cols)
	blas32.Gemm(blas.Trans, blas.NoTrans, 1, s, q, 0, e.g)
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, s, e.p, 0, dq)
	clear(w.g.Data)
	for i, t := range ts {
		h, r := row(e.p, t.h), row(w.p, t.r)
		times(row(e.g, t.h), row(dq, i), r, -1)
		times(row(w.g, t.r), row(dq, i), h, -1)
		shrink(row(e.g, t.h), h, n3*scale)
		shrink(row(w.g, t.r), r, n3*scale)
		shrink(row(e.g, t.t), row(e.p, t.t), n3*scale)
	}
	e.adagrad(rate)
	w.adagrad(rate)
	return loss
}

// shrink adds the gradient of weight times the sum of |x_k|^3.
func shrink(g, x []float32, weight float32) {
	d := len(x) / 2
	for k := range d {
		f := 3 * weight * float32(math.Hypot(float64(x[k]), float64(x[d+k])))
		g[k] += f * x[k]
		g[d+k] += f * x[d+k]
	}
}

func (t *table) adagrad(rate float32) {
	for i, g := range t.g.Data {
		if g == 0 {
			continue
		}
		t.sum.Data[i] += g * g
		t.p.Data[i] -= rate * g / (float32(math.Sqrt(float64(t.sum.Data[i]))) + 1e-10)
	}
}

// write stores both tables in the safetensors format: length of the header, header, data.
func write(file string, e, w *table) error {
	eBytes, wBytes := 4*len(e.p.Data), 4*len(w.p.Data)
	header := fmt.Sprintf(`{"embeddings.0.weight":{"dtype":"F32","shape":[%d,%d],"data_offsets":[0,%d]},`+
		`"embeddings.1.weight":{"dtype":"F32","shape":[%d,%d],"data_offsets":[%d,%d]}}`,
		e.p.Rows, e.p.Cols, eBytes, w.p.Rows, w.p.Cols, eBytes, eBytes+wBytes)
	header += strings.Repeat(" ", (8-len(header)%8)%8)
	var b bytes.Buffer
	for _, part := range []any{uint64(len(header)), []byte(header), e.p.Data, w.p.Data} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// report prints filtered ranks of the held-back facts, both as (h, r, ?) and as (?, r, t).
func report(e, w *table, train, held []triple, relations []string) {
	known := map[[2]int][]int{}
	for _, ts := range [][]triple{train, held} {
		for _, t := range ts {
			known[[2]int{t.h, t.r}] = append(known[[2]int{t.h, t.r}], t.t)
		}
	}
	_, s := scores(e, w, held)
	ranks := map[string][]int{}
	for i, t := range held {
		x := row(s, i)
		answer := x[t.t]
		for _, k := range known[[2]int{t.h, t.r}] {
			x[k] = float32(math.Inf(-1))
		}
		rank := 1
		for _, v := range x {
			if v >= answer {
				rank++
			}
		}
		name := relations[t.r/2]
		if t.r%2 == 1 {
			name += "^-1"
		}
		ranks["all"] = append(ranks["all"], rank)
		ranks[name] = append(ranks[name], rank)
	}
	keys := make([]string, 0, len(ranks))
	for k := range ranks {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	fmt.Printf("%-26s %5s %6s %6s %6s %6s\n", "held back", "count", "MRR", "H@1", "H@3", "H@10")
	for _, k := range keys {
		var mrr, h1, h3, h10 float64
		for _, r := range ranks[k] {
			mrr += 1 / float64(r)
			h1 += float64(1 / r)
			h3 += float64(3 / max(r, 3))
			h10 += float64(10 / max(r, 10))
		}
		n := float64(len(ranks[k]))
		fmt.Printf("%-26s %5d %6.3f %6.3f %6.3f %6.3f\n", k, len(ranks[k]), mrr/n, h1/n, h3/n, h10/n)
	}
}
