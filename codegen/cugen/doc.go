// Package cugen prints CUDA C++: for every query shape, fused kernels for the element-wise ops between sweeps
// of the entity table, and the launches of these and of the kernels that all shapes share.
//
// Two values share a step if neither needs the whole vector of the other. That leaves a few steps between two
// sweeps: normalising needs the sum of a vector, and a row of the graph needs the vector itself. The steps
// between two sweeps form one kernel: for one query, a single cooperative launch runs them all; for a batch,
// each step is a launch.
//
// Printed code includes only the sources of kernels/cuda; package runtime/device runs it, with the kernels of
// kernels/cuda/table. The Go file attaches the kernels to the plans that gogen prints for the same templates.
// The types of those plans answer on a device if they are bound to a model there.
package cugen
