package plan

import (
	"context"
	"slices"

	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/largepages"
	"github.com/efoc/efoc/runtime/internal/sweep"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/scq"

	"github.com/efoc/efoc/kernels"
)

// Workspace holds everything that a run of a plan needs: the model, the bindings of one query, and reusable scratch
// buffers. Its methods are the ops of the plan language. Each computes the value dst from its operands and returns
// dst; element-wise ops allow dst and an operand to share a buffer. None allocates. A Workspace serves one goroutine
// at a time.
//
// Errors stick: once Err is not nil, ops that read the whole table do nothing, and the results of other ops are
// ignored. Plans return Err at the end.
type Workspace struct {
	drive.State
	model    Host
	access   Access
	settings model.Settings
	bindings scq.Bindings

	vectors    []Vector
	embeddings []Embedding
	places     []int32 // see Plan.Places
	constants  []constantRow
	residual   sweep.Residual
	sweep      Sweep
	tiles      Tiles
	degrees    *fit.Machine // created on first use
	written    []written    // vectors that degrees were written to

	ranksAll  bool // rank all entities, not only the best: read rows instead of codes
	ranksMany bool // make all truth degrees exact
	wantsSets bool // the caller reads Sets
	answer    Vector
	readout   readout // the pending answer, if any
	bounds    bounds
	sets      []Vector
	ofSets    []*fit.Set // the degrees of each set, nil if it has none
}

// constantRow holds the embedding of a constant if the table is not float32.
type constantRow struct {
	entity graph.EntityID // -1 before the first query
	row    Embedding
}

// newWorkspace allocates the buffers of a plan, the vectors in one block.
func newWorkspace(m Host, p *Plan) *Workspace {
	n := m.NumEntities()
	w := &Workspace{model: m}
	block := largepages.Make[float32](p.Vectors * n)
	for i := range p.Vectors {
		w.vectors = append(w.vectors, block[i*n:(i+1)*n:(i+1)*n])
	}
	w.ensure(p)
	return w
}

// ensure allocates everything that a plan needs besides vectors.
func (w *Workspace) ensure(p *Plan) {
	width := 2 * w.model.Predictor.Rank
	if more := p.Embeddings - len(w.embeddings); more > 0 {
		block := make([]float32, more*width)
		for i := range more {
			w.embeddings = append(w.embeddings, block[i*width:(i+1)*width:(i+1)*width])
		}
	}
	if w.model.Predictor.EntityTable.Type() != table.Float32 || w.model.part != nil { // otherwise the table holds them
		for len(w.constants) < p.Constants {
			w.constants = append(w.constants, constantRow{entity: -1, row: make(Embedding, width)})
		}
	}
	w.sets = slices.Grow(w.sets[:0], len(p.Sets))[:len(p.Sets)]
	w.ofSets = slices.Grow(w.ofSets[:0], len(p.Sets))[:len(p.Sets)]
}

// move moves an idle workspace to a model with other facts, or with other rows of the entities that Lent added.
func (w *Workspace) move(to Host) {
	if w.model.Model != to.Model {
		for i := range w.constants {
			w.constants[i].entity = -1
		}
	}
	w.model = to
}

// begin starts a run, alone if d is nil.
func (w *Workspace) begin(ctx context.Context, d *drive.Run) {
	w.access = w.model.Access()
	w.sweep.reader.Start()
	w.Begin(ctx, d)
	w.Workers = w.model.Pool()
}

// release drops references to the answered query.
func (w *Workspace) release() {
	if w.degrees != nil {
		w.degrees.Release()
	}
	clear(w.sets)
	clear(w.ofSets)
	w.End()
	clear(w.written)
	w.bindings = scq.Bindings{}
	w.answer = nil
	w.places = nil
	w.written = w.written[:0]
	w.readout = readout{room: w.readout.room}
	w.bounds.end()
}

// Model returns the model that the plan runs on.
func (w *Workspace) Model() *model.Model { return w.model.Model }

// Settings returns the hyper-parameters of this run.
func (w *Workspace) Settings() model.Settings { return w.settings }

// Bindings returns the values of the plan's slots in this run.
func (w *Workspace) Bindings() scq.Bindings { return w.bindings }

// Degrees returns the machine that computes truth degrees in this workspace.
func (w *Workspace) Degrees() *fit.Machine {
	if w.degrees == nil {
		w.degrees = fit.NewMachine(w.model.rows, &w.State)
	}
	return w.degrees
}

