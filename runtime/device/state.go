package device

import (
	"cmp"
	"sync/atomic"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/runtime/model"
)

// Tuning configures kernel launches. The zero Tuning suits a GPU.
type Tuning struct {
	// MapThreads is the number of threads of a block that computes entity by entity, at most 256; TopThreads is that
	// of a block that ranks, a power of two. 0 means 256 and 1024.
	MapThreads, TopThreads int
	// Blocks is the number of blocks of a sweep per multiprocessor; 0 means as many as it holds at once. Splits is
	// the number of parts of a batch's sums; 0 means enough for all multiprocessors.
	Blocks, Splits int
	// Together bounds the blocks in the y direction of a grid of truth degrees, for all queries of a batch; each
	// processes several branches, candidates or rows in turn. 0 means 1024.
	Together int
}

func (t Tuning) withDefaults() Tuning {
	t.MapThreads = cmp.Or(t.MapThreads, 256)
	t.TopThreads = cmp.Or(t.TopThreads, 1024)
	t.Together = cmp.Or(t.Together, 1024)
	return t
}

// Device is an open device. It is safe for concurrent use: calls of the driver run one at a time, each on its
// caller's thread.
type Device struct {
	driver cuda.Driver
	tuning Tuning
	turn   chan struct{} // a semaphore of one
	lost   atomic.Bool   // see ErrLost

	// The fields below are for the call that holds turn.

	closed bool
	// recordings has the recordings of all models; clock timestamps their use.
	recordings map[*recording]bool
	clock      int64
	tables     map[string]cuda.Module // shared by all models, by the type of their rows
	apart      bool                   // launch each step of a plan alone
}

// Copy is a copy of a model on a device: entity table, relations, norms and the graph in
// both directions. It is safe for concurrent use.
type Copy struct {
	device *Device
	model  *model.Model
	memory memory
	header modelHeader
	rows   rows

	// The fields below are for the device's calls.

	queries map[string]*Runner // by the plan's semantics, shape and layers
	degrees int                // the number with truth degrees
	fit     cuda.Module        // for truth degrees, nil until a plan needs it
	closed  bool
}

// rows is the device's format of the entity table: the bytes of a number, and the shared memory of a block of a
// matrix product, see the stages in kernels/cuda/src/batch.cuh.
type rows struct {
	suffix      string // of modules and kernels
	bytes       int64
	batchShared int
}

// Runner is a plan on a model on a device. It is safe for concurrent use.
type Runner struct {
	model      *Copy
	plan       *Kernels
	module     cuda.Module // nil for truth degrees
	messages   *Runner     // for a mixture
	recordings map[recordingKey]*recording
}

// recordingKey identifies a recording of a plan.
type recordingKey struct {
	// batch is the number of queries that it answers together, k the length of its rankings.
	batch, k int
	// sets says that it also ranks the fuzzy sets.
	sets bool
	// candidates is the number of candidates of truth degrees.
	candidates int
	// filters is its capacity for filters.
	filters int
}

// recording is a plan's program with memory for several queries, ready to be replayed. Its methods run in calls of
// its device.
type recording struct {
	cuda.Recording
	memory memory
	header runHeader
	// vectors are the answer and the fuzzy sets, lists the ones to rank.
	vectors, lists []int
	// truth is the input's offset for the settings of truth degrees, if any; factors is the address of the
	// temperature factors.
	truth   int
	factors cuda.Pointer
	// filters are the filters on the device, by number.
	filters []model.Selector

	query *Runner
	key   recordingKey
	used  int64 // the last replay, by the device's clock
}

// degreeRecorder adds truth degrees to a recording: their memory, and launches after message passing.
type degreeRecorder struct {
	*layout
	query     *Runner
	model     *Copy
	what      string
	mapBlocks int         // of kernels over entities
	scores    cuda.Launch // of a sweep that makes rows
	resident  int         // the blocks of it that the device holds at once
	together  int64       // the rows of a sweep that a block makes at a time

	// The addresses of the ops' description, of the packed rows of a batch, and of the layout's frames.
	base, packed, frames cuda.Pointer

	bytes      []byte // the contents of the memory at base
	packedRows int64  // the most that a launch packs
	launches   []cuda.Launch
}
