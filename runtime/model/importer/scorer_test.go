package importer

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/importer/pickle"
	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/testdata/require"
)

// reals returns random rows.
func reals(rng *rand.Rand, rows, width int) []float32 {
	list := make([]float32, rows*width)
	for i := range list {
		list[i] = float32(rng.NormFloat64())
	}
	return list
}

// scored is a scorer of another kind with random tables: a graph of the triples that it
// scores best.
type scored struct {
	n, relations int
	score        func(h, r, t int) float64
}

// folder writes a folder of facts of ids: of each head and relation the best tails.
func (s scored) folder(t *testing.T) string {
	var facts strings.Builder
	for h := range s.n {
		for r := range s.relations {
			tails := make([]int, s.n)
			for i := range tails {
				tails[i] = i
			}
			slices.SortFunc(tails, func(a, b int) int {
				if s.score(h, r, a) > s.score(h, r, b) {
					return -1
				}
				return 1
			})
			for _, tail := range tails[:3] {
				facts.WriteString(strings.Join([]string{itoa(h), itoa(r), itoa(tail)}, "\t") + "\n")
			}
		}
	}
	return writeFile(t, t.TempDir(), "facts.tsv", facts.String())
}

// tensorsFile writes tensors, each given by its name, rows and numbers.
func tensorsFile(t *testing.T, dir, name string, tensors ...safetensors.Tensor) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, safetensors.Write(&out, nil, tensors))
	return writeFile(t, dir, name, out.String())
}

func matrixOf(name string, numbers []float32, rows int) safetensors.Tensor {
	return safetensors.From(name, numbers, rows, len(numbers)/rows)
}

// TestImportScorers imports checkpoints of DistMult, CP and ComplEx by the names that
// libraries have for their tables, and compares every score with the scorer's own.
func TestImportScorers(t *testing.T) {
	const n, relations, d = 40, 2, 6
	rng := rand.New(rand.NewPCG(8, 1))
	a, b, r, ri := reals(rng, n, d), reals(rng, n, d), reals(rng, relations, d), reals(rng, relations, d)
	distmult := func(h, rel, tail int) (sum float64) {
		for k := range d {
			sum += float64(a[h*d+k]) * float64(r[rel*d+k]) * float64(a[tail*d+k])
		}
		return sum
	}
	cp := func(h, rel, tail int) (sum float64) {
		for k := range d {
			sum += float64(a[h*d+k]) * float64(r[rel*d+k]) * float64(b[tail*d+k])
		}
		return sum
	}
	complEx := func(h, rel, tail int) (sum float64) {
		at := func(re, im []float32, row, k int) complex128 {
			return complex(float64(re[row*d+k]), float64(im[row*d+k]))
		}
		for k := range d {
			x, y := at(a, b, h, k)*at(r, ri, rel, k), at(a, b, tail, k)
			sum += real(x)*real(y) + imag(x)*imag(y)
		}
		return sum
	}
	var pairs []float32 // as LibKGE has them
	for e := range n {
		pairs = append(append(pairs, a[e*d:(e+1)*d]...), b[e*d:(e+1)*d]...)
	}
	for _, c := range []struct {
		name    string
		score   func(h, r, t int) float64
		rank    int
		layout  Layout
		tensors []safetensors.Tensor
	}{
		{"OpenKE DistMult", distmult, d, Layout{}, []safetensors.Tensor{
			matrixOf("ent_embeddings.weight", a, n), matrixOf("rel_embeddings.weight", r, relations)}},
		{"LibKGE DistMult", distmult, d, Layout{Parts: Real}, []safetensors.Tensor{
			matrixOf("_entity_embedder._embeddings.weight", a, n), matrixOf("_relation_embedder._embeddings.weight", r, relations)}},
		{"OpenKE ComplEx", complEx, d, Layout{}, []safetensors.Tensor{
			matrixOf("ent_re_embeddings.weight", a, n), matrixOf("ent_im_embeddings.weight", b, n),
			matrixOf("rel_re_embeddings.weight", r, relations), matrixOf("rel_im_embeddings.weight", ri, relations)}},
		{"kbc CP", cp, 2 * d, Layout{}, []safetensors.Tensor{
			matrixOf("lhs.weight", a, n), matrixOf("rel.weight", r, relations), matrixOf("rhs.weight", b, n)}},
		{"LibKGE CP", cp, 2 * d, Layout{}, []safetensors.Tensor{
			matrixOf("_entity_embedder._embeddings.weight", pairs, n), matrixOf("_relation_embedder._embeddings.weight", r, relations)}},
		{"PyKEEN CP", cp, 2 * d, Layout{}, []safetensors.Tensor{
			matrixOf("entity_representations.0._embeddings.weight", a, n), matrixOf("entity_representations.1._embeddings.weight", b, n),
			matrixOf("relation_representations.0._embeddings.weight", r, relations)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scored{n, relations, c.score}
			m, err := importRing(t, Options{Graph: s.folder(t), Checkpoint: tensorsFile(t, t.TempDir(), "c.safetensors", c.tensors...), Layout: Layout{c.layout.Parts, NoInverse}, Table: model.Float32})
			require.NoError(t, err)
			if m.Predictor.Rank != c.rank {
				t.Errorf("rank is %d, want %d", m.Predictor.Rank, c.rank)
			}
			// Ids of the model are those of the checkpoint's rows.
			at := func(e int) []float32 { return m.Predictor.EntityTable.Row(model.EntityID(e), nil) }
			for h := range n {
				for rel := range relations {
					for tail := range n {
						want := c.score(h, rel, tail)
						got := complexScore(at(h), m.Predictor.Relation(model.RelationID(2*rel)).Numbers, at(tail))
						back := complexScore(at(tail), m.Predictor.Relation(model.RelationID(2*rel+1)).Numbers, at(h))
						if max(got-want, want-got) > 1e-4 || max(back-want, want-back) > 1e-4 {
							t.Fatalf("score of %d %d %d is %v, and %v from the tail, want %v", h, rel, tail, got, back, want)
						}
					}
				}
			}
		})
	}
}

