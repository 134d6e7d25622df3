// Package importer makes bundles: it reads a knowledge graph and a pre-trained
// ComplEx checkpoint in the usual formats, checks that they belong together, and
// saves them as one file for package model.
//
// It is separate from package model so that compiled plans do not link readers
// for foreign formats. It trusts nothing that it reads: pickles are decoded but
// never executed, and every length is checked against the bytes that are there. It
// knows nothing of queries.
//
// Graphs are BetaE folders (both directions, integers), FIT folders
// (kgindex.json; only train_kg.tsv is observed), folders of LibKGE and PyKEEN,
// folders or single files of named triples with id tables, and single files of integer
// triples. Triples are lines, CSV, Parquet, Turtle, N-Triples or N-Quads. All text may be
// compressed with gzip, zstd or bzip2. Every format is read as a stream, and gives its facts
// to one tripleReader, which finds ids and keeps them.
//
// Checkpoints are safetensors files, PyTorch files since version 1.6, and
// DGL-KE's pairs of NumPy files. Three things differ
// between the trainers that write them: whether complex numbers are halves or
// alternate, where inverse relations are, and the order of the rows. The first
// two are found by scoring the graph's triples, see Layout; the order is that of
// the graph's ids unless a table of names lies beside the checkpoint.
//
// DistMult and CP are taken too, as ComplEx with the same scores: see Parts. Other scorers
// are refused by name.
package importer
