// Package model holds the contents of a bundle: the observed graph, the link predictor, the names, the values of
// entities, and the settings. Packages graph, names, table and values hold the parts and know no Model.
//
//	bundle.go, bundleread.go, save.go   the file: safetensors with a manifest and checksums
//	open.go                             maps or copies the file, and checks it in one pass
//	replay.go                           applies the journal beside the bundle
//	change.go                           a model with changed facts that shares everything else
//	predictor.go                        the entity table and the maps of relations
//	shard.go, shardfile.go              parts of a split model, and their files
//	grow.go                             adds entities, as a snapshot
//	modelnames.go, modelvalues.go       look up names, prefixed names, ids and values
//	settings.go, degrees.go, ranges.go  hyper-parameters and their ranges
//
// A Model is immutable; With returns one with changed facts. Package runtime answers queries; this one does not.
// Below it, importer and train make models, and exact finds exact answers.
package model
