// Package offline compiles kernels ahead of time, with nvrtcc of kernels/cuda/toolkit,
// where that is on the path, and reads what compiled kernels take of a multiprocessor. It
// needs no GPU and knows no plans.
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
	"strings"

	"github.com/efoc/efoc/kernels/cuda"
)

// Extension follows the name of a .cu in that of the file which Compile writes.
const Extension = ".tar.zst"

// archs are what kernels are compiled for: machine code of the H100 and its relatives, in
// which warp groups multiply and in which they do not, and PTX for every GPU that kernels
// run on.
var archs = []string{"sm_90a", "sm_90", "compute_80"}

// Compiler returns the path of nvrtcc, "" if there is none.
func Compiler() string {
	path, err := exec.LookPath("nvrtcc")
	if err != nil {
		return ""
	}
	return path
}

// Current reports whether the compiled file beside a .cu was made of it as it is.
func Current(path string) (bool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	compiled, err := os.ReadFile(path + Extension)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	s := cuda.Source{Name: path, Text: string(text), Compiled: compiled}
	return s.Current(), nil
}

// Compile compiles the .cu at path, unless that was done, and puts the result beside it.
func Compile(ctx context.Context, path string) error {
	if ok, err := Current(path); ok || err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "efoc-cuda-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	for name, text := range cuda.Headers() {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	// Code names its source: the name alone, so that folders leave no trace.
	name := filepath.Base(path)
	if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
		return err
	}
	var codes []cuda.Code
	for _, arch := range archs {
		c := exec.CommandContext(ctx, Compiler(), name, arch, "code", "-I.")
		c.Dir = folder
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("compile %s for %s: %w\n%s", path, arch, err, bytes.TrimSpace(out))
		}
		code, err := os.ReadFile(filepath.Join(folder, "code"))
		if err != nil {
			return err
		}
		codes = append(codes, cuda.Code{Arch: arch, Bytes: code})
	}
	packed, err := cuda.Pack(string(text), codes)
	if err != nil {
		return err
	}
	return os.WriteFile(path+Extension, packed, 0o644)
}

// Stale says how to bring compiled files up to date.
func Stale(paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	return fmt.Errorf("%s: the compiled code is missing or out of date: with nvrtcc on the path (kernels/cuda/toolkit/compiler.sh FOLDER) run go run kernels/cuda/toolkit/compile.go on them", strings.Join(paths, ", "))
}