// StartDegrees starts a run of a plan of truth degrees. On a small table, or for many answers, it makes all rows: finding
// out which of them the best answers need takes longer.
func (w *Workspace) StartDegrees() *fit.Machine {
	m := w.Degrees()
	best := !w.ranksMany && w.access != Exact
	m.Start(w.model.Model, w.settings.Degrees, fit.Want{Best: best, Sets: w.wantsSets, Floats: w.access.Floats})
	return m
}

// Constant returns the entity in constant slot i, counted from 0.
func (w *Workspace) Constant(i int) graph.EntityID { return w.bindings.Constants[i] }

// Relation returns the relation in relation slot i, counted from 0.
func (w *Workspace) Relation(i int) graph.RelationID { return w.bindings.Relations[i] }

// Filter returns the entities in filter slot i, counted from 0.
func (w *Workspace) Filter(i int) *model.Selection { return w.bindings.Filters[i] }

// Answer returns the answer that the plan delivered.
func (w *Workspace) Answer() Vector { return w.answer }

// Sets returns the fuzzy sets that the plan delivered.
func (w *Workspace) Sets() []Vector { return w.sets }

// SetAnswer delivers the plan's answer, to be read before the workspace is reused.
func (w *Workspace) SetAnswer(x Vec) {
	w.answer = w.Vector(x)
	if w.degrees != nil {
		w.degrees.Answer(w.source(x))
	}
}

// SetFuzzySet delivers fuzzy set i of Plan.Sets.
func (w *Workspace) SetFuzzySet(i int, x Vec) { w.sets[i], w.ofSets[i] = w.Vector(x), w.source(x) }

// SetVectors delivers an answer and fuzzy sets computed elsewhere.
func (w *Workspace) SetVectors(answer Vector, sets []Vector) {
	w.answer = answer
	copy(w.sets, sets)
}

// OneHot computes the vector that is 1 at e and 0 elsewhere.
func (w *Workspace) OneHot(dst Vec, e graph.EntityID) Vec {
	to := w.Vector(dst)
	clear(to)
	if row, mine := w.Part.Local(int32(e)); mine {
		to[row] = 1
	}
	return dst
}

// Factors computes the degree to which each entity meets a filter.
func (w *Workspace) Factors(dst Vec, f *model.Selection) Vec {
	f.Factors(w.Vector(dst))
	return dst
}

// Neighbors computes row e of the adjacency of r, or of its transpose.
func (w *Workspace) Neighbors(dst Vec, e graph.EntityID, r graph.RelationID, d graph.Direction) Vec {
	kernels.Neighbors(w.Vector(dst), w.model.Graph.Tails(e, r.Toward(d)))
	return dst
}

// Loops computes the diagonal of the adjacency of r.
func (w *Workspace) Loops(dst Vec, r graph.RelationID) Vec {
	heads, tails := w.model.Graph.Edges(r)
	kernels.Loops(w.Vector(dst), heads, tails, w.Part.Global(0))
	return dst
}

// Ends computes the indicator of the heads of the facts of r, or of their tails.
func (w *Workspace) Ends(dst Vec, r graph.RelationID, d graph.Direction) Vec {
	// The heads of r are the tails of its inverse, which a part indexes by its own entities.
	_, ends := w.model.Graph.Edges(r.Toward(d).Inverse())
	kernels.Neighbors(w.Vector(dst), ends)
	return dst
}

// Project computes ±r⊗x, or ±conj(r)⊗x backward. dst and x must not share a buffer.
func (w *Workspace) Project(dst, x Emb, r graph.RelationID, d graph.Direction, s graph.Sign) Emb {
	kernels.Project(w.Embedding(dst), w.Embedding(x), w.model.Predictor.Relation(r), bool(d), bool(s))
	return dst
}

// Traverse computes x·M_r, or x·M_rᵀ backward. dst and x must not share a buffer.
func (w *Workspace) Traverse(dst, x Vec, r graph.RelationID, d graph.Direction) Vec {
	if w.Part != nil {
		from := w.Vector(x)
		w.Part.AddLinks(w.Vector(dst), w.model.Graph, r.Toward(d), func(row int32) float32 { return from[row] })
		return dst
	}
	heads, tails := w.model.Graph.Edges(r)
	if d == graph.Backward {
		heads, tails = tails, heads
	}
	kernels.Traverse(w.Vector(dst), w.Vector(x), heads, tails)
	return dst
}
