package cuda

import (
	"archive/tar"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Code is a module that was compiled ahead of time.
type Code struct {
	// Arch is what it was compiled for: sm_90 for machine code, which GPUs of compute
	// capability 9 run, sm_90a for machine code of 9.0 alone, compute_80 for PTX, which the
	// driver translates for GPUs of compute capability 8.0 and later.
	Arch  string
	Bytes []byte
}

// Capability is the compute capability of Arch, 90 for 9.0, 0 if it names none.
func (c *Code) Capability() int {
	_, number, _ := strings.Cut(c.Arch, "_")
	capability, err := strconv.Atoi(strings.TrimSuffix(number, "a"))
	if err != nil {
		return 0
	}
	return capability
}

// machine reports whether it is machine code.
func (c *Code) machine() bool { return strings.HasPrefix(c.Arch, "sm_") }

// Specific reports whether the code is for one compute capability alone: warp groups multiply
// in it.
func (c *Code) Specific() bool { return strings.HasSuffix(c.Arch, "a") }

const (
	// maxCodes bounds the bytes of all codes of a text: the largest shape takes a fifth.
	maxCodes = 64 << 20
	// window is how far back codes are compared. Those of 9.0 are alike in most kernels.
	window = 16 << 20
)

// comment names the record of an archive that has the fingerprint of the text, as git's have
// their commit.
const comment = "comment"

// Pack puts what a text was compiled to into one file, to be a Source's Compiled: a tar
// archive with an entry for each architecture, compressed by Zstandard, whose comment is
// the fingerprint of the text. The same codes give the same bytes.
func Pack(text string, codes []Code) ([]byte, error) {
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	errs := []error{w.WriteHeader(&tar.Header{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{comment: fingerprint(text)}})}
	for _, c := range codes {
		err := w.WriteHeader(&tar.Header{Name: c.Arch, Mode: 0o644, Size: int64(len(c.Bytes))})
		if err == nil {
			_, err = w.Write(c.Bytes)
		}
		errs = append(errs, err)
	}
	err = errors.Join(append(errs, w.Close(), z.Close())...)
	return out.Bytes(), err
}

// open returns the archive, and the fingerprint of the text that was compiled.
func (s *Source) open() (*archive, string, error) {
	z, err := zstd.NewReader(bytes.NewReader(s.Compiled), zstd.WithDecoderMaxMemory(maxCodes), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, "", err
	}
	a := &archive{tar.NewReader(io.LimitReader(z, maxCodes)), z}
	h, err := a.Next()
	if err == nil && h.Typeflag != tar.TypeXGlobalHeader {
		err = errors.New("it does not say what it was made of")
	}
	if err != nil {
		z.Close()
		return nil, "", err
	}
	return a, h.PAXRecords[comment], nil
}

// archive is an open one.
type archive struct {
	*tar.Reader
	stream *zstd.Decoder
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

// Current reports whether Compiled was made of the source's text and of the headers as
// they are.
func (s *Source) Current() bool {
	a, made, err := s.open()
	if err != nil {
		return false
	}
	a.stream.Close()
	return made == fingerprint(s.Text)
}

// Codes returns the compiled codes that a device of a compute capability, 90 for 9.0, runs,
// the best first: machine code of the same capability, of the same generation, then PTX. There are none where
// nothing was compiled; it is an error if all was compiled from another text.
func (s *Source) Codes(capability int) ([]Code, error) {
	if len(s.Compiled) == 0 {
		return nil, nil
	}
	a, made, err := s.open()
	if err != nil {
		return nil, fmt.Errorf("compiled code of %s: %w", s.Name, err)
	}
	defer a.stream.Close()
	if made != fingerprint(s.Text) {
		return nil, fmt.Errorf("compiled code of %s is out of date: run efoc generate --cuda where nvrtcc is", s.Name)
	}
	var codes []Code
	for {
		h, err := a.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("compiled code of %s: %w", s.Name, err)
		}
		c := Code{Arch: h.Name}
		arch := c.Capability()
		if arch == 0 || !c.machine() && (!strings.HasPrefix(c.Arch, "compute_") || c.Specific()) {
			return nil, fmt.Errorf("compiled code of %s has code for %q, want sm_NN, sm_NNa or compute_NN", s.Name, c.Arch)
		}
		if arch == capability || !c.Specific() && arch < capability && (!c.machine() || arch/10 == capability/10) {
			if c.Bytes, err = io.ReadAll(a); err != nil {
				return nil, fmt.Errorf("compiled code of %s for %s: %w", s.Name, c.Arch, err)
			}
			codes = append(codes, c)
		}
	}
	slices.SortStableFunc(codes, func(a, b Code) int {
		return cmp.Or(first(a.machine(), b.machine()), cmp.Compare(b.Capability(), a.Capability()), first(a.Specific(), b.Specific()))
	})
	return codes, nil
}

// first compares what is to come first where it holds.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
