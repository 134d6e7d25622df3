// Package tune chooses settings for each query shape by how well a model answers validation
// queries with them.
//
//	Run        the MRR of every query under every setting of a grid
//	choose     the best setting, if it is better by more than chance -> Report
//
// It knows query sets, the compiler, the runtime, and the ranks of package eval. It knows
// neither flags nor terminals, and writes no bundle.
//
// # The grid
//
// Message passing: every shape runs with every w and every L, also with L = D if its variables
// form a cycle, and with every α if it has a negated atom between two variables. Otherwise α
// makes no difference while it is below n: N(α/n − s·M) is the same for all α if s is one-hot. λ
// is free: the answer is λ·s + (1−λ)·c, where s and c depend only on the other settings, so one
// run of a plan gives the ranks under every λ.
//
// Truth degrees: every shape runs with every τ and every θ, with every ν if it has a negated
// atom, with every K if an atom has two variables, and with every φ if no entity
// informs an existential variable. In the mixture g is free: one run of each semantics gives the ranks under every
// g. Message passing uses the model's settings for the shape, and runs once.
//
// The grid always contains the model's own settings.
//
// # The choice
//
// Let g be the gain in MRR of a setting over the model's own, query by query. The best setting
// has the greatest mean of g minus its standard error, so among equally good settings the one
// that is better throughout wins. Time grows with K. Among settings that differ only in K, the
// smallest K wins unless the best setting is better by more than the standard error of that gain.
//
// The best of a thousand settings looks good by chance, so its gain on the queries that chose it
// says little. Therefore the choice is repeated for each of k folds, by the queries outside it,
// and the gain is measured on the queries in it. A shape gets its own settings only if the mean
// of these gains exceeds its standard error. Reports state this held-out gain. Test queries play
// no part.
//
// Generated plans have one number of layers, usually D+1. If another number wins, the best
// settings with D+1 are stored after it, provided that they pass the same test.
package tune
