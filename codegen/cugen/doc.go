// Package cugen prints CUDA C++: for every query shape the kernels that answer it,
// fused for the shape, and how to launch them.
//
//	file.go    a file of templates: its .cu files, and the Go file that embeds them
//	plan.go    a shape: its kernels, for one query and for batches
//	lower.go   when each value of a plan is computed
//	place.go   where it is kept: numbers of vectors, embeddings and sums
//	stat.go    what is reduced of whole vectors
//	stage.go   the kernels that follow from it
//	fuzzy.go   a kernel that computes entity by entity: its text
//	table.go   a kernel that reads the entity table: its text
//
// Two values share a kernel if neither needs a whole vector of the other. Between
// two passes over the entity table that leaves a few kernels: normalising needs the
// sum of a vector first, a row of the graph the vector itself.
//
// What is printed includes the sources of kernels/cuda alone; package
// runtime/device runs it. The Go file attaches the kernels to the plans that gogen
// prints for the same templates, so that the types of those answer on a device once
// they are bound to a model there.
package cugen
