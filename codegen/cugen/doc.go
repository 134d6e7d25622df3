// Package cugen prints CUDA C++: for every query shape, the kernels that compute entity by entity
// between sweeps of the entity table, fused for the shape, and how to launch them and those that
// all shapes share.
//
// Two values share a step if neither needs the whole vector of the other. That leaves a few
// steps between two sweeps: normalising needs the sum of a vector first, a row of the graph needs
// the vector itself. The steps between two sweeps are one kernel: of one query a cooperative launch
// makes all of them, of a batch each is a launch.
//
// Printed code includes only the sources of kernels/cuda; package runtime/device runs it, with the
// kernels of kernels/cuda/table. The Go file attaches the kernels to the plans that gogen prints for
// the same templates. The types of those plans answer on a device once they are bound to a model
// there.
package cugen
