package stages

import (
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
)

// File is a file of templates, analysed once for all generated outputs.
type File struct {
	// Source is the parsed file, with the Semantics and Layers of the plans.
	Source *lang.File
	// Semantics is the semantics of the answers.
	Semantics model.Semantics
	// Templates are the analysed queries, in order. A caller may omit some.
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

// Compile compiles the shape of a part with the settings of the file. Parts with the same shape share the result, which
// is computed once.
func (f *File) Compile(p *Part) (*Compiled, error) {
	return f.compile(p, Options{Layers: f.Source.Layers, Semantics: p.Semantics(f.Semantics)})
}

// CompileDegrees compiles the truth-degree plan of a part's shape, which explains its answers.
func (f *File) CompileDegrees(p *Part) (*Compiled, error) {
	return f.compile(p, Options{Semantics: model.FIT})
}

func (f *File) compile(p *Part, o Options) (*Compiled, error) {
	c, _, err := f.cache.Compile(p.Shape, o)
	return c, p.Locate(err)
}
