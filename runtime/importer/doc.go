// Package importer makes bundles: it reads a knowledge graph and a pre-trained
// ComplEx checkpoint in the formats that people have them in, checks that they
// belong together, and saves them as one file for package runtime.
//
// It is apart from package runtime so that compiled plans do not link readers
// for foreign formats. Nothing that it reads is trusted: pickles are decoded
// but never executed, and no length is believed before it was compared with the
// bytes that are there. It knows nothing of queries.
//
// Graphs are BetaE folders (both directions, integers), FIT folders
// (kgindex.json), folders or single files of named triples with id tables, and
// single files of integer triples. Checkpoints are safetensors files and
// PyTorch files, zipped or of the form used before version 1.6.
package importer
