// Package device runs plans on another device than the processor: it owns the
// device's memory, brings models there, and answers queries with the kernels that
// package codegen/cugen makes.
//
//	device.go   a device and the one thread that talks to it
//	memory.go   what is allocated, checked before it is taken
//	model.go    a model on the device
//	layout.go   the structures that kernels read
//	plan.go     what cugen hands over
//	query.go    a plan on a model: it answers
//	record.go   the memory and the launches of a plan
//
// It knows no driver: it asks a cuda.Driver, and builds and is tested without a GPU.
package device
