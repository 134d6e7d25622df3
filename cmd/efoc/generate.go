package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/efoc/efoc/codegen/gogen"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/kernels/cuda/offline"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/regularfile"
)

type generateCmd struct {
	semanticsFlag
	Files     []string `arg:"" name:"file.efo" in:"" help:"Files of query templates."`
	Output    string   `short:"o" placeholder:"FILE.go" out:"*" help:"File to write; by default <name>_efo.go beside <name>.efo."`
	Package   string   `placeholder:"NAME" help:"Go package; by default that of the package clause, then $$GOPACKAGE, then the folder's name."`
	CUDA      bool     `name:"cuda" help:"Also write CUDA kernels: <name>_<shape>.cu, and <name>_cuda_efo.go, which embeds them and lets the same generated types answer on a GPU. If the compiler nvrtcc is on the path (kernels/cuda/toolkit), also write the compiled kernels, <name>_compiled.tar.zst; otherwise they are compiled when they are loaded."`
	Model     string   `short:"m" placeholder:"FILE.efoc" in:"" help:"Check the entities and relations in the templates against this model, and use its semantics unless the file chooses one."`
	PlansOnly bool     `help:"Write the plans of the shapes without types, for programs that look plans up by shape."`
	Check     bool     `help:"Write nothing; fail if a generated file is missing or out of date. Existing kernels are checked too."`
}

