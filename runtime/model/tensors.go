package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
)

// A bundle is one safetensors file. Its metadata holds the manifest and a checksum of the header. These are the names
// of its tensors, except those of the entity table, which come first, at a multiple of 64 bytes.
const (
	tensorRelations = "relation.embedding" // F32 2|R| × 2d
	prefixGraph     = "graph"              // I32 .offsets (see offsets), .heads, .tails
	prefixHeldout   = "heldout"            // the same, optional
	prefixUntrue    = "untrue"             // the same, optional
	prefixEntity    = "entity.name"        // I32 .offsets, .order, U8 .text, optional
	prefixLabel     = "entity.label"       // the same
	prefixRelation  = "relation.name"      // the same
	prefixRelLabel  = "relation.label"     // the same
)

// Keys of the metadata.
const (
	metaManifest = "efoc"
	metaHeader   = "efoc.header"
)

// headerSumAt returns the offset of the header's checksum, or -1. Within the
// manifest, a JSON string, the same text would have its quotes escaped.
func headerSumAt(header []byte) int {
	key := []byte(`"` + metaHeader + `":"`)
	at := bytes.Index(header, key)
	if at < 0 || at+len(key)+len(noSum) > len(header) {
		return -1
	}
	return at + len(key)
}

// identityOf returns the identity of the bundle with the given header, which holds the checksums of everything else.
func identityOf(header []byte) string {
	sum := sha256.Sum256(header)
	return "sha256:" + hex.EncodeToString(sum[:])
}
