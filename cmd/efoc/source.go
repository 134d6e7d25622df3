package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
)

// querySource holds the ways to give a query.
type querySource struct {
	Formula string `arg:"" optional:"" help:"Question in one line, in which one variable is not quantified; - reads it from standard input."`

	File      string `short:"f" group:"query" placeholder:"FILE.efo" predictor:"efo" help:"File of query templates."`
	Query     string `short:"q" group:"query" placeholder:"NAME" help:"Template of --file; not needed if it has only one."`
	Shape     string `group:"query" placeholder:"NAME" predictor:"shape" help:"Benchmark shape by name, such as 2p."`
	Benchmark string `group:"query" placeholder:"FORMULA" help:"Formula as in the EFO-1 and FIT data sets, such as (r1(s1,e1))&(r2(e1,f))."`

	file *lang.File // of the template, once it is loaded
}

// load returns the query that the command line gives.
func (s *querySource) load(a *app) (*lang.Query, error) {
	given := 0
	for _, text := range []string{s.Formula, s.File, s.Shape, s.Benchmark} {
		if text != "" {
			given++
		}
	}
	switch {
	case given == 0:
		return nil, usagef("no query given: want a formula, --file, --shape or --benchmark")
	case given > 1:
		return nil, usagef("several queries given: want one of a formula, --file, --shape and --benchmark")
	case s.Query != "" && s.File == "":
		return nil, usagef("--query %s picks a template of a file: give the file with --file", s.Query)
	case s.File != "":
		return s.template()
	case s.Shape != "":
		return lang.ShapeQuery(s.Shape)
	case s.Benchmark != "":
		return lang.ParseBenchmark(s.Benchmark)
	case s.Formula != "-":
		return lang.ParseFormula(s.Formula)
	}
	text, err := await(a.ctx, func() ([]byte, error) {
		// One byte over the limit is enough to see that it is exceeded.
		return io.ReadAll(io.LimitReader(a.stdin, lang.MaxFormulaBytes+1))
	})
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	return lang.ParseFormula(strings.TrimRight(string(text), " \t\r\n"))
}

// template returns the template of the file that is asked for.
func (s *querySource) template() (*lang.Query, error) {
	f, err := parseFile(s.File)
	if err != nil {
		return nil, err
	}
	s.file = f
	names := make([]string, len(f.Queries))
	for i, q := range f.Queries {
		if names[i] = q.Name; q.Name == s.Query {
			return q, nil
		}
	}
	switch {
	case len(names) == 0:
		return nil, usagef("%s has no queries", s.File)
	case s.Query == "" && len(names) == 1:
		return f.Queries[0], nil
	case s.Query == "":
		return nil, usagef("%s has several queries: choose with --query one of %s", s.File, strings.Join(names, ", "))
	}
	if near := lang.Nearest(s.Query, names, 3); len(near) > 0 {
		names = near
	}
	return nil, usagef("%s has no query %s; there is %s", s.File, s.Query, strings.Join(names, ", "))
}

// parseFile reads and parses an .efo file.
func parseFile(path string) (*lang.File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return lang.ParseFile(path, text)
}

// chosen returns the semantics to answer with: that of the flag, or else of the file of
// templates, or else message passing.
func (s *querySource) chosen(flag string) string {
	switch {
	case flag != "":
		return flag
	case s.file != nil && s.file.Semantics != "":
		return s.file.Semantics
	}
	return model.NSMP.String()
}

// layers returns the number of layers that the file of templates asks for, 0 if none.
func (s *querySource) layers() int {
	if s.file == nil {
		return 0
	}
	return s.file.Layers
}

// warn shows the warnings about a query.
func (a *app) warn(warnings []lang.Warning) {
	for _, w := range warnings {
		fmt.Fprint(a.stderr, w.Render())
	}
}
