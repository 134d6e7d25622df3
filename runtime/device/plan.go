package device

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/runtime/model"
)

// ABI is the version of the contract between generated kernels and this package. It changes
// whenever existing kernels would behave differently; Kernels.ABI must equal it.
const ABI = ABI9

// ABI9 exists while ABI is 9. Generated code refers to it, so it does not compile with another version.
const ABI9 = 9

// ErrABI is wrapped by the error for code that was generated for another version of the runtime.
var ErrABI = errors.New("generated for another version of the runtime")

// Kernels is the compiled form of a query shape for a device: its kernels, with the launches of these and of the
// shared kernels. Package codegen/cugen makes it.
type Kernels struct {
	// ABI is the version of this package that the kernels were made for.
	ABI int
	// Name is the prefix of the kernels' names.
	Name string
	// Shape is the canonical text of the shape, Layers the layers setting that it was compiled for, 0 for D+1.
	Shape  string
	Layers int
	// Semantics is the semantics of the answers.
	Semantics model.Semantics
	// Constants, Relations and Filters are the numbers of slots.
	Constants, Relations, Filters int
	// Text is the CUDA C++ of the kernels. If it is empty, the text is File in Files.
	Text  string
	Files fs.FS
	File  string
	// Compiled contains Archive, the compiled kernels of File and others (see cuda.Pack); nil means that they are
	// compiled when loaded.
	Compiled fs.FS
	Archive  string
	// Program answers queries.
	Program Program
	// Degrees, if not nil, replaces Program: shared kernels run it, so the plan has no text. For a mixture, Messages
	// is the plan of message passing of the same shape.
	Degrees  *Degrees
	Messages *Kernels
}

// Program is a sequence of launches with its memory: the numbers of vectors, embeddings and reductions.
type Program struct {
	Vectors, Embeddings, Stats int
	// Scores and Sums are the results of sweeps of the entity table.
	Scores []Score
	Sums   []Sum
	// Lists are the vectors to rank: the answer, then the fuzzy sets.
	Lists    []int
	Launches []Launch
}

// None is the number of a missing slot, embedding or vector.
const None = -1

// Score is a vector of scores: products of the table's rows with an embedding, possibly projected by a relation.
type Score struct {
	Kind ScoreKind
	// Constant is the slot of the entity, Embedding the number of the embedding; one of them is None.
	Constant, Embedding int
	// Relation is the slot of the relation, or None. Backward conjugates it; Negated multiplies the score by -1.
	Relation          int
	Backward, Negated bool
	// Vector is the number of the vector, Stat the number of its softmax statistic, or None.
	Vector, Stat int
}

// ScoreKind is the kind of a score.
type ScoreKind uint8

// The kinds of scores: an inner product, a cosine, and the score of an entity with itself.
const (
	Product ScoreKind = iota
	Cosine
	Loop
)

// String returns the name of the kind in Go.
func (k ScoreKind) String() string { return [...]string{"Product", "Cosine", "Loop"}[k] }

// Sum is an embedding: the sum of the table's rows, weighted by a vector.
type Sum struct{ Vector, Embedding int }

// Launch runs the kernel of some steps, or makes Count scores or sums of the program, starting at First. Loop scores
// come last.
type Launch struct {
	Kind Kind
	// Kernel runs Count steps.
	Kernel       string
	First, Count int
}

// Kind is the kind of a launch.
type Kind uint8

// The kinds of launches. A step computes entity by entity, after all entities of the previous step. For one query, a
// single launch makes all steps, and a program's last one also ranks. Scores and Sums are sweeps of the entity table.
const (
	Steps Kind = iota
	Scores
	Sums
)

// String returns the name of the kind in Go.
func (k Kind) String() string { return [...]string{"Steps", "Scores", "Sums"}[k] }

// Source returns the kernels, compiled if possible.
func (p *Kernels) Source() (cuda.Source, error) {
	s := cuda.Source{Name: p.Name + ".cu", Text: p.Text}
	if p.Files != nil {
		text, err := fs.ReadFile(p.Files, p.File)
		if err != nil {
			return s, fmt.Errorf("kernels: %w", err)
		}
		s.Name, s.Text = p.File, string(text)
	}
	if p.Compiled == nil {
		return s, nil
	}
	var err error
	s.Compiled, err = fs.ReadFile(p.Compiled, p.Archive)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return s, err
}

// AddCompiled attaches the archive of compiled kernels to plans, if it exists; generated files call it.
func AddCompiled(plans []*Kernels, files fs.FS, archive string) {
	for _, p := range plans {
		p = cmp.Or(p.Messages, p)
		p.Compiled = files
		p.Archive = archive
	}
}