// complexScore is Re⟨h, r, conj(t)⟩.
func complexScore(h, r, t []float32) (sum float64) {
	d := len(h) / 2
	for k := range d {
		x := complex(float64(h[k]), float64(h[d+k])) * complex(float64(r[k]), float64(r[d+k])) * complex(float64(t[k]), -float64(t[d+k]))
		sum += real(x)
	}
	return sum
}

// TestRefusedScorers refuses other scorers by name: as the files say, or as the numbers do.
func TestRefusedScorers(t *testing.T) {
	const n, relations, d = 60, 2, 8
	rng := rand.New(rand.NewPCG(8, 2))
	e, r := reals(rng, n, d), reals(rng, relations, d)
	graph := scored{n, relations, func(h, rel, tail int) (sum float64) {
		for k := range d {
			x := float64(e[h*d+k]) + float64(r[rel*d+k]) - float64(e[tail*d+k])
			sum -= max(x, -x)
		}
		return sum
	}}.folder(t)
	byName := func(scorer string) string {
		dir := t.TempDir()
		writeFile(t, dir, "x_"+scorer+"_entity.npy", npy("<f4", e, d))
		writeFile(t, dir, "x_"+scorer+"_relation.npy", npy("<f4", r, d))
		return filepath.Join(dir, "x_"+scorer+"_entity.npy")
	}
	for _, c := range []struct{ want, checkpoint string }{
		{"a checkpoint of TransE, and import takes those of ComplEx, DistMult and CP", byName("TransE_l2")},
		{"a checkpoint of RotatE,", byName("RotatE")},
		{"a checkpoint of RESCAL,", byName("RESCAL")},
		{"a checkpoint of TransE,", tensorsFile(t, t.TempDir(), "c.safetensors", matrixOf("ent_embeddings.weight", e, n), matrixOf("rel_embeddings.weight", r, relations))},
		{"are 8 and 3 wide, which none of ComplEx, DistMult and CP has", tensorsFile(t, t.TempDir(), "c.safetensors", matrixOf("entity_embedding", e, n), matrixOf("relation_embedding", r[:3*relations], relations))},
		{"are 8 and 8 wide, which CP has not", byName("CP")},
	} {
		if _, err := importRing(t, Options{Graph: graph, Checkpoint: c.checkpoint}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
	}
}

// TestScorerInPickle finds what PyKEEN's and LibKGE's files say that they are of.
func TestScorerInPickle(t *testing.T) {
	text := func(s string) string { return "X" + string(rune(len(s))) + "\x00\x00\x00" + s }
	config := func(options string) string {
		return "\x80\x02}" + text("config") + "ckge.config\nConfig\n)\x81}" + text("options") + "}" + options + "sbs."
	}
	for _, c := range []struct{ want, pickle string }{
		{"RotatE", "\x80\x02cpykeen.models.unimodal.rotate\nRotatE\n)\x81}b."},
		{"ComplEx", "\x80\x02ccopyreg\n_reconstructor\n(cpykeen.models.unimodal.complex\nComplEx\nc__builtin__\nobject\nNtR}b."},
		{"transe", config(text("model") + text("transe") + "s")},
		{"distmult", config(text("model") + text("reciprocal_relations_model") + "s" +
			text("reciprocal_relations_model") + "}" + text("base_model") + "}" + text("type") + text("distmult") + "sss")},
		{"", "\x80\x02}" + text("model") + text("rotate") + "s."},
	} {
		d, err := pickle.Load([]byte(c.pickle))
		if err != nil {
			t.Fatalf("%q: %v", c.pickle, err)
		}
		s := &collector{d: d, seen: map[pickle.Value]bool{}, rebuilt: map[pickle.Value]*torchTensor{}}
		if err := s.walk("", d.Root(), 0); err != nil || s.scorer != c.want {
			t.Errorf("%q: scorer is %q, want %q; error %v", c.pickle, s.scorer, c.want, err)
		}
	}
}
