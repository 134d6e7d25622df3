// Package pickle reads and writes Python pickles of plain data: a dict whose keys
// and values are made of integers, texts, tuples, lists and sets. BetaE keeps its
// queries, answers and names so. Nothing is executed: of classes it knows
// collections.defaultdict and set, and any other class, opcode or type is refused
// with its place in the file.
//
// Answer files are large, so values are a few bytes each and stand in flat arrays,
// and entries are handed over while the file is read. PyTorch's pickles, which are
// full of objects, are none of this package's business.
package pickle
