// Package device runs plans on a device other than the processor: it owns the
// device's memory, brings models there, and answers queries with the kernels that
// package codegen/cugen makes.
//
// A program opens a device, brings its models there, and binds generated queries to
// those instead of the models in main memory; the templates must have been compiled
// by efoc generate --cuda. Everything else stays as it is:
//
//	gpu, err := nvidia.Open() // in a build with the tag cuda
//	...
//	defer gpu.Close()
//	onGPU, err := m.On(gpu) // m is the *query.Model
//	...
//	defer onGPU.Close()
//	q, err := atlas.NewNewLanguages(onGPU)
//	...
//	r, err := q.Answer(ctx, atlas.NewLanguagesParams{Country: france}, query.Options{})
//
// Queries that are bound to m answer on the processor meanwhile. A Query needs no
// closing: what it has on the device goes when its Model is closed, and answers are
// errors from then on. A device is closed after its models, m after both.
//
// Binding loads the kernels of a shape, once for a model. Where efoc generate found no
// compiler for them, they are compiled then, which takes many seconds a shape.
//
// What a query's own names decide, which the processor computes once when the query
// is bound, is computed with each answer here. Batches share their passes over the entity table
// where answers are by message passing; truth degrees are computed one query after the
// other, by kernels that all plans share.
//
// What plans need of a device's memory they keep until others want it: those used longest ago make
// room first. What does not fit even so is a RoomError. A device that has failed for good, as by
// a fault of a kernel, says ErrLost from then on.
//
// It knows no driver: it asks a cuda.Driver, and builds and is tested without a GPU.
package device
