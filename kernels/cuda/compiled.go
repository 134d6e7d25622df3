package cuda

import (
	"archive/zip"
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

// Specific reports whether the code is for one compute capability alone: warp groups multiply
// in it.
func (c *Code) Specific() bool { return strings.HasSuffix(c.Arch, "a") }

// maxCode bounds the bytes of one code: the largest shape takes a tenth.
const maxCode = 64 << 20

// Pack puts what a text was compiled to into one file, to be a Source's Compiled: a zip
// archive with an entry for each architecture, compressed by Zstandard, whose comment is
// the fingerprint of the text. The same codes give the same bytes.
func Pack(text string, codes []Code) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor(zstd.WithEncoderLevel(zstd.SpeedBestCompression)))
	errs := []error{w.SetComment(fingerprint(text))}
	for _, c := range codes {
		f, err := w.CreateHeader(&zip.FileHeader{Name: c.Arch, Method: zstd.ZipMethodWinZip})
		if err == nil {
			_, err = f.Write(c.Bytes)
		}
		errs = append(errs, err)
	}
	err := errors.Join(append(errs, w.Close())...)
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

// Current reports whether Compiled was made of the source's text and of the headers as
// they are.
func (s *Source) Current() bool {
	z, err := zip.NewReader(bytes.NewReader(s.Compiled), int64(len(s.Compiled)))
	return err == nil && z.Comment == fingerprint(s.Text)
}

// Codes returns the compiled codes that a device of a compute capability, 90 for 9.0, runs,
// the best first: machine code of the same capability, of the same generation, then PTX. There are none where
// nothing was compiled; it is an error if all was compiled from another text.
func (s *Source) Codes(capability int) ([]Code, error) {
	if len(s.Compiled) == 0 {
		return nil, nil
	}
	z, err := zip.NewReader(bytes.NewReader(s.Compiled), int64(len(s.Compiled)))
	if err != nil {
		return nil, fmt.Errorf("compiled code of %s: %w", s.Name, err)
	}
	if z.Comment != fingerprint(s.Text) {
		return nil, fmt.Errorf("compiled code of %s is out of date: run efoc generate --cuda where nvrtcc is", s.Name)
	}
	type fitting struct {
		file              *zip.File
		machine, specific bool
		arch              int
	}
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderMaxMemory(maxCode)))
	var fit []fitting
	for _, f := range z.File {
		kind, _, _ := strings.Cut(f.Name, "_")
		c := Code{Arch: f.Name}
		arch, machine, specific := c.Capability(), kind == "sm", c.Specific()
		if arch == 0 || !machine && (kind != "compute" || specific) {
			return nil, fmt.Errorf("compiled code of %s has code for %q, want sm_NN, sm_NNa or compute_NN", s.Name, f.Name)
		}
		if arch == capability || !specific && arch < capability && (!machine || arch/10 == capability/10) {
			fit = append(fit, fitting{f, machine, specific, arch})
		}
	}
	slices.SortFunc(fit, func(a, b fitting) int {
		if a.machine != b.machine {
			if a.machine {
				return -1
			}
			return 1
		}
		if a.arch == b.arch && a.specific != b.specific {
			if a.specific {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.arch, a.arch)
	})
	var codes []Code
	for _, f := range fit {
		text, err := read(f.file)
		if err != nil {
			return nil, fmt.Errorf("compiled code of %s for %s: %w", s.Name, f.file.Name, err)
		}
		codes = append(codes, Code{f.file.Name, text})
	}
	return codes, nil
}

// read unpacks an entry.
func read(f *zip.File) ([]byte, error) {
	if f.UncompressedSize64 > maxCode {
		return nil, fmt.Errorf("%d bytes are more than %d", f.UncompressedSize64, maxCode)
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(r, maxCode)) // sizes in headers may lie
	return text, errors.Join(err, r.Close())
}
