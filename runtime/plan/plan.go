package plan

import (
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// ABI is the version of the contract between generated plans and this package. It changes
// whenever existing generated code would behave differently; Plan.ABI must equal it.
const ABI = ABI5

// ABI5 exists while ABI is 5. Generated code refers to it, so it does not compile with another version.
const ABI5 = 5

// Plan is the compiled form of a query shape. Generated code declares one per shape; package
// compiler makes one from a formula.
type Plan struct {
	// ABI is the version of this package that the plan was made for.
	ABI int
	// Shape is the canonical text of the shape, such as "r1(s1,e1) & r2(e1,f)".
	Shape string
	// Semantics is the semantics of the answers.
	Semantics model.Semantics
	// Layers is the layers setting that the plan was compiled for, 0 for D+1.
	Layers int
	// Constants, Relations and Filters are the numbers of slots. Disjuncts are the disjuncts of Shape.
	Constants, Relations, Filters int
	Disjuncts                     []scq.Disjunct
	// Sets names the fuzzy sets that Run reports, in order.
	Sets []PlanSet
	// Vectors and Embeddings are the numbers of scratch buffers that Run needs.
	Vectors, Embeddings int
	// Places maps the number of each value in Run to its scratch buffer; if nil, value v is in buffer v.
	Places []int32
	// Distributed says that the plan is for the ranks of a split model: it makes exchanges.
	Distributed bool
	// Run answers one query in a workspace: it delivers the answer and the fuzzy sets, or returns the context's error
	// if it was interrupted.
	Run func(w *Workspace) error
	// Small, if not nil, replaces Run for a float32 table with the access Exact, with SmallPlaces for Places: see
	// Tiles.
	Small       func(w *Workspace) error
	SmallPlaces []int32
	// Degrees, if not nil, is the plan for truth degrees of the same shape, which explains the answers of this one.
	Degrees *Plan
	// Kernels, if not nil, run the plan on a device; generated code attaches them.
	Kernels *device.Kernels
}

// PlanSet names a fuzzy set: a variable of a disjunct.
type PlanSet struct {
	// Disjunct counts from 0.
	Disjunct int
	// Variable is an index into the variables of the disjunct.
	Variable int
}

// Plans returns the plan for a shape: always the same one for the same arguments.
type Plans func(disjuncts []scq.Disjunct, s model.Semantics, layers int) (*Plan, error)

// Attach gives plans the kernels of their shapes. Generated code calls it.
func Attach(plans []*Plan, kernels []*device.Kernels) {
	for _, p := range plans {
		for _, k := range kernels {
			if p.Semantics == k.Semantics && k.Shape == p.Shape && k.Layers == p.Layers {
				p.Kernels = k
			}
		}
	}
}
