// Package cugen prints CUDA C++: for every query shape the kernels that answer it,
// fused for the shape, and how to launch them.
//
// Two values share a step if neither needs a whole vector of the other. Between
// two passes over the entity table that leaves a few steps: normalising needs the
// sum of a vector first, a row of the graph the vector itself. They are one kernel, which is
// launched for each of them.
//
// What is printed includes the sources of kernels/cuda alone; package
// runtime/device runs it. The Go file attaches the kernels to the plans that gogen
// prints for the same templates, so that the types of those answer on a device once
// they are bound to a model there.
package cugen
