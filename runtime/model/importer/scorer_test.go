package importer

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/importer/pickle"
	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/long"
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
			tails, scores := make([]int, s.n), make([]float64, s.n)
			for i := range tails {
				tails[i], scores[i] = i, s.score(h, r, i)
			}
			slices.SortFunc(tails, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
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

// A checkpoint is random tensors of a scorer with the score that they give, as the paper or the
// library has it. Rows of relations are rows of the tensors.
type scorerCase struct {
	name    string
	layout  Layout
	score   func(h, row, t int) float64
	tensors []safetensors.Tensor
}

const (
	scoredEntities, scoredRelations = 30, 4
	scoredWidth                     = 8
)

// scorerCases are the scorers that are taken, by the names that libraries have for their tensors.
func scorerCases() []scorerCase {
	const n, relations, d = scoredEntities, scoredRelations, scoredWidth
	rng := rand.New(rand.NewPCG(8, 1))
	a, b, r, s := reals(rng, n, d), reals(rng, n, d), reals(rng, relations, d), reals(rng, relations, d)
	sum := func(f func(k int) float64) (total float64) {
		for k := range d {
			total += f(k)
		}
		return total
	}
	at := func(table []float32, row, k int) float64 { return float64(table[row*d+k]) }
	distmult := func(x, r, y []float32) func(h, rel, t int) float64 {
		return func(h, rel, t int) float64 {
			return sum(func(k int) float64 { return at(x, h, k) * at(r, rel, k) * at(y, t, k) })
		}
	}
	complEx := func(h, rel, t int) float64 {
		z := func(re, im []float32, row, k int) complex128 { return complex(at(re, row, k), at(im, row, k)) }
		return sum(func(k int) float64 {
			x, y := z(a, b, h, k)*z(r, s, rel, k), z(a, b, t, k)
			return real(x)*real(y) + imag(x)*imag(y)
		})
	}
	openKE, libKGE := [2]string{"ent_embeddings.weight", "rel_embeddings.weight"}, [2]string{"_entity_embedder._embeddings.weight", "_relation_embedder._embeddings.weight"}
	tables := func(names [2]string, e, r []float32) []safetensors.Tensor {
		return []safetensors.Tensor{matrixOf(names[0], e, n), matrixOf(names[1], r, relations)}
	}
	return []scorerCase{
		{"OpenKE DistMult", Layout{}, distmult(a, r, a), tables(openKE, a, r)},
		{"LibKGE DistMult", Layout{Parts: partsReal}, distmult(a, r, a), tables(libKGE, a, r)},
		{"OpenKE ComplEx", Layout{}, complEx, []safetensors.Tensor{
			matrixOf("ent_re_embeddings.weight", a, n), matrixOf("ent_im_embeddings.weight", b, n),
			matrixOf("rel_re_embeddings.weight", r, relations), matrixOf("rel_im_embeddings.weight", s, relations)}},
	}
}

// TestImportScorers imports random checkpoints without and with relations for inverses, and
// compares every score of the model, from both ends, with the scorer's own.
func TestImportScorers(t *testing.T) {
	inverses := []Inverse{inverseNone, inverseXOR, inverseOffset}
	for i, c := range scorerCases() {
		for _, inverse := range long.Or(inverses, inverses[i%3:i%3+1]) {
			t.Run(c.name+", "+string(inverse), func(t *testing.T) {
				relations := scoredRelations
				if inverse != inverseNone {
					relations /= 2
				}
				row := func(r, back int) int { // of a relation and of its inverse
					return map[Inverse]int{inverseNone: r, inverseXOR: 2*r + back, inverseOffset: r + back*relations}[inverse]
				}
				s := scored{scoredEntities, relations, func(h, r, t int) float64 {
					if inverse == inverseNone {
						return c.score(h, r, t)
					}
					return c.score(h, row(r, 0), t) + c.score(t, row(r, 1), h)
				}}
				o := Options{Graph: s.folder(t), Checkpoints: []string{tensorsFile(t, t.TempDir(), "c.safetensors", c.tensors...)}, Layout: Layout{c.layout.Parts, inverse}, Table: table.Float32}
				m, err := importRing(t, o)
				require.NoError(t, err)
				// Ids of the model equal the numbers of the checkpoint's rows.
				width := 2 * m.Predictor.Rank
				query := make([]float32, width)
				score := func(h, r, t int, backward bool) (sum float64) {
					kernels.Project(query, m.Predictor.EntityTable.Row(graph.EntityID(h), nil), m.Predictor.Relation(graph.RelationID(r)), backward, false)
					for k, x := range m.Predictor.EntityTable.Row(graph.EntityID(t), nil) {
						sum += float64(query[k]) * float64(x)
					}
					return sum
				}
				for h := range scoredEntities {
					for r := range relations {
						for tail := range scoredEntities {
							want, inverted := c.score(h, row(r, 0), tail), c.score(h, row(r, 0), tail)
							if inverse != inverseNone {
								inverted = c.score(tail, row(r, 1), h)
							}
							for i, got := range []float64{score(h, 2*r, tail, false), score(tail, 2*r, h, true), score(tail, 2*r+1, h, false)} {
								if i == 2 {
									want = inverted
								}
								if off := math.Abs(got - want); !(off <= 2e-5*max(10, math.Abs(want))) {
									t.Fatalf("score %d of %d %d %d is %v, want %v", i, h, r, tail, got, want)
								}
							}
						}
					}
				}
			})
		}
	}
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
	for scorer, want := range map[string]string{
		"TransE":  "a checkpoint of TransE, and import takes those of ComplEx and DistMult, whose scores are products",
		"RotatE":  "its scores are distances, sums of moduli of complex numbers",
		"ConvE":   "its scores come from a network",
		"RESCAL":  "its relations are other matrices",
		"Mystery": "its scores are not known to be such",
	} {
		if err := checkScorer(scorer); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want %q", scorer, err, want)
		}
	}
	for _, c := range []struct{ want, checkpoint string }{
		{"a checkpoint of TuckER,", tensorsFile(t, t.TempDir(), "c.safetensors", matrixOf("entity_representations.0._embeddings.weight", e, n),
			matrixOf("relation_representations.0._embeddings.weight", r, relations), safetensors.From("interaction.core_tensor", make([]float32, d*d*d), d, d, d))},
		{"a checkpoint of TransE,", tensorsFile(t, t.TempDir(), "c.safetensors", matrixOf("ent_embeddings.weight", e, n), matrixOf("rel_embeddings.weight", r, relations))},
		{"a checkpoint of CP,", tensorsFile(t, t.TempDir(), "c.safetensors", matrixOf("lhs.weight", e, n), matrixOf("rel.weight", r, relations), matrixOf("rhs.weight", e, n))},
		{"a checkpoint of SimplE,", tensorsFile(t, t.TempDir(), "c.safetensors", matrixOf("entity_representations.0._embeddings.weight", e, n), matrixOf("entity_representations.1._embeddings.weight", e, n),
			matrixOf("relation_representations.0._embeddings.weight", r, relations), matrixOf("relation_representations.1._embeddings.weight", r, relations))},
		{"are 8 and 3 wide, want rows of equal width", tensorsFile(t, t.TempDir(), "c.safetensors", matrixOf("entity_embedding", e, n), matrixOf("relation_embedding", r[:3*relations], relations))},
	} {
		if _, err := importRing(t, Options{Graph: graph, Checkpoints: []string{c.checkpoint}}); err == nil || !strings.Contains(err.Error(), c.want) {
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