// Run generates the code of all files before it writes any. It reports and omits refused templates; the others have
// their code.
func (c *generateCmd) Run(a *app) error {
	switch {
	case c.Output != "" && len(c.Files) > 1:
		return usagef("--output takes one file of templates, got %d", len(c.Files))
	case c.CUDA && c.Output != "":
		return usagef("--cuda writes several files beside the templates: it takes no --output")
	}
	files, refused, err := c.parse(a)
	if err != nil {
		return err
	}
	var errs errorSet
	var outputs []generated
	for i, f := range files {
		if f == nil || len(f.Templates) == 0 && len(f.Source.Queries)+len(f.Source.Refused) > 0 {
			continue
		}
		more, err := c.generate(a, c.Files[i], f)
		if err != nil {
			errs = append(errs, err)
		}
		outputs = append(outputs, more...)
	}
	if len(errs) == 0 {
		errs = clashes(outputs)
	}
	errs = append(refused, errs...)
	if len(errs) > len(refused) {
		return errs
	}
	var kernels []string // of the written file
	for _, out := range outputs {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		err := c.finish(a, out)
		if strings.HasSuffix(out.path, ".cu") {
			kernels = append(kernels, out.path)
		}
		if base, ok := strings.CutSuffix(out.path, "_compiled_efo.go"); ok {
			if err == nil && !c.Check && offline.Compiler() != "" {
				err = offline.Compile(a.ctx, base+"_compiled.tar.zst", kernels...)
			}
			kernels = nil
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

// parse reads and analyses the files; an unreadable one is nil. Files without a semantics get one. parse omits
// templates with mistakes, templates that cannot be compiled as requested and, with a model, templates with unknown
// names.
func (c *generateCmd) parse(a *app) (files []*stages.File, refused errorSet, err error) {
	var sources []*lang.File
	for _, path := range c.Files {
		f, err := parseFile(path)
		if err != nil {
			refused = append(refused, err)
		}
		sources = append(sources, f)
	}
	var own model.Semantics // the model's, or the default without a model
	var m *openModel
	if c.Model != "" {
		m, err = (modelFlag{c.Model}).open(a)
		if err != nil {
			return nil, nil, append(refused, err)
		}
		defer m.Close()
		own = m.Bundle().Manifest.Semantics
		for i, err := range refused {
			refused[i] = lang.Unquoted(err, m.Bundle())
		}
	}
	for i, source := range sources {
		if source == nil {
			files = append(files, nil)
			continue
		}
		s := c.choose(source.Semantics, own)
		if m != nil || c.Semantics != nil {
			source.Semantics = s.String()
		}
		if m != nil && s != own {
			a.warnf("%s: answers are by semantics %s, but %s chooses %s", c.Files[i], s, c.Model, own)
		}
		f, err := stages.AnalyzeFile(source)
		if err != nil {
			return nil, nil, append(refused, err)
		}
		files = append(files, f)
		refused = append(refused, leaveOut(f, m)...)
	}
	return files, refused, nil
}

// leaveOut removes the templates that cannot be compiled or, with a model, have unknown names, and returns their
// errors.
func leaveOut(f *stages.File, m *openModel) (errs errorSet) {
	f.Templates = slices.DeleteFunc(f.Templates, func(t *stages.Analysis) bool {
		before := len(errs)
		for _, part := range t.PartsFor(f.Semantics) {
			if _, err := f.Compile(part); err != nil {
				errs = append(errs, err)
			}
		}
		if m != nil {
			if _, err := t.Source.Resolve(m.Bundle()); err != nil {
				errs = append(errs, err)
			}
		}
		return len(errs) > before
	})
	return errs
}

// generate returns the generated files for one source file, and shows its warnings.
func (c *generateCmd) generate(a *app, path string, f *stages.File) ([]generated, error) {
	out := generated{source: path, path: filepath.Clean(c.Output)}
	if c.Output == "" {
		out.path = filepath.Clean(strings.TrimSuffix(path, ".efo") + "_efo.go")
	}
	name, err := c.packageName(f.Source, out.path)
	if err != nil {
		return nil, err
	}
	o := gogen.Options{Version: release(), Source: filepath.Base(path), Package: name, PlansOnly: c.PlansOnly}
	if plans := (gogen.Options{Source: o.Source, PlansOnly: true}); c.Check && c.wrote(out.path, plans) {
		o.PlansOnly = true
	}
	code, err := gogen.File(f, o)
	if err != nil {
		return nil, located(path, err)
	}
	a.warn(code.Warnings)
	out.code = code.Code
	outputs := []generated{out}
	cuda := c.CUDA
	if c.Check && c.Output == "" {
		_, err := os.Stat(strings.TrimSuffix(path, ".efo") + "_cuda_efo.go") // it embeds the kernels
		cuda = cuda || err == nil
	}
	if !cuda {
		return outputs, nil
	}
	kernels, err := kernels(path, name, f)
	return append(outputs, kernels...), err
}

// maxGenerated bounds the bytes of generated code to compare.
const maxGenerated = 64 << 20

// wrote reports whether the file at path was generated from the templates.
func (c *generateCmd) wrote(path string, o gogen.Options) bool {
	code, _ := regularfile.Read(path, maxGenerated) // there may be none
	header := o.Header() + "\n"
	return bytes.HasPrefix(gogen.Unversioned(code), gogen.Unversioned([]byte(header)))
}

// packageName chooses the package of a generated file.
func (c *generateCmd) packageName(f *lang.File, out string) (string, error) {
	name := cmp.Or(c.Package, f.Package)
	if name == "" && c.Check {
		if code, err := regularfile.Read(out, maxGenerated); err == nil {
			name = packageOf(out, code) // chosen by go generate
		}
	}
	name = cmp.Or(name, os.Getenv("GOPACKAGE"))
	if name != "" {
		return name, nil
	}
	abs, err := filepath.Abs(out)
	return filepath.Base(filepath.Dir(abs)), err
}

// finish writes a generated file, or compares it with the one on disk. A file that differs only in the version of
// efoc is up to date.
func (c *generateCmd) finish(a *app, out generated) error {
	old, err := regularfile.Read(out.path, maxGenerated)
	missing := errors.Is(err, fs.ErrNotExist) || !c.Check && is[*regularfile.Error](err) // /dev/stdout has nothing to compare
	switch {
	case err != nil && !missing:
		return err
	case !missing && bytes.Equal(gogen.Unversioned(old), gogen.Unversioned(out.code)):
		a.notef("%s is up to date", out.path)
		return nil
	case c.Check && missing:
		return fmt.Errorf("%s is missing: run efoc generate %s", out.path, out.source)
	case c.Check:
		return fmt.Errorf("%s is out of date: run efoc generate %s, with the --model or --semantics that it was generated with", out.path, out.source)
	case !missing && len(bytes.TrimSpace(old)) > 0 && !bytes.HasPrefix(old, []byte("// Code generated ")):
		return fmt.Errorf("%s was not generated: remove it, or choose another file with --output", out.path)
	}
	if err := writeBytes(out.path, out.code); err != nil {
		return err
	}
	a.notef("wrote %s", out.path)
	return nil
}
