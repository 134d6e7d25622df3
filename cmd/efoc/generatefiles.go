package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/codegen/cugen"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
)

// generated is a file to write.
type generated struct {
	// source is the source file, for messages.
	source string
	path   string
	code   []byte
}

// clashes reports files with several sources.
func clashes(outputs []generated) (errs errorSet) {
	written := map[string]string{} // the template that writes each
	for _, out := range outputs {
		path := strings.ToLower(out.path) // names that differ only in case clash in Go
		if by, ok := written[path]; ok {
			errs = append(errs, usagef("%s and %s both generate %s: rename one of them", by, out.source, out.path))
		}
		written[path] = out.source
	}
	return errs
}

// packageOf returns the package of a Go file, empty if it does not parse.
func packageOf(file string, code []byte) string {
	f, err := parser.ParseFile(token.NewFileSet(), file, code, parser.PackageClauseOnly)
	if err != nil {
		return ""
	}
	return f.Name.Name
}

// kernels returns the CUDA files of one file of templates.
func kernels(path, name string, f *stages.File) ([]generated, error) {
	files, err := cugen.File(f, cugen.Options{Version: release(), Source: filepath.Base(path), Package: name})
	if err != nil {
		return nil, located(path, err)
	}
	var outputs []generated
	for _, file := range files {
		outputs = append(outputs, generated{source: "--cuda " + path, path: filepath.Join(filepath.Dir(path), file.Name), code: file.Code})
	}
	return outputs, nil
}

// located adds the file's name to an error without a position.
func located(path string, err error) error {
	if is[lang.ErrorList](err) || is[*lang.Error](err) {
		return err
	}
	return cli.Mistake(fmt.Errorf("%s: %w", path, err))
}
