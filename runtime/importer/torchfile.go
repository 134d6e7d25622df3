package importer

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/big"
	"path"
	"slices"
	"strings"

	"github.com/nlpodyssey/gopickle/types"
)

// readTorchZip lists the tensors of a zipped PyTorch file: NAME/data.pkl, and
// NAME/data/KEY for each storage.
func readTorchZip(data []byte) ([]namedTensor, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	files := map[string]*zip.File{}
	prefix, found := "", false
	for _, f := range archive.File {
		if _, twice := files[f.Name]; twice {
			return nil, fmt.Errorf("the archive holds %q twice", f.Name)
		}
		files[f.Name] = f
		if dir, base := path.Split(f.Name); base == "data.pkl" && strings.Count(dir, "/") <= 1 {
			if found {
				return nil, errors.New("the archive holds more than one data.pkl")
			}
			prefix, found = dir, true
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
	parts := storages{}
	root, _, err := unpickle(text, findTorch, parts.load)
	if err != nil {
		return nil, fmt.Errorf("data.pkl: %w", err)
	}
	for _, s := range parts {
		if f, ok := files[prefix+"data/"+s.key]; ok {
			s.read = func() ([]byte, error) { return stored(data, f) }
		}
	}
	return collectTensors(root)
}

// stored returns the bytes of a file in an archive where they lie, and checks
// them. PyTorch does not compress.
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

// legacyMagic is the integer at the start of a file of PyTorch before 1.6.
var legacyMagic, _ = new(big.Int).SetString("1950a86a20f9469cfc6c", 16)

// legacyPrefix is how such a file starts: protocol 2, and the magic as a long.
var legacyPrefix = []byte("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19")

// readTorchLegacy lists the tensors of a PyTorch file that is no archive: five
// pickles (magic, protocol, system, object, keys), then for each key the number
// of elements and the elements.
func readTorchLegacy(data []byte) ([]namedTensor, error) {
	at := 0
	parts := storages{}
	next := func(what string) (any, error) {
		value, length, err := unpickle(data[at:], findTorch, parts.load)
		if err != nil {
			return nil, fmt.Errorf("%s at byte %d: %w", what, at, err)
		}
		at += length
		return value, nil
	}
	magic, err := next("magic")
	if err != nil {
		return nil, err
	}
	if m, ok := magic.(*big.Int); !ok || m.Cmp(legacyMagic) != 0 {
		return nil, errors.New("not a PyTorch file: wrong magic number")
	}
	protocol, err := next("protocol")
	if err != nil {
		return nil, err
	}
	if protocol != any(1001) {
		return nil, fmt.Errorf("PyTorch file of protocol %v, want 1001", protocol)
	}
	system, err := next("system")
	if err != nil {
		return nil, err
	}
	if d, ok := system.(*types.Dict); ok {
		for _, e := range *d {
			if e.Key == any("little_endian") && e.Value == any(false) {
				return nil, errors.New("big-endian PyTorch file")
			}
		}
	}
	root, err := next("object")
	if err != nil {
		return nil, err
	}
	keys, err := next("storage keys")
	if err != nil {
		return nil, err
	}
	if err := parts.readLegacy(keys, bytes.NewReader(data[at:]), data[at:]); err != nil {
		return nil, err
	}
	return collectTensors(root)
}

// readLegacy finds the numbers of the storages, which follow one another in the
// order of the keys.
func (s storages) readLegacy(keys any, r *bytes.Reader, data []byte) error {
	list, ok := keys.(*types.List)
	if !ok {
		return errors.New("no list of storage keys")
	}
	for _, item := range *list {
		key, _ := storageKey(item)
		part, ok := s[key]
		if !ok {
			return fmt.Errorf("storage %q has no description", key)
		}
		var word [8]byte
		if _, err := io.ReadFull(r, word[:]); err != nil {
			return fmt.Errorf("storage %q: %w: truncated", key, io.ErrUnexpectedEOF)
		}
		if count := binary.LittleEndian.Uint64(word[:]); count != uint64(part.count) {
			return fmt.Errorf("storage %q: %d elements, want %d", key, count, part.count)
		}
		size, err := part.bytes()
		if err != nil {
			return err
		}
		if size > r.Len() {
			return fmt.Errorf("storage %q: %d bytes, but %d are left: truncated", key, size, r.Len())
		}
		at := len(data) - r.Len()
		numbers := slices.Clip(data[at : at+size])
		part.read = func() ([]byte, error) { return numbers, nil }
		if _, err := r.Seek(int64(size), io.SeekCurrent); err != nil {
			return err
		}
	}
	return nil
}
