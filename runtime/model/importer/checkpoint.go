package importer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/internal/mapfile"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/safetensors"
)

// checkpoint is an opened file of tensors, or a pair that belongs together.
type checkpoint struct {
	path    string
	tensors []candidate
	sources []model.Source
	maps    []*mapfile.File
}

// candidate is a tensor that could be asked for.
type candidate struct {
	name  string
	shape []int
	dtype safetensors.DType
	read  func() (safetensors.Tensor, error)
	// place is the same for tensors that are one and the same under two names,
	// where that is known; otherwise nil.
	place any
}

// openCheckpoint maps a checkpoint into memory and lists its tensors.
func openCheckpoint(ctx context.Context, path string) (*checkpoint, error) {
	files, err := checkpointFiles(path)
	if err != nil {
		return nil, err
	}
	c := &checkpoint{path: files[0]}
	for _, file := range files {
		if err := c.open(ctx, file); err != nil {
			return nil, errors.Join(err, c.close())
		}
	}
	return c, nil
}

// open maps one file.
func (c *checkpoint) open(ctx context.Context, path string) error {
	file, err := mapfile.Open(path)
	if err != nil {
		return err
	}
	c.maps = append(c.maps, file)
	data := file.Data
	found, err := listTensors(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, t := range found {
		if t.name == "" {
			// A NumPy file holds one array, which is named for the file.
			t.name = arrayName(path)
		}
		c.tensors = append(c.tensors, t)
	}
	digest := sha256.New()
	for part := range slices.Chunk(data, hashBatch) {
		if err := ctx.Err(); err != nil {
			return err
		}
		digest.Write(part)
	}
	c.sources = append(c.sources, model.Source{Role: "checkpoint", File: filepath.Base(path), SHA256: hex.EncodeToString(digest.Sum(nil)), Bytes: int64(len(data))})
	return nil
}

// hashBatch is the number of bytes between two checks of the context.
const hashBatch = 16 << 20

// sourceOf describes a file with the given content.
func sourceOf(role, name string, data []byte) model.Source {
	sum := sha256.Sum256(data)
	return model.Source{Role: role, File: name, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(data))}
}

// close releases the mappings; no tensor may be used after.
func (c *checkpoint) close() (err error) {
	for _, m := range c.maps {
		err = errors.Join(err, m.Close())
	}
	return err
}

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
	case bytes.HasPrefix(data, npyMagic):
		return fromNPY(parseNPY(data))
	case bytes.HasPrefix(data, []byte("\x89HDF\r\n")):
		return nil, errors.New("an HDF5 file: put both tables into one safetensors file")
	}
	return nil, errors.New("neither a safetensors, a PyTorch nor a NumPy file")
}

// fromSafetensors lists the tensors of a safetensors file.
func fromSafetensors(f *safetensors.File, err error) ([]candidate, error) {
	if err != nil {
		return nil, err
	}
	var list []candidate
	for _, t := range f.Tensors {
		list = append(list, candidate{name: t.Name, shape: t.Shape, dtype: t.DType, read: func() (safetensors.Tensor, error) { return t, nil }})
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
		list = append(list, candidate{
			name: t.name, shape: t.tensor.shape, dtype: t.tensor.storage.dtype, place: t.tensor.place(),
			read: func() (safetensors.Tensor, error) { return t.tensor.resolve(t.name) },
		})
	}
	return list, nil
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
