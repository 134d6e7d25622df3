package pickle

import "bufio"

// Bounds of what a pickle may take.
const (
	// maxEntries bounds the values that ReadDict keeps, in bytes. BetaE's take about
	// five times the room that they have in the file, a hostile file's fifty times.
	maxEntries = 8 << 30
	// maxObjects bounds the values that Load keeps, in bytes. A checkpoint's pickle
	// is small: the numbers are stored apart.
	maxObjects = 1 << 30
	// maxText bounds a text of ReadDict, in bytes. In Load, the bytes present and maxObjects bound
	// texts.
	maxText = 1 << 16
	// maxLine bounds an argument that ends with its line, in bytes.
	maxLine = 4096
	// maxProtocol is the newest protocol that is read.
	maxProtocol = 5
)

// Room that values take, in bytes.
const (
	valueSize    = 8
	sequenceSize = 48
	textSize     = 16
)

// Decoder holds the values of a pickle.
type Decoder struct {
	r       *bufio.Reader
	offset  int64 // of the next byte
	memory  int64
	limit   int64
	maxText int64
	// item takes the entries of ReadDict's dict; nil while Load reads.
	item  func(d *Decoder, key, value Value) error
	dicts int

	stack []Value
	marks []int // heights of the stack
	memo  []Value
	// cells holds tuples: their length and then their elements. Classes and objects
	// are tuples too, of another kind.
	cells     []Value
	texts     []string
	longs     []int64
	sequences []sequence
	// references holds the identifiers of what lies outside the pickle.
	references []Value
}
