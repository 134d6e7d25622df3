// Package journal stores changes of facts and values in a file beside a bundle: world.efoc.journal beside world.efoc
// or, if that is a symbolic link, beside its target. The file is text, one record per line, each with a checksum:
//
//	crc32c:1c291ca3 {"journal":1,"bundle":"sha256:…"}
//	crc32c:8a91a6d4 {"n":1,"batches":[{"key":"…","add":[["Brazil","borders","Peru"]],"time":"…","counts":[1,0,0,0]}]}
//	crc32c:0de2c1f7 {"n":2,"compacted":"sha256:…"}
//
// The first record names the bundle. A record of batches is written and flushed to disk
// before its batches are acknowledged. A record "compacted" names a new bundle that contains
// everything above it.
//
// A crash can cut off the last record or fill its end with zeros. Such a record was never acknowledged and is
// ignored, unless only its newline is missing: then its checksum proves that it is complete. Any other mismatch means
// damage, and the package refuses the journal.
//
// Batches name entities, relations and attributes; the package knows neither models nor bundles.
package journal
