package synthetic

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/model/safetensors"
)

// writeFile writes a file: whole, or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	return atomicfile.Write(path, func(to io.Writer) error {
		buffered := bufio.NewWriterSize(to, 1<<20)
		if err := write(buffered); err != nil {
			return err
		}
		return buffered.Flush()
	})
}

// writeFacts writes the facts of a part by their names.
func (w *world) writeFacts(to io.Writer, part func(r int, h, t int32) bool) error {
	var line []byte
	for r := range w.Relations {
		heads, tails := w.edges(r)
		for i, h := range heads {
			if !part(r, h, tails[i]) {
				continue
			}
			line = append(w.name(line[:0], int(h)), '\t')
			line = append(append(line, relationName(r)...), '\t')
			line = append(w.name(line, int(tails[i])), '\n')
			if _, err := to.Write(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeNames writes a table of ids.
func writeNames(to io.Writer, n int, name func(to []byte, id int) []byte) error {
	var line []byte
	for id := range n {
		line = append(name(fmt.Appendf(line[:0], "%d\t", id), id), '\n')
		if _, err := to.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// writeCheckpoint writes the embeddings as safetensors, under the names that CQD has.
func (w *world) writeCheckpoint(to io.Writer) error {
	relations := w.table()
	header, err := safetensors.EncodeShapes(nil, []safetensors.Tensor{
		{Name: "embeddings.0.weight", DType: safetensors.F32, Shape: []int{w.Entities, 2 * w.Rank}},
		{Name: "embeddings.1.weight", DType: safetensors.F32, Shape: []int{2 * w.Relations, 2 * w.Rank}},
	})
	if err != nil {
		return err
	}
	if _, err := to.Write(header); err != nil {
		return err
	}
	row, data := make([]float32, 2*w.Rank), []byte(nil)
	for e := range w.Entities {
		w.row(e, row)
		data = floats(data[:0], row)
		if _, err := to.Write(data); err != nil {
			return err
		}
	}
	_, err = to.Write(floats(nil, relations))
	return err
}

// floats appends numbers as they are in a checkpoint.
func floats(to []byte, values []float32) []byte {
	for _, v := range values {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(v))
	}
	return to
}
