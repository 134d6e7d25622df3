package importer

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"path"
	"strings"

	"github.com/efoc/efoc/runtime/model/importer/pickle"
)

// readTorchZip lists the tensors of a zipped PyTorch file: NAME/data.pkl, and
// NAME/data/KEY for each storage.
func readTorchZip(data []byte) ([]candidate, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	files := map[string]*zip.File{}
	prefix := ""
	found := false
	for _, f := range archive.File {
		if _, twice := files[f.Name]; twice {
			return nil, fmt.Errorf("the archive holds %q twice", f.Name)
		}
		files[f.Name] = f
		if dir, base := path.Split(f.Name); base == "data.pkl" && strings.Count(dir, "/") <= 1 {
			if found {
				return nil, errors.New("the archive holds more than one data.pkl")
			}
			prefix = dir
			found = true
		}
	}
	if !found {
		return nil, errors.New("no data.pkl in the archive: not a PyTorch file")
	}
	if f, ok := files[prefix+"byteorder"]; ok {
		order, err := stored(data, f)
		if err != nil {
			return nil, err
		}
		if string(order) != "little" {
			return nil, fmt.Errorf("byte order is %q, want little", order)
		}
	}
	text, err := stored(data, files[prefix+"data.pkl"])
	if err != nil {
		return nil, err
	}
	d, err := pickle.Load(text)
	if err != nil {
		return nil, fmt.Errorf("data.pkl: %w", err)
	}
	parts, err := readStorages(d)
	if err != nil {
		return nil, fmt.Errorf("data.pkl: %w", err)
	}
	for _, s := range parts.byKey {
		if f, ok := files[prefix+"data/"+s.key]; ok {
			s.read = func() ([]byte, error) { return stored(data, f) }
		}
	}
	return collectTensors(d, parts)
}

// stored returns the bytes of a file in an archive as a view, and checks them. PyTorch does not compress.
func stored(data []byte, f *zip.File) ([]byte, error) {
	if f.Method != zip.Store || f.CompressedSize64 != f.UncompressedSize64 {
		return nil, fmt.Errorf("%q is compressed: PyTorch stores files as they are", f.Name)
	}
	at, err := f.DataOffset()
	if err != nil {
		return nil, fmt.Errorf("%q: %w", f.Name, err)
	}
	if at < 0 || at > int64(len(data)) || f.UncompressedSize64 > uint64(int64(len(data))-at) {
		return nil, fmt.Errorf("%q runs past the end of the file: truncated", f.Name)
	}
	part := data[at : at+int64(f.UncompressedSize64)]
	if sum := crc32.ChecksumIEEE(part); sum != f.CRC32 {
		return nil, fmt.Errorf("%q: checksum is %08x, want %08x: the file is damaged", f.Name, sum, f.CRC32)
	}
	return part, nil
}

// legacyPrefix is the beginning of a PyTorch file before 1.6, which is no archive: a pickle of protocol 2 of an
// integer unique to these files.
var legacyPrefix = []byte("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.")
