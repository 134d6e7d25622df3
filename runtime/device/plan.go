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
// whenever existing kernels would behave differently; Plan.ABI must equal it.
const ABI = ABI6

// ABI6 is there while ABI is 6. Generated code refers to it, so that it does not compile with another
// version.
const ABI6 = 6

// ErrABI is wrapped by the error for code that was generated for another version of the runtime.
var ErrABI = errors.New("generated for another version of the runtime")

// Plan is the compiled form of a query shape for a device: its kernels and how to
// launch them. Package codegen/cugen makes it.
type Plan struct {
	// ABI is the version of this package for which the kernels were made.
	ABI int
	// Name is the prefix of the kernels' names.
	Name string
	// Shape is the canonical text of the shape, Layers the setting it was compiled
	// for, 0 for D+1.
	Shape  string
	Layers int
	// Semantics is the semantics of the answers.
	Semantics model.Semantics
	// Constants and Relations are the numbers of slots.
	Constants, Relations int
	// Text is the CUDA C++ of the kernels. If it is empty, the text is File in Files.
	Text  string
	Files fs.FS
	File  string
	// Compiled has Archive, the compiled kernels of File and others (see cuda.Pack), unless
	// they are compiled when they are loaded.
	Compiled fs.FS
	Archive  string
	// Single answers one query, Batch many at once.
	Single, Batch Program
	// Degrees, if not nil, answer in their place, one query after the other: by kernels
	// that all plans share, so that the plan has no text. Of a mixture, Messages is the
	// plan of message passing for the same shape.
	Degrees  *Degrees
	Messages *Plan
}

// program returns the kernels that answer so many queries at once.
func (p *Plan) program(batch int) *Program {
	if batch > 1 {
		return &p.Batch
	}
	return &p.Single
}

// Program is a sequence of kernels and the memory they need: numbers of vectors, embeddings,
// reductions, sums of rows, corrections and packed queries.
type Program struct {
	Vectors, Embeddings, Stats, Partials, Coefficients, Packed int
	// Lists are the vectors that are ranked: the answer, then the fuzzy sets.
	Lists    []int
	Launches []Launch
}

// Launch is a kernel of a program.
type Launch struct {
	Kernel string
	Kind   Kind
	// Count is the number of scores of a pass, of states whose residuals are summed, or of
	// steps.
	Count int
}

// Kind is the kind of a kernel, which decides how it is launched.
type Kind uint8

// The kinds of kernels.
const (
	// Steps computes entity by entity, and combines sums of rows, in steps that wait for those
	// before: a cluster of blocks makes all, or each is launched alone.
	Steps Kind = iota
	// Pass reads the entity table: scores, and sums of rows. Differences reads the
	// rows where the estimates are off, by the whole device: there may be thousands.
	Pass
	Differences
	// Pack writes what the passes of a batch multiply the table with, PackState a vector
	// that weighs its rows; Products and Embeds multiply them.
	Pack
	PackState
	Products
	Embeds
)

// String returns the name of the kind in Go.
func (k Kind) String() string {
	return [...]string{"Steps", "Pass", "Differences", "Pack", "PackState", "Products", "Embeds"}[k]
}

// table reports whether the kernel has a variant for each type of table.
func (k Kind) table() bool { return k != Steps }

// Source returns the kernels, compiled if they have been.
func (p *Plan) Source() (cuda.Source, error) {
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
	if s.Compiled, err = fs.ReadFile(p.Compiled, p.Archive); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return s, err
}

// AddCompiled assigns plans the archive of their compiled kernels, if it exists; generated
// files call it.
func AddCompiled(plans []*Plan, files fs.FS, archive string) {
	for _, p := range plans {
		p = cmp.Or(p.Messages, p)
		p.Compiled, p.Archive = files, archive
	}
}
