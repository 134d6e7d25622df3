// Package codegen holds what all code generators share: the names of generated things, and how Go files
// and composite literals are printed.
//
// Its sub-packages are the back ends, one per target language. A back end takes checked queries,
// compiles each shape once, and prints code that links only against the runtime. The same input
// gives the same bytes. gogen prints types and plans in Go; cugen prints CUDA kernels that answer
// for the same types on a GPU.
package codegen
