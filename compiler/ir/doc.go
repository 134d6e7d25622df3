// Package ir is the plan language between the compiler's front end and its back ends. A plan is the
// straight-line code, in static single assignment form, that evaluates a query shape. There are two semantics
// and a mixture of both: message passing, unrolled over layers, and truth degrees, which package fit of the
// runtime defines.
//
// A Plan is a list of Values in execution order. A value applies one Op to earlier values and to slots.
// Constant slots (s1, s2, …) and relation slots (r1, r2, …) are filled at query time, so one plan serves every
// query of its shape. Values of message passing are whole arrays: an embedding (2d numbers) or a fuzzy vector
// over the entities (n numbers). The size of a truth-degree value is known only once it has been computed: a
// sparse list of degrees, the best entities of a variable, a row for each of them, or the branches of
// enumerated variables. The number K of best entities is a run-time setting, so one plan serves the exact
// method and every bounded one.
//
// One table (op.go) states what each op computes, takes, returns and costs. Tests check the printer, the
// parser, the verifier, the interpreter and every back end against it. A new op that maps vectors to a vector
// touches five files: op.go, runtime/plan/fuzzy.go for the method that generated code calls,
// compiler/internal/interpreted/calls.go for the same call, compiler/reference/ops.go for the plain loop
// to test it by, and codegen/cugen/fuzzy.go for devices. An op of truth degrees touches op.go and
// calls.go, runtime/fit/ops.go for the method, compiler/reference/degrees.go for the loop, and for
// devices a row in runtime/device/degrees.go with the kernel that it names, in kernels/cuda/fit/fit.cu.
//
// The package is independent of models, of execution, and of how queries become plans.
package ir
