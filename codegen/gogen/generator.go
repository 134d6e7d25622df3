package gogen

import (
	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen/internal/codegen"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/plan"
)

// Options configure a generated file.
type Options struct {
	// Version is the release of efoc that generates the file, empty for other builds.
	Version string
	// Source is the base name of the .efo file, used in the header and in the name of the list of plans, so that
	// several files can share a package.
	Source string
	// Package is the Go package of the generated file.
	Package string
	// PlansOnly omits the types.
	PlansOnly bool
}

// Header returns the first line of the file.
func (o *Options) Header() string {
	source := o.Source
	if o.PlansOnly {
		source += " with --plans-only"
	}
	return codegen.Header(o.Version, source)
}

// Unversioned returns generated code without the version in its header.
func Unversioned(code []byte) []byte { return codegen.Unversioned(code) }

// generator prints one file.
type generator struct {
	options Options
	file    *stages.File
	names   codegen.FileNames
	out     *jen.File
	shapes  map[*stages.Compiled]*shape
	order   []*shape          // in order of first use
	graphs  map[string]string // variables of the query graphs printed so far, by shape text
}

// shape is a compiled shape and the names of its plan.
type shape struct {
	*stages.Compiled
	variable  string // of the plan
	disjuncts string // the variable that holds its query graphs
	local     *localNames
	run       string   // of the function
	small     string   // of the function for small tables
	users     []string // templates that share it; empty if it only explains answers of others
	degrees   *shape   // explains its answers; nil if it does so itself
}

// template is a template with its compiled parts and generated names.
type template struct {
	*lang.Query
	codegen.QueryNames
	analysis *stages.Analysis
	spec     *plan.Spec
	fields   []string // exported names of the parameters
	shapes   []*shape // of the parts
}
