// Package cost estimates what a plan costs on tables of a given size: the bytes that
// must move, the floating-point operations, and, given the constants of a
// machine, the time.
//
// The model is a roofline of two levels. A sweep streams the entity table from
// memory once; while a block of rows is in the cache, everything that needs it is
// computed at the speed of the cache. All else works on vectors of n numbers,
// which stay in the cache, and on the edges of a relation:
//
//	seconds = Σ over sweeps  table bytes / Bandwidth + (FLOPs − one dot a row) / FLOPS
//	        + vector bytes / Vectors + exponentials / Exps
//	        + scalar steps / Scalars + edges / Edges
//
// One dot a row is hidden behind the memory that it waits for. The rows that a
// residual reads depend on the data; the model assumes a share of them.
//
// A row of truth degrees is a sweep of one inner product, rows of K candidates one of
// K: from four on a product of matrices, which reads the table in another order, at
// ProductBandwidth. The degrees of each are computed from its scores on all threads. All
// else walks lists of entities, in scalar steps: how much rows list, and in how many
// branches of the cutset there is work, depends on the data, and the model assumes a
// share. Rows that the runtime has kept from earlier queries cost nothing;
// what is predicted is the plan that makes all of its rows.
//
// The package measures and counts; it compiles nothing and runs no plans.
package cost
