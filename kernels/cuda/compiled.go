package cuda

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/klauspost/compress/zstd"
)

// Code is a module that was compiled ahead of time: its name, its text, and the PTX that it was
// compiled to.
type Code struct {
	Name, Text string
	PTX        []byte
}

const (
	// maxPTX bounds the bytes of a module: the largest shape takes a tenth.
	maxPTX = 64 << 20
	// window is how far back modules are compared: most kernels of two shapes are alike.
	window = 32 << 20
)

// comment names the record of a module in an archive that has the fingerprint of its text.
const comment = "comment"

// Pack puts modules into one file, to be the Compiled of their Sources: a tar archive, compressed
// by Zstandard. The same modules give the same bytes.
func Pack(codes []Code) ([]byte, error) {
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	var errs []error
	for _, c := range codes {
		err := w.WriteHeader(&tar.Header{Name: c.Name, Mode: 0o644, Size: int64(len(c.PTX)), PAXRecords: map[string]string{comment: fingerprint(c.Text)}})
		if err == nil {
			_, err = w.Write(c.PTX)
		}
		errs = append(errs, err)
	}
	err = errors.Join(append(errs, w.Close(), z.Close())...)
	return out.Bytes(), err
}

// fingerprint identifies what a text is compiled to: it and the headers that it includes.
func fingerprint(text string) string {
	h := sha256.New()
	headers, seen := Headers(), map[string]bool{}
	var add func(text string)
	add = func(text string) {
		fmt.Fprintf(h, "%d\n%s", len(text), text)
		for _, include := range includes.FindAllStringSubmatch(text, -1) {
			if name := include[1]; !seen[name] {
				seen[name] = true
				add(headers[name])
			}
		}
	}
	add(text)
	return hex.EncodeToString(h.Sum(nil))
}

var includes = regexp.MustCompile(`(?m)^#include "(.*)"`)

// PTX returns what the text was compiled to, which the driver translates for GPUs of compute
// capability 8.0 and later. It is nil where nothing was compiled, and an error if the code was
// compiled from another text.
func (s *Source) PTX() ([]byte, error) {
	if len(s.Compiled) == 0 {
		return nil, nil
	}
	ptx, err := s.find()
	if err != nil {
		return nil, fmt.Errorf("compiled code of %s: %w", s.Name, err)
	}
	return ptx, nil
}

// find reads the PTX of the source from its archive.
func (s *Source) find() ([]byte, error) {
	z, err := zstd.NewReader(bytes.NewReader(s.Compiled), zstd.WithDecoderMaxWindow(window), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil, errors.New("the archive does not have it: run efoc generate --cuda where nvrtcc is")
		}
		if err != nil {
			return nil, err
		}
		if h.Name != s.Name {
			continue
		}
		if h.PAXRecords[comment] != fingerprint(s.Text) {
			return nil, errors.New("it is out of date: run efoc generate --cuda where nvrtcc is")
		}
		if h.Size > maxPTX {
			return nil, fmt.Errorf("it has %d bytes, want at most %d", h.Size, maxPTX)
		}
		return io.ReadAll(r)
	}
}
