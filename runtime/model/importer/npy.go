package importer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/efoc/efoc/runtime/model/safetensors"
)

var npyMagic = []byte("\x93NUMPY")

// npyHeader matches the dict that describes an array, in the form that NumPy and its imitators write. It is not
// evaluated.
var npyHeader = regexp.MustCompile(`^\{'descr': *'([^']*)', *'fortran_order': *(True|False), *'shape': *\(([0-9, ]*)\),? *\} *\n?$`)

var npyTypes = map[string]safetensors.DType{"<f4": safetensors.F32, "<f2": safetensors.F16, "<f8": safetensors.F64}

// maxDimensions bounds the shape of an array.
const maxDimensions = 8

// parseNPY reads a NumPy file of version 1 to 3: magic, version, length of the
// header, header, elements.
func parseNPY(data []byte) (safetensors.Tensor, error) {
	var t safetensors.Tensor
	header, rest, err := splitNPY(data)
	if err != nil {
		return t, err
	}
	parts := npyHeader.FindSubmatch(header)
	if parts == nil {
		return t, fmt.Errorf("header %.80q does not describe an array", header)
	}
	var known bool
	t.DType, known = npyTypes[string(parts[1])]
	if !known {
		return t, fmt.Errorf("elements are %q, want little-endian floating-point numbers: <f4, <f2 or <f8", parts[1])
	}
	elements := 1
	for text := range strings.SplitSeq(string(parts[3]), ",") {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		d, err := strconv.ParseUint(text, 10, 31)
		if err != nil || len(t.Shape) == maxDimensions || d > 0 && elements > math.MaxInt/t.DType.Size()/int(d) {
			return t, fmt.Errorf("shape (%s) is too large", parts[3])
		}
		t.Shape = append(t.Shape, int(d))
		elements *= int(d)
	}
	if want := elements * t.DType.Size(); len(rest) != want {
		return t, fmt.Errorf("shape (%s) of %s takes %d bytes, but there are %d", parts[3], parts[1], want, len(rest))
	}
	if string(parts[2]) == "True" && len(t.Shape) > 1 {
		return t, errors.New("array in Fortran order: save it again as numpy.ascontiguousarray(a)")
	}
	t.Data = rest
	return t, nil
}

func splitNPY(data []byte) (header, rest []byte, err error) {
	width := 2
	switch {
	case !bytes.HasPrefix(data, npyMagic) || len(data) < 12:
		return nil, nil, errors.New("truncated")
	case data[6] == 2 || data[6] == 3:
		width = 4
	case data[6] != 1:
		return nil, nil, fmt.Errorf("version %d.%d, want 1 to 3", data[6], data[7])
	}
	var word [4]byte
	copy(word[:], data[8:8+width])
	rest = data[8+width:]
	n := binary.LittleEndian.Uint32(word[:])
	if uint64(n) > uint64(len(rest)) {
		return nil, nil, fmt.Errorf("header of %d bytes, but %d are left", n, len(rest))
	}
	return rest[:n], rest[n:], nil
}
