// Package offline compiles kernels ahead of time, with nvrtcc and ptxas of kernels/cuda/toolkit, if they are on
// the path. It needs no GPU and does not depend on plans.
package offline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/efoc/efoc/kernels/cuda"
)

// arch is the target of compilation: PTX, which every driver translates for its GPU.
const arch = "compute_80"

// Compiler returns the path of nvrtcc, "" if there is none.
func Compiler() string {
	path, err := exec.LookPath("nvrtcc")
	if err != nil {
		return ""
	}
	return path
}

// source reads a .cu file, and the archive that may have its code.
func source(archive, path string) (s cuda.Source, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return s, err
	}
	compiled, err := os.ReadFile(archive)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	// The name has no folder, so that the output does not depend on the path.
	return cuda.Source{Name: filepath.Base(path), Text: string(text), Compiled: compiled}, err
}

// Compile compiles the .cu files at paths into an archive. It skips files whose code in the archive is current.
func Compile(ctx context.Context, archive string, paths ...string) error {
	var codes []cuda.Code
	for _, path := range paths {
		s, err := source(archive, path)
		if err != nil {
			return err
		}
		ptx, err := s.PTX()
		if ptx == nil || err != nil {
			ptx, err = compile(ctx, s)
			if err != nil {
				return fmt.Errorf("compile %s: %w", path, err)
			}
		}
		codes = append(codes, cuda.Code{Name: s.Name, Text: s.Text, PTX: ptx})
	}
	packed, err := cuda.Pack(codes)
	if err != nil {
		return err
	}
	return os.WriteFile(archive, packed, 0o644)
}

// compile runs the compiler in a temporary folder.
func compile(ctx context.Context, s cuda.Source) ([]byte, error) {
	folder, err := os.MkdirTemp("", "efoc-cuda-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	files := cuda.Headers()
	files[s.Name] = s.Text
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	c := exec.CommandContext(ctx, Compiler(), s.Name, arch, "code", "-I.")
	c.Dir = folder
	if out, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, bytes.TrimSpace(out))
	}
	return os.ReadFile(filepath.Join(folder, "code"))
}

// Translate copies the archive of the .cu files at paths and adds machine code for arch, such as sm_90, to the
// PTX. Drivers of other GPUs still translate the PTX.
func Translate(ctx context.Context, archive, arch, to string, paths ...string) error {
	codes := make([]cuda.Code, len(paths))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.NumCPU())
	for i, path := range paths {
		group.Go(func() error {
			s, err := source(archive, path)
			if err != nil {
				return err
			}
			ptx, err := s.PTX()
			if err != nil {
				return err
			}
			machine, err := translate(ctx, ptx, arch)
			if err != nil {
				return fmt.Errorf("translate %s: %w", path, err)
			}
			codes[i] = cuda.Code{Name: s.Name, Text: s.Text, PTX: ptx, Machine: machine, Arch: arch}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	packed, err := cuda.Pack(codes)
	if err != nil {
		return err
	}
	return os.WriteFile(to, packed, 0o644)
}

// translate runs ptxas in a temporary folder.
func translate(ctx context.Context, ptx []byte, arch string) ([]byte, error) {
	folder, err := os.MkdirTemp("", "efoc-cuda-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if err := os.WriteFile(filepath.Join(folder, "code.ptx"), ptx, 0o644); err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, "ptxas", "-arch="+arch, "-o", "code", "code.ptx")
	c.Dir = folder
	if out, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, bytes.TrimSpace(out))
	}
	return os.ReadFile(filepath.Join(folder, "code"))
}
