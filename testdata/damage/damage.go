// Package damage alters files for fuzz tests. The fuzzer mutates a short script of edits instead
// of the file. It would spend up to a minute on minimising each input that reaches new code, in
// time quadratic in the length; with files of some kilobytes it does hardly anything else.
package damage

import "encoding/binary"

// MaxScript bounds the bytes of a script that count.
const MaxScript = 64

// step is the length of an edit: an operation, an offset, and its operand.
const step = 6

// Apply returns a copy of data after the edits of a script. Places are taken modulo the
// length, so that every script means something. The copy is at most
// 255 × MaxScript / 6 bytes longer than data.
func Apply(data, script []byte) []byte {
	out := append(make([]byte, 0, len(data)+256), data...)
	script = script[:min(len(script), MaxScript)]
	for ; len(script) >= step && len(out) > 0; script = script[step:] {
		at := int(binary.LittleEndian.Uint16(script[1:])) * 4
		at = (at + int(script[5])%4) % len(out)
		a, b := script[3], script[4]
		switch script[0] % 8 {
		case 0: // one byte
			out[at] = a
		case 1: // one bit
			out[at] ^= 1 << (a % 8)
		case 2: // a word
			for i := 0; i < 4 && at+i < len(out); i++ {
				out[at+i] = [2]byte{a, b}[i/2]
			}
		case 3: // add to a byte, as text has numbers
			out[at] += a
		case 4: // cut
			out = append(out[:at], out[min(len(out), at+int(a)):]...)
		case 5: // truncate
			out = out[:at]
		case 6: // repeat
			part := out[at:min(len(out), at+int(a))]
			out = append(out[:at], append(append([]byte(nil), part...), out[at:]...)...)
		case 7: // copy to another place
			to := (at + int(a) + 256*int(b)) % len(out)
			copy(out[to:], out[at:min(len(out), at+8)])
		}
	}
	return out
}
