// Package tune chooses settings for each query shape by how well a model answers
// validation queries with them.
//
//	Run        the MRR of every query under every setting of a grid
//	choose     the best setting, if it is better by more than chance -> Report
//
// It knows query sets, the compiler, the runtime, and the ranks of package eval. It
// knows neither flags nor terminals, and it writes no bundle.
//
// # What is asked
//
// Of message passing, every shape is asked with every w and every L, with L = D besides if
// its variables form a cycle, and with every α if it has a negated atom between two
// variables. Without one α makes no difference
// while it is below n: N(α/n − s·M) is the same for all of them where s is one-hot. λ is
// free: the answer is λ·s + (1−λ)·c, where s and c depend on the other settings alone, so
// one run of a plan gives the ranks under every λ.
//
// Of truth degrees, every shape is asked with every τ and every θ, with every ν if it has
// a negated atom, with every K if an atom has two variables, and with every φ if an
// existential variable is unanchored. In the mixture g is free: one run of each
// semantics gives the ranks under every g. Message passing has the settings that the
// model holds for the shape, and runs once.
//
// The model's own settings are always among the grid.
//
// # What is chosen
//
// Let g be the gain in MRR of a setting over the model's own, query by query. The
// best setting is the one with the greatest mean of g less its standard error: of
// settings that are about as good the one wins that is better throughout. Time grows
// with K, so of settings that differ in K alone the least K wins of those than which the
// best is not better by more than the standard error of that gain.
//
// The best of a thousand settings looks good by chance alone, so its gain on the
// queries it was chosen by says little. Therefore the choice is made again for each
// of k folds, by the queries outside it, and the gain is measured on the queries in
// it. A shape gets its own settings only if the mean of these gains exceeds its
// standard error; otherwise it keeps the model's. The held-out gain is what reports
// say, and test queries have no part in any of this.
//
// Generated plans are made for one number of layers, mostly D+1. Where another wins,
// the best settings with D+1 follow it, if they pass the same examination.
package tune
