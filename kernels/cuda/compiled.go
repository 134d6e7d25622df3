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

// Code is a module that was compiled ahead of time.
type Code struct {
	Name, Text string
	// PTX is the compiled module as PTX.
	PTX []byte
	// Machine is the machine code for Arch, such as sm_90; nil if the driver is to translate the PTX.
	Machine []byte
	Arch    string
}

const (
	// maxCode bounds the bytes of a module: the largest shape takes a tenth.
	maxCode = 64 << 20
	// window is the window of the compressor: most kernels of two shapes are similar.
	window = 32 << 20
)

// comment is the key of the PAX record that holds the fingerprint of a module's text.
const comment = "comment"

// Pack packs modules into a file, the Compiled of their Sources: a tar archive compressed by Zstandard. The
// output is deterministic.
func Pack(codes []Code) ([]byte, error) {
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	var errs []error
	for _, c := range codes {
		errs = append(errs, put(w, c.Name, c.Text, c.PTX))
		if c.Machine != nil {
			errs = append(errs, put(w, machineName(c.Name, c.Arch), c.Text, c.Machine))
		}
	}
	err = errors.Join(append(errs, w.Close(), z.Close())...)
	return out.Bytes(), err
}

// put writes the compiled form of a text.
func put(w *tar.Writer, name, text string, code []byte) error {
	err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(code)), PAXRecords: map[string]string{comment: fingerprint(text)}})
	if err != nil {
		return err
	}
	_, err = w.Write(code)
	return err
}

// machineName is the name of the machine code of a module in an archive.
func machineName(name, arch string) string { return name + "." + arch }

// fingerprint identifies the inputs of compilation: a text and the headers that it includes.
func fingerprint(text string) string {
	h := sha256.New()
	headers := Headers()
	seen := map[string]bool{}
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

// PTX returns the compiled text, which the driver translates for GPUs of compute capability 8.0 and later. It
// is nil if nothing was compiled; it is an error if the code was compiled from another text.
func (s *Source) PTX() ([]byte, error) {
	if len(s.Compiled) == 0 {
		return nil, nil
	}
	ptx, err := s.find(s.Name)
	if err != nil {
		return nil, fmt.Errorf("compiled code of %s: %w", s.Name, err)
	}
	return ptx, nil
}

// Machine returns the machine code for arch, such as sm_90; nil if there is none compiled from this text.
func (s *Source) Machine(arch string) []byte {
	if len(s.Compiled) == 0 {
		return nil
	}
	code, err := s.find(machineName(s.Name, arch))
	if err != nil { // PTX reports the error, too
		return nil
	}
	return code
}

// find reads a file of the source from its archive.
func (s *Source) find(name string) ([]byte, error) {
	z, err := zstd.NewReader(bytes.NewReader(s.Compiled), zstd.WithDecoderMaxWindow(window), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil, errors.New("the archive does not have it: compile it again where nvrtcc is")
		}
		if err != nil {
			return nil, err
		}
		if h.Name != name {
			continue
		}
		if h.PAXRecords[comment] != fingerprint(s.Text) {
			return nil, errors.New("it is out of date: compile it again where nvrtcc is")
		}
		if h.Size > maxCode {
			return nil, fmt.Errorf("it has %d bytes, want at most %d", h.Size, maxCode)
		}
		return io.ReadAll(r)
	}
}
