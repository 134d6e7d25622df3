// Package pickle reads and writes Python pickles, as data: nothing is imported,
// called or executed. Classes are their names, what Python would call becomes an
// Object of the name and the arguments, and a reference to data outside the
// pickle is the identifier that it has there. What the names mean is up to the
// reader: package importer makes tensors of PyTorch's few.
//
// Load reads any pickle of the protocols 0 to 5. ReadDict is for BetaE, which keeps
// its queries, answers and names as a dict whose keys and values are made of
// integers, texts, tuples, lists and sets. Of classes it knows
// collections.defaultdict and set, and it refuses any other class, opcode or type.
//
// Answer files are large, so values are a few bytes each and stand in flat arrays,
// and ReadDict hands entries over while the file is read. Every byte of a pickle
// takes a bounded room in memory, nothing recurses, and no length that a pickle
// declares is trusted. Errors name the opcode and the byte at which it stands.
package pickle
