package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/efoc/efoc/codegen/cugen"
	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/atomicfile"
)

// kernels returns the CUDA files of one file of templates.
func (c *generateCmd) kernels(path string, f *lang.File) ([]generated, error) {
	name, err := c.packageName(f, path)
	if err != nil {
		return nil, err
	}
	files, err := cugen.File(f, cugen.Options{Source: filepath.Base(path), Package: name, Layers: c.Layers})
	if err != nil {
		return nil, mistake(fmt.Errorf("%s: %w", path, err))
	}
	var outputs []generated
	for _, file := range files {
		outputs = append(outputs, generated{source: "--cuda " + path, path: filepath.Join(filepath.Dir(path), file.Name), code: file.Code})
	}
	return outputs, nil
}

// cudaArch is what kernels are compiled for: the driver brings that to any later GPU.
const cudaArch = "compute_90"

// compileCUDA compiles kernels to PTX where there is a compiler.
func compileCUDA(a *app, path string) error {
	compiler, err := exec.LookPath("nvrtcc")
	if err != nil {
		return nil // compiled when they are loaded
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
	ptx := filepath.Join(folder, "out.ptx")
	if out, err := exec.CommandContext(a.ctx, compiler, path, cudaArch, ptx, "-I"+folder).CombinedOutput(); err != nil {
		return fmt.Errorf("compile %s: %w\n%s", path, err, out)
	}
	text, err := os.ReadFile(ptx)
	if err != nil {
		return err
	}
	return atomicfile.Write(path+".ptx", func(w io.Writer) error { _, err := w.Write(text); return err })
}
