package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/efoc/efoc/codegen/gogen"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/fit"
)

// generateCmd writes Go code for files of query templates.
type generateCmd struct {
	Files     []string `arg:"" name:"file.efo" predictor:"efo" help:"Files of query templates."`
	Out       string   `short:"o" placeholder:"FILE.go" predictor:"file" help:"File to write; <name>_efo.go beside <name>.efo if not given."`
	Package   string   `placeholder:"NAME" help:"Go package; by default that of the package clause, or else $$GOPACKAGE, or else the folder's name."`
	Layers    int      `placeholder:"L" help:"Number of layers; 0 for one more than there are variables."`
	Semantics string   `enum:"nsmp,fit,mixed" default:"nsmp" help:"What answers mean: nsmp, fit or mixed, as with ask; the code carries the choice."`
	CUDA      bool     `name:"cuda" help:"Write CUDA kernels too: <name>_<shape>.cu, and <name>_cuda_efo.go, which embeds them and lets the same generated types answer on a GPU. Where the compiler nvrtcc is on the path (kernels/cuda/toolkit), also .cu.ptx; elsewhere they are compiled when they are loaded."`
	Check     bool     `help:"Write nothing; fail if a generated file is missing or out of date."`
}

// Help shows examples.
func (c *generateCmd) Help() string {
	return `Files are written whole or not at all, and only if they change.

Examples:

    efoc generate world.efo
    efoc generate --check queries/*.efo
    efoc generate --semantics mixed world.efo
    efoc generate --cuda world.efo

<name>_efo.go is the same with and without --cuda, and what --cuda adds needs neither
cgo nor a build tag. A query is answered where the model is that it is bound to:

    q, err := world.NewTowns(m)     // m is a *runtime.Model: on the processor

    gpu, err := nvidia.Open()       // runtime/device/nvidia; go build -tags cuda
    onGPU, err := gpu.Load(m)
    q, err := world.NewTowns(onGPU) // the same type, on the GPU

In a Go file beside world.efo:

    //go:generate go run github.com/efoc/efoc/cmd/efoc generate world.efo`
}

// generated is a file to write.
type generated struct {
	source, path string
	code         []byte
}

// Run generates the code of all files before it writes any.
func (c *generateCmd) Run(a *app) error {
	switch {
	case c.Out != "" && len(c.Files) > 1:
		return usagef("--out takes one file of templates, got %d", len(c.Files))
	case c.CUDA && c.Out != "":
		return usagef("--cuda writes several files beside the templates: it takes no --out")
	case c.CUDA && c.Semantics != string(fit.NSMP):
		return usagef("--cuda makes kernels for --semantics %s alone, not for %s: generate that without --cuda, it runs on the processor", fit.NSMP, c.Semantics)
	case c.Layers < 0 || c.Layers > runtime.MaxLayers:
		return usagef("--layers is %d, want 0 (for D+1) to %d", c.Layers, runtime.MaxLayers)
	}
	var errs errorSet
	var files []*lang.File
	for _, path := range c.Files {
		f, err := parseFile(path)
		if err != nil {
			errs = append(errs, err)
		}
		files = append(files, f)
	}
	var outputs []generated
	for i, path := range c.Files {
		if files[i] == nil {
			continue
		}
		out, err := c.generate(path, files[i])
		if err != nil {
			errs = append(errs, err)
		}
		outputs = append(outputs, out)
		if c.CUDA && err == nil {
			kernels, err := c.kernels(path, files[i])
			if err != nil {
				errs = append(errs, err)
			}
			outputs = append(outputs, kernels...)
		}
	}
	if len(errs) > 0 {
		return errs
	}
	for _, out := range outputs {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		err := c.finish(a, out)
		if err == nil && !c.Check && strings.HasSuffix(out.path, ".cu") {
			err = compileCUDA(a, out.path)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// generate returns the code for one file.
func (c *generateCmd) generate(path string, f *lang.File) (generated, error) {
	out := generated{source: path, path: c.Out}
	if out.path == "" {
		out.path = strings.TrimSuffix(path, ".efo") + "_efo.go"
	}
	name, err := c.packageName(f, out.path)
	if err != nil {
		return out, err
	}
	out.code, err = gogen.File(f, gogen.Options{Source: filepath.Base(path), Package: name, Layers: c.Layers, Semantics: fit.Semantics(c.Semantics)})
	var list lang.ErrorList
	if err != nil && !errors.As(err, &list) {
		err = mistake(fmt.Errorf("%s: %w", path, err))
	}
	return out, err
}

// packageName chooses the package of a generated file.
func (c *generateCmd) packageName(f *lang.File, out string) (string, error) {
	for _, name := range []string{c.Package, f.Package, os.Getenv("GOPACKAGE")} {
		if name != "" {
			return name, nil
		}
	}
	abs, err := filepath.Abs(out)
	return filepath.Base(filepath.Dir(abs)), err
}

// finish writes a generated file, or compares it with the one on disk.
func (c *generateCmd) finish(a *app, out generated) error {
	old, err := os.ReadFile(out.path)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing:
		return err
	case !missing && bytes.Equal(old, out.code):
		fmt.Fprintf(a.stderr, "%s is up to date\n", out.path)
		return nil
	case c.Check && missing:
		return fmt.Errorf("%s is missing: run efoc generate %s", out.path, out.source)
	case c.Check:
		return fmt.Errorf("%s is out of date: run efoc generate %s", out.path, out.source)
	case !missing && !isGenerated(old):
		return fmt.Errorf("%s was not generated: remove it, or choose another file with --out", out.path)
	}
	if err := atomicfile.Write(out.path, func(w io.Writer) error { _, err := w.Write(out.code); return err }); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "wrote %s\n", out.path)
	return nil
}

// isGenerated reports whether a Go file says that it is generated, or is empty.
func isGenerated(code []byte) bool {
	return len(bytes.TrimSpace(code)) == 0 || bytes.HasPrefix(code, []byte("// Code generated "))
}
