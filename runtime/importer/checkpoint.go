package importer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	mmap "github.com/edsrzf/mmap-go"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/safetensors"
)

// checkpoint is an opened file of tensors.
type checkpoint struct {
	path    string
	tensors []candidate
	source  runtime.Source
	data    mmap.MMap
}

// candidate is a tensor that could be asked for.
type candidate struct {
	name  string
	shape []int
	dtype safetensors.DType
	read  func() (safetensors.Tensor, error)
}

// openCheckpoint maps a checkpoint into memory and lists its tensors.
func openCheckpoint(path string) (*checkpoint, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file", path)
	case info.Size() == 0:
		return nil, fmt.Errorf("%s: empty file", path)
	case info.Size() > math.MaxInt:
		return nil, fmt.Errorf("%s: %d bytes are too many for this machine's address space", path, info.Size())
	}
	data, err := mmap.MapRegion(f, int(info.Size()), mmap.RDONLY, 0, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: map into memory: %w", path, err)
	}
	c := &checkpoint{path: path, data: data}
	if c.tensors, err = listTensors(data); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), c.close())
	}
	c.source = sourceOf("checkpoint", filepath.Base(path), data)
	return c, nil
}

// sourceOf describes a file with the given content.
func sourceOf(role, name string, data []byte) runtime.Source {
	sum := sha256.Sum256(data)
	return runtime.Source{Role: role, File: name, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(data))}
}

// close releases the mapping; no tensor may be used after.
func (c *checkpoint) close() error { return c.data.Unmap() }

// listTensors tells the container by its first bytes and lists its tensors.
func listTensors(data []byte) ([]candidate, error) {
	switch {
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		return fromTorch(readTorchZip(data))
	case bytes.HasPrefix(data, legacyPrefix):
		return fromTorch(readTorchLegacy(data))
	case len(data) > 8 && data[8] == '{':
		return fromSafetensors(safetensors.Parse(data))
	case len(data) > 262 && string(data[257:262]) == "ustar":
		return nil, errors.New("a tar archive, as PyTorch before 0.1.10 wrote: save it again with a newer PyTorch")
	case bytes.HasPrefix(data, []byte("\x93NUMPY")):
		return nil, errors.New("a NumPy array: put both tables into one safetensors file")
	case bytes.HasPrefix(data, []byte("\x89HDF\r\n")):
		return nil, errors.New("an HDF5 file: put both tables into one safetensors file")
	}
	return nil, errors.New("neither a safetensors nor a PyTorch file")
}

// fromSafetensors lists the tensors of a safetensors file.
func fromSafetensors(f *safetensors.File, err error) ([]candidate, error) {
	if err != nil {
		return nil, err
	}
	var list []candidate
	for _, t := range f.Tensors {
		list = append(list, candidate{t.Name, t.Shape, t.DType, func() (safetensors.Tensor, error) { return t, nil }})
	}
	return list, nil
}

// fromTorch lists the tensors of a PyTorch file.
func fromTorch(found []namedTensor, err error) ([]candidate, error) {
	if err != nil {
		return nil, fmt.Errorf("PyTorch file: %w", err)
	}
	var list []candidate
	for _, t := range found {
		list = append(list, candidate{t.name, t.tensor.shape, t.tensor.storage.dtype, func() (safetensors.Tensor, error) { return t.tensor.resolve(t.name) }})
	}
	return list, nil
}

// knownNames are the names of the entity and the relation table in the state
// dicts of known trainers.
var knownNames = [][2]string{
	{"embeddings.0.weight", "embeddings.1.weight"},                                                   // kbc, CQD, QTO
	{"_entity_embedding.weight", "_relation_embedding.weight"},                                       // LMPNN
	{"_entity_embedder._embeddings.weight", "_relation_embedder._embeddings.weight"},                 // LibKGE
	{"entity_representations.0._embeddings.weight", "relation_representations.0._embeddings.weight"}, // PyKEEN
}

// tables finds the entity and the relation table, by the given names or those
// of known trainers.
func (c *checkpoint) tables(entity, relation string) (e, r candidate, err error) {
	names := knownNames
	if entity != "" {
		names = [][2]string{{entity, relation}}
	}
	for _, pair := range names {
		es, rs := c.named(pair[0]), c.named(pair[1])
		if len(es) == 1 && len(rs) == 1 {
			return es[0], rs[0], nil
		}
		if len(es) > 1 || len(rs) > 1 {
			return e, r, fmt.Errorf("%s: several tensors are named %s or %s: give their full names; there are %s", c.path, pair[0], pair[1], c.describe())
		}
	}
	if entity != "" {
		return e, r, fmt.Errorf("%s: no tensors named %q and %q; there are %s", c.path, entity, relation, c.describe())
	}
	return e, r, fmt.Errorf("%s: no embeddings under a known name; give the names of the entity and the relation tensor; there are %s", c.path, c.describe())
}

// named returns the tensor of that name, or else those whose names end in it.
func (c *checkpoint) named(name string) []candidate {
	var list []candidate
	for _, t := range c.tensors {
		if t.name == name {
			return []candidate{t}
		}
		if strings.HasSuffix(t.name, "."+name) {
			list = append(list, t)
		}
	}
	return list
}

// maxDescribed bounds the tensors that an error lists.
const maxDescribed = 20

// describe lists the tensors with their shapes.
func (c *checkpoint) describe() string {
	if len(c.tensors) == 0 {
		return "no tensors at all"
	}
	var text strings.Builder
	for i, t := range c.tensors {
		if i == maxDescribed {
			fmt.Fprintf(&text, " and %d more", len(c.tensors)-i)
			break
		}
		if i > 0 {
			text.WriteString(", ")
		}
		fmt.Fprintf(&text, "%q %s %v", t.name, t.dtype, t.shape)
	}
	return text.String()
}
