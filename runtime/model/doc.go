// Package model holds what a bundle holds: the observed graph, the link predictor, the
// names, and the settings that the model is to be used with.
//
//	bundle.go, bundleread.go, save.go   the file: safetensors with a manifest, checksums
//	open.go                             mapped or copied, checked in one pass
//	replay.go                           with the facts of the journal beside the bundle
//	graph.go                            facts, sorted by relation and head, both ways
//	change.go                           the same with other facts, sharing all rows but theirs
//	table.go                            rows of float32, bfloat16 or float16 numbers
//	shard.go, shardfile.go              parts of a model that is split, and their files
//	tensorwriter.go                     a bundle that is written without being in memory
//	resident.go                         what of a mapped bundle stays in memory
//	grow.go                             more entities, as a snapshot
//	names.go, nearest.go                names to ids and back, and what was meant
//	settings.go, degrees.go, ranges.go  hyper-parameters and their ranges
//
// A Model is immutable; With makes another of other facts. The package knows nothing of queries: package query answers them,
// and the packages below it make models (importer, train) and check answers (exact).
package model
