package cugen

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen/internal/codegen"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime/device"
)

// Options configure the generated files.
type Options struct {
	// Version is the release of efoc that generates the files, empty for other builds.
	Version string
	// Source is the base name of the .efo file, Package the Go package of the generated file.
	Source, Package string
}

// Output is a generated file.
type Output struct {
	// Name of the file, in the folder of the .efo file.
	Name string
	Code []byte
}

// File generates the kernels of a file: a .cu for each shape; the Go file that embeds them, describes their
// launches and attaches them to the plans that package gogen prints for the same file; and a Go file that, in
// builds with the tag cuda, embeds the compiled kernels, <base>_compiled.tar.zst. Truth degrees need only the
// Go file.
func File(f *stages.File, o Options) ([]Output, error) {
	names, err := codegen.NewFileNames(o.Source)
	if err != nil {
		return nil, err
	}
	var outputs []Output
	var plans, printed []*device.Kernels
	seen := map[*stages.Compiled]bool{}
	for _, part := range f.Parts() {
		if part.Rows() { // answered in main memory
			continue
		}
		c, err := f.Compile(part)
		if err != nil {
			return nil, err
		}
		if seen[c] {
			continue
		}
		seen[c] = true
		p, err := Plan(c)
		if err != nil {
			return nil, part.Locate(err)
		}
		plans = append(plans, p)
		p = cmp.Or(p.Messages, p)
		if p.Degrees == nil {
			p.File = names.KernelFile(c.Shape.Key, c.Layers)
			printed = append(printed, p)
			outputs = append(outputs, Output{p.File, []byte(p.Text)})
		}
	}
	code, err := goFile(names, plans, printed, o)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(o.Source, ".efo")
	outputs = append(outputs, Output{base + "_cuda_efo.go", code})
	if len(printed) == 0 {
		return outputs, nil
	}
	compiled, err := compiledFile(names, o)
	if err != nil {
		return nil, err
	}
	return append(outputs, Output{base + "_compiled_efo.go", compiled}), nil
}

// compiledFile prints the Go file that embeds the compiled kernels.
func compiledFile(names codegen.FileNames, o Options) ([]byte, error) {
	out := codegen.NewGoFile(o.Package, codegen.Header(o.Version, o.Source))
	out.HeaderComment("//go:build cuda")
	// The pattern includes this file, so that it matches even if nothing was compiled.
	base := strings.TrimSuffix(o.Source, ".efo") + "_compiled"
	out.Comment("//go:embed " + base + "*")
	out.Var().Id(names.Compiled).Qual("embed", "FS")
	out.Func().Id("init").Params().Block(
		jen.Qual(codegen.DevicePath, "AddCompiled").Call(jen.Id(names.DevicePlans), jen.Id(names.Compiled), jen.Lit(base+".tar.zst")))
	return codegen.RenderGo(out)
}

// goFile prints the host side of the plans; printed lists the plans with kernels of their own.
func goFile(names codegen.FileNames, plans, printed []*device.Kernels, o Options) ([]byte, error) {
	out := codegen.NewGoFile(o.Package, codegen.Header(o.Version, o.Source))
	codegen.Pin(out, codegen.DevicePath, device.ABI)
	for _, p := range printed {
		out.Comment("//go:embed " + p.File)
	}
	if len(printed) > 0 {
		out.Var().Id(names.Kernels).Qual("embed", "FS")
	}
	out.Comment(fmt.Sprintf("// %s are the kernels of the query shapes in %s, and how to launch them.", names.DevicePlans, oneLine(o.Source)))
	out.Comment("// Queries on a device run them.")
	var list []jen.Code
	for _, p := range plans {
		list = append(list, planLiteral(names, p))
	}
	out.Var().Id(names.DevicePlans).Op("=").Index().Op("*").Qual(codegen.DevicePath, "Kernels").Values(list...)
	out.Func().Id("init").Params().Block(jen.Qual(codegen.PlanPath, "Attach").Call(jen.Id(names.Plans), jen.Id(names.DevicePlans)))
	return codegen.RenderGo(out)
}

// planLiteral prints a plan, without its type.
func planLiteral(names codegen.FileNames, p *device.Kernels) *jen.Statement {
	fields := codegen.Fields{"Text": nil}
	if p.File != "" {
		fields["Files"] = jen.Id(names.Kernels)
	}
	if p.Messages != nil {
		fields["Messages"] = jen.Op("&").Qual(codegen.DevicePath, "Kernels").Add(planLiteral(names, p.Messages))
	}
	return codegen.Literal(p, fields)
}
