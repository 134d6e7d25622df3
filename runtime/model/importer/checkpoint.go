package importer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/efoc/efoc/runtime/internal/mapfile"
	"github.com/efoc/efoc/runtime/model/safetensors"
)

// checkpoint is an opened file of tensors, with the tables found in it.
type checkpoint struct {
	path    string
	tensors []candidate
	file    *mapfile.File

	// entities and relations are its tables; usual is their layout by the trainer that names them so, if known.
	entities, relations embeddings
	usual               Layout
	// inverses are possible; layout is the one found.
	inverses []Inverse
	layout   Layout
	// row is a row of an entity in the layout of bundles. first is its position in each part of the combined row.
	row   []float32
	first int

	raw      []float32 // a row in the file's format
	directed []float32 // the relation table that predictor returns
}

// embeddings is a table of a checkpoint, and the order of its rows.
type embeddings struct {
	candidate
	order rowOrder
	data  safetensors.Tensor // as read
}

// checkpointFile returns the file of a checkpoint: path itself, or in a folder the file that PyKEEN or LibKGE writes.
func checkpointFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return path, err
	}
	file := firstFile(path, []string{"trained_model.pkl", "checkpoint_best.pt"})
	if file == "" {
		return "", fmt.Errorf("%s: a folder without trained_model.pkl and checkpoint_best.pt: name the checkpoint in it", path)
	}
	return file, nil
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
