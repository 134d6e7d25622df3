package gogen

import (
	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen"
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
	// Section selects the generated parts of the file.
	Section Section
	// Bench requests benchmarks of the templates, if types and plans are both generated.
	Bench bool
}

// Section selects parts of a generated file.
type Section int

// The parts.
const (
	// Everything is the types of the templates and the plans of their shapes.
	Everything Section = iota
	// TypesOnly omits the plans: constructors take a plan.Plans.
	TypesOnly
	// PlansOnly omits the types.
	PlansOnly
)

// String returns the flag that selects the section, "" for Everything.
func (p Section) String() string { return [...]string{"", "--types-only", "--plans-only"}[p] }

// Header returns the first line of a file generated from a source.
func (p Section) Header(version, source string) string {
	if flag := p.String(); flag != "" {
		source += " with " + flag
	}
	return codegen.Header(version, source)
}

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
	bind      string   // of the function that runs at binding, if any
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
