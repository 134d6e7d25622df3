package importer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/efoc/efoc/runtime/internal/mapfile"
	"github.com/efoc/efoc/runtime/model/safetensors"
)

// checkpoint is an opened file of tensors, with what is known of it.
type checkpoint struct {
	path    string
	tensors []candidate
	file    *mapfile.File

	// pair are the tables, and entities and relations the orders of their rows. inverses are possible.
	pair                tablePair
	entities, relations rowOrder
	inverses            []Inverse
	// rows reads the tables in the layout found.
	rows   *tables
	layout Layout
	// row is a row of an entity in the layout of bundles. first is its position in each part of the combined row.
	row   []float32
	first int
}

// candidate is a tensor that may be requested.
type candidate struct {
	name  string
	shape []int
	dtype safetensors.DType
	read  func() (safetensors.Tensor, error)
	// place identifies the data of a tensor, for tensors with two names; it is empty if unknown.
	place string
	// scorer is the scorer that the file names for the tensor, empty if it names none.
	scorer string
}

// asRead returns the candidate for a tensor that is already read.
func asRead(t safetensors.Tensor) candidate {
	return candidate{name: t.Name, shape: t.Shape, dtype: t.DType, read: func() (safetensors.Tensor, error) { return t, nil }}
}

func (im *importer) openCheckpoint(ctx context.Context, path string) (*checkpoint, error) {
	path, err := checkpointFile(path)
	if err != nil {
		return nil, err
	}
	file, err := mapfile.Open(path)
	if err != nil {
		return nil, err
	}
	c := &checkpoint{path: path, file: file}
	c.tensors, err = listTensors(file.Data)
	if err == nil {
		err = im.addSource(ctx, "checkpoint", path)
	} else {
		err = fmt.Errorf("%s: %w", path, err)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return c, nil
}

// listTensors recognises the container by its first bytes and lists its tensors.
func listTensors(data []byte) ([]candidate, error) {
	switch {
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		list, err := readTorchZip(data)
		if err != nil {
			return nil, fmt.Errorf("PyTorch file: %w", err)
		}
		return list, nil
	case bytes.HasPrefix(data, legacyPrefix):
		return nil, errors.New("a file as PyTorch before 1.6 wrote them: save it again with a newer one, by torch.save(torch.load(FILE), FILE)")
	case len(data) > 8 && data[8] == '{':
		f, err := safetensors.Parse(data)
		if err != nil {
			return nil, err
		}
		var list []candidate
		for _, t := range f.Tensors {
			list = append(list, asRead(t))
		}
		return list, nil
	case bytes.HasPrefix(data, []byte("\x89HDF\r\n")), bytes.HasPrefix(data, []byte("\x93NUMPY")):
		return nil, errors.New("an HDF5 or NumPy file: put both tables into one safetensors file, as entity.embedding and relation.embedding")
	}
	return nil, errors.New("neither a safetensors nor a PyTorch file")
}

const maxDescribed = 20

func (c *checkpoint) describe() string {
	if len(c.tensors) == 0 {
		return "no tensors at all"
	}
	var list []string
	for i, t := range c.tensors {
		if i == maxDescribed {
			list[i-1] += fmt.Sprintf(" and %d more", len(c.tensors)-i)
			break
		}
		list = append(list, fmt.Sprintf("%q %s %v", t.name, t.dtype, t.shape))
	}
	return strings.Join(list, ", ")
}
