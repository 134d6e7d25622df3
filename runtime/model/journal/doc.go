// Package journal keeps changes of facts in a file beside a bundle: world.efoc.journal
// beside world.efoc. It is text, a record a line, each with a checksum:
//
//	crc32c:1c291ca3 {"journal":1,"bundle":"sha256:…"}
//	crc32c:8a91a6d4 {"n":1,"batches":[{"key":"…","add":[["Brazil","borders","Peru"]],"counts":[1,0,0,0]}]}
//	crc32c:0de2c1f7 {"n":2,"compacted":"sha256:…"}
//
// The first record names the bundle that the changes are for. A record of batches is
// written and flushed to the disk at once; only then are its batches acknowledged. A mark
// says that a bundle has been written that holds all that is above it.
//
// A crash can cut off the last record or fill its end with zeros. Such a record was never
// acknowledged and is left out, unless it lacks only its newline: its checksum shows that
// nothing else is missing. Any other line that does not match its checksum has been damaged,
// and the journal is refused.
//
// Batches name entities and relations; the package knows neither models nor bundles.
package journal
