package compiler

import (
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
)

// File is a file of templates, analysed once for everything that is generated from it.
type File struct {
	// Source is the file as it was read, with the Semantics and Layers of the plans.
	Source *lang.File
	// Semantics is the semantics of the answers.
	Semantics model.Semantics
	// Templates are the analysed queries, in order. A caller may leave some out.
	Templates []*Analysis

	cache Cache
}

// AnalyzeFile analyses the templates of a file.
func AnalyzeFile(f *lang.File) (*File, error) {
	semantics, err := model.ParseSemantics(f.Semantics)
	if err != nil {
		return nil, err
	}
	out := &File{Source: f, Semantics: semantics}
	for _, q := range f.Queries {
		out.Templates = append(out.Templates, Analyze(q))
	}
	return out, nil
}

// Queries returns the queries that answer the templates: the parts of sentences, and the other templates
// themselves.
func (f *File) Queries() (list []*Analysis) {
	for _, t := range f.Templates {
		list = append(list, t.Queries()...)
	}
	return list
}

// Compile compiles the shape of a template as the file asks. Templates of one shape share the
// result, which is computed once.
func (f *File) Compile(t *Analysis) (*Compiled, error) {
	return f.compile(t, CompileOptions{Layers: f.Source.Layers, Semantics: f.Semantics})
}

// CompileFixed is Compile with what depends only on names in the template in Compiled.Bind, if
// that saves passes over the entity table. Templates that name the same slots share the result.
func (f *File) CompileFixed(t *Analysis) (*Compiled, error) {
	return f.compile(t, CompileOptions{Layers: f.Source.Layers, Semantics: f.Semantics, Fixed: t.Fixed()})
}

// CompileDegrees compiles the shape of a template for truth degrees, which explain its answers.
func (f *File) CompileDegrees(t *Analysis) (*Compiled, error) {
	return f.compile(t, CompileOptions{Semantics: model.FIT})
}

// CompilePart compiles the shape of a part of a template with several answer variables.
func (f *File) CompilePart(p Part) (*Compiled, error) {
	return f.compile(p.Analysis, CompileOptions{Layers: f.Source.Layers, Semantics: p.Semantics()})
}

func (f *File) compile(t *Analysis, o CompileOptions) (*Compiled, error) {
	c, _, err := f.cache.Compile(t.Shape, o)
	return c, t.Locate(err)
}
