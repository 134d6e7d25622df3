package stages

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

// Parts returns the parts of all templates.
func (f *File) Parts() (list []*Part) {
	for _, t := range f.Templates {
		list = append(list, t.PartsFor(f.Semantics)...)
	}
	return list
}

// Compile compiles the shape of a part of a template as the file asks. With fixed, what depends only on names in
// the template is in Compiled.Bind, if that saves sweeps of the entity table. Parts of one shape, and of the same
// fixed slots, share the result, which is computed once.
func (f *File) Compile(p *Part, fixed bool) (*Compiled, error) {
	o := Options{Layers: f.Source.Layers, Semantics: p.Semantics(f.Semantics)}
	if fixed && !p.rows {
		o.Fixed = p.Fixed()
	}
	return f.compile(p, o)
}

// CompileDegrees compiles the shape of a part for truth degrees, which explain its answers.
func (f *File) CompileDegrees(p *Part) (*Compiled, error) {
	return f.compile(p, Options{Semantics: model.FIT})
}

func (f *File) compile(p *Part, o Options) (*Compiled, error) {
	c, _, err := f.cache.Compile(p.Shape, o)
	return c, p.Locate(err)
}
