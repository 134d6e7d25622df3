// Package device runs plans on a device other than the processor. It manages the device's
// memory, copies models there, and answers queries with the kernels that package
// codegen/cugen makes.
//
// A program opens a device, copies its models there, and binds generated queries to the
// copies. The templates must have been compiled by efoc generate --cuda. Nothing else
// changes:
//
//	gpu, err := nvidia.Open() // in a build with the tag cuda
//	...
//	defer gpu.Close()
//	onGPU, err := m.On(gpu) // m is the *runtime.Model
//	...
//	defer onGPU.Close()
//	q, err := atlas.BindNewLanguages(onGPU)
//	...
//	r, err := q.Answer(ctx, atlas.NewLanguagesParams{Country: france}, runtime.Options{})
//
// Queries bound to m still run on the processor. A Runner needs no closing: closing its Copy
// frees its device memory, and later answers are errors. Close a device after its models,
// and m after both.
//
// Binding loads the kernels of a shape once per model, and the shared kernels once per device. If efoc generate found
// no compiler for a shape, it is compiled then, in about a second.
//
// Batches share sweeps of the entity table. All plans share the kernels of truth degrees.
//
// Plans keep their device memory until others need it; the least recently used are evicted first. A batch that does
// not fit even then is answered in parts. If a single query does not fit, the error is a RoomError. After a fatal
// fault, for example in a kernel, every answer is ErrLost.
//
// The package calls a cuda.Driver and knows no particular one; it builds and is tested without a GPU.
package device
