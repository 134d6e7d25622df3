// Package cugen prints CUDA C++: for every query shape the kernels that answer it,
// fused for the shape, and says how to launch them.
//
//	lower.go   when each value of a plan is computed, and where it is kept
//	stage.go   the kernels that follow from it
//	emit.go    a kernel: its text
//
// Two values share a kernel if neither needs a whole vector of the other. Between
// two passes over the entity table that leaves a few kernels: normalising needs the
// sum of a vector first, a row of the graph the vector itself.
//
// What is printed includes the sources of kernels/cuda alone; package
// runtime/device runs it.
package cugen
