// Package importer makes bundles: it reads a knowledge graph and the checkpoint of a trained link predictor in the
// usual formats, checks that they match, and saves them as one file for package model.
//
// It is separate from package model so that compiled plans do not link readers of foreign
// formats. It trusts no input: it decodes pickles without executing them, and checks every
// length against the bytes present. It knows nothing of queries.
//
// Graphs are BetaE folders (both directions, integers), FIT folders (kgindex.json; only
// train_kg.tsv is observed), folders of LibKGE and PyKEEN, folders or single files of named
// triples with id tables, and single files of integer triples. Triples are lines, CSV, or
// RDF. Text may be compressed with gzip, zstd or bzip2.
//
// A file of facts goes through these stages, each of which knows only the next: format.go opens it and chooses a reader
// by its name; the reader (csv.go, rdf.go, ...) converts its bytes to fields; statements.go makes
// facts, values and labels of these; a sink assigns ids and keeps them, or calls a function with each.
//
// Checkpoints are safetensors files, and PyTorch files since version 1.6. Trainers
// differ in three ways: whether complex numbers are halves or interleaved, where inverse relations are, and the order
// of the rows. The importer detects the first two by scoring the graph's triples, see Layout. Rows are ordered by the
// graph's ids unless there is a table of names beside the checkpoint.
//
// ComplEx and DistMult are supported, see Parts. Other scorers are refused by name.
package importer
