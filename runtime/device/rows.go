package device

import (
	"encoding/binary"
	"math"
)

// putRow writes a row as float32, or as bfloat16 where a number has two bytes, of
// which it has the upper half then. What is left of to stays zero.
func putRow(to []byte, row []float32, size int64) {
	for k, x := range row {
		bits := math.Float32bits(x)
		if size == 2 {
			binary.LittleEndian.PutUint16(to[2*k:], uint16(bits>>16))
		} else {
			binary.LittleEndian.PutUint32(to[4*k:], bits)
		}
	}
}
