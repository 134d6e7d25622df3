// Package codegen holds the tests of all stages of the compiler together. Its sub-packages are the back ends, one per
// target language. A back end takes checked queries, compiles each shape once, and prints code that links only against
// the runtime. Output is deterministic. gogen prints types and plans in Go; cugen prints CUDA kernels that run the same
// types' queries on a GPU.
package codegen
