package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/efoc/efoc/codegen/cugen"
	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
)

// kernels returns the CUDA files of one file of templates.
func (c *generateCmd) kernels(path, name string, f *lang.File) ([]generated, error) {
	if f.Semantics != "" && f.Semantics != model.NSMP.String() {
		return nil, usagef("%s: --cuda makes kernels only for semantics %s, not for %s: generate it without --cuda, it runs on the processor", path, model.NSMP, f.Semantics)
	}
	files, err := cugen.File(f, cugen.Options{Source: filepath.Base(path), Package: name})
	if err != nil {
		return nil, located(path, err)
	}
	var outputs []generated
	for _, file := range files {
		outputs = append(outputs, generated{source: "--cuda " + path, file: f, path: filepath.Join(filepath.Dir(path), file.Name), code: file.Code})
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
	return writeBytes(path+".ptx", text)
}
