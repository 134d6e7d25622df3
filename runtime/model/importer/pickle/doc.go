// Package pickle reads Python pickles as data: it imports, calls and executes nothing.
// A class is represented by its name, a call by an Object with the name and the arguments, and a
// reference to data outside the pickle by its identifier. The caller interprets the names;
// package importer makes tensors of the few that PyTorch uses.
//
// Load reads any pickle of the binary protocols 2 to 5. ReadDict is for BetaE, which keeps its queries,
// answers and names in a dict whose keys and values consist of integers, texts, tuples, lists and
// sets. It accepts the classes collections.defaultdict and set, and refuses any other class,
// opcode or type.
//
// Answer files are large, so values take a few bytes each in flat arrays, and ReadDict delivers
// entries while it reads the file. Memory is bounded per byte of the pickle, nothing recurses, and
// no declared length is trusted. Errors name the opcode and its byte offset.
package pickle
