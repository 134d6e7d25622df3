package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/sparqlresult"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/lang/limits"
	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/regularfile"
)

// querySource holds the alternative sources of a query.
type querySource struct {
	Formula string `arg:"" optional:"" help:"Question, a formula in which one variable is not quantified, several below a head such as x, y:, or none for a question of yes or no; - reads it from standard input."`

	File  string `short:"f" group:"query" placeholder:"FILE.efo" in:"" help:"File of query templates."`
	Query string `short:"q" group:"query" placeholder:"NAME" help:"Template of --file; not needed if it has only one."`
	Shape string `group:"query" placeholder:"NAME" help:"Benchmark shape by name, such as 2p."`

	SPARQL string `name:"sparql" group:"query" placeholder:"FILE.rq" in:"" help:"File with a SPARQL query, within EFO1 or of an entity's facts; - reads it from standard input."`

	file    lang.File       // with the template, once loaded
	request *sparql.Request // the SPARQL query
	facts   bool            // whether the command answers queries for an entity's facts, which need no plan
}

// load returns the query from the command line. It opens the model, if any, only to find names in a faulty query that
// lack quotes.
func (s *querySource) load(a *app, m *modelFlag) (*lang.Query, error) {
	q, err := s.parse(a)
	if m == nil || !is[lang.ErrorList](err) {
		return q, err
	}
	if open, cannot := m.open(a); cannot == nil {
		defer open.Close()
		err = lang.Unquoted(err, open.Bundle())
	}
	return nil, err
}

func (s *querySource) parse(a *app) (*lang.Query, error) {
	ways := []string{s.Formula, s.File, s.Shape, s.SPARQL}
	given := slices.DeleteFunc(ways, func(text string) bool { return text == "" })
	switch {
	case len(given) == 0:
		return nil, usagef("no query given: want a formula, --file, --shape or --sparql")
	case len(given) > 1:
		return nil, usagef("several queries given: want one of a formula, --file, --shape and --sparql")
	case s.Query != "" && s.File == "":
		return nil, usagef("--query %s picks a template of a file: give the file with --file", s.Query)
	case s.File != "":
		return s.template()
	case s.Shape != "":
		return benchmark.Query(s.Shape)
	case s.SPARQL != "":
		return s.sparql(a)
	case s.Formula != "-":
		return lang.ParseFormula(s.Formula)
	}
	text, err := a.read("-", limits.FormulaBytes)
	if err != nil {
		return nil, err
	}
	return lang.ParseFormula(strings.TrimRight(string(text), " \t\r\n"))
}

// sparql returns the query in the SPARQL file.
func (s *querySource) sparql(a *app) (*lang.Query, error) {
	text, err := a.read(s.SPARQL, limits.FormulaBytes)
	if err != nil {
		return nil, err
	}
	s.request, err = sparql.Parse(string(text))
	if err != nil {
		return nil, err
	}
	if s.request.Facts != nil && !s.facts {
		return nil, usagef("the query asks for stored facts and has no plan: use efoc ask --sparql")
	}
	return s.request.Query, nil
}

// bind looks up the entities that the literals of a SPARQL query name. Without a model, each literal names the entity
// with that text.
func (s *querySource) bind(m *openModel) error {
	switch {
	case s.request == nil:
		return nil
	case m == nil:
		return s.request.Bind(nil, true)
	}
	return sparqlresult.Bind(s.request, m.Model, true)
}

// read reads a text from a regular file, or from standard input if the path is "-". From standard input it reads at
// most one byte over the limit, for which the parser then refuses the text.
func (a *app) read(path string, limit int64) ([]byte, error) {
	if path != "-" {
		return regularfile.Read(path, limit)
	}
	text, err := await(a.ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(a.stdin, limit+1)) })
	if err != nil {
		err = fmt.Errorf("read standard input: %w", err)
	}
	return text, err
}

// template returns the requested template of the file.
func (s *querySource) template() (*lang.Query, error) {
	f, queries, refused, err := pickQueries(s.File, s.Query)
	if err == nil && len(queries) == 0 {
		err = refused
	}
	if err != nil {
		return nil, err
	}
	s.file = *f
	if s.Query == "" && len(queries)+len(refused) > 1 {
		return nil, append(refused, usagef("%s has several queries: choose with --query one of %s", s.File, strings.Join(cli.NamesOf(f.Queries, queryName), ", ")))
	}
	return queries[0], nil
}

// pickQueries reads an .efo file and returns its query of a name, or all if that is empty, and the mistakes of the
// refused ones among them.
func pickQueries(path, wanted string) (f *lang.File, queries []*lang.Query, refused errorSet, err error) {
	f, err = parseFile(path)
	if f == nil {
		return nil, nil, nil, err
	}
	if len(f.Queries)+len(f.Refused) == 0 {
		return nil, nil, nil, usagef("%s has no queries", path)
	}
	known := cli.NamesOf(f.Queries, queryName)
	for _, q := range f.Queries {
		if wanted == "" || wanted == q.Name {
			queries = append(queries, q)
		}
	}
	for _, r := range f.Refused {
		known = append(known, r.Name)
		if wanted == "" || wanted == r.Name {
			refused = append(refused, r.Mistakes())
		}
	}
	if wanted != "" && !slices.Contains(known, wanted) {
		return nil, nil, nil, usagef("%s has no query %s; there is %s", path, wanted, cli.Nearest(wanted, known))
	}
	return f, queries, refused, nil
}

func queryName(q *lang.Query) string { return q.Name }

// parseFile reads an .efo file; besides an error, it returns the file if some of its queries are valid.
func parseFile(path string) (*lang.File, error) {
	text, err := regularfile.Read(path, limits.FileBytes)
	if err != nil {
		return nil, err
	}
	return lang.ParseFile(path, text)
}

// someOf lists the first names and the number of others.
func someOf(names []string) string {
	const most = 5
	text := strings.Join(names[:min(most, len(names))], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// arguments parses the values of --set and checks them against the query's parameters.
func arguments(q *lang.Query, set []string) (map[string]string, error) {
	names := cli.NamesOf(q.Params, func(p lang.Param) string { return p.Name })
	args := make(map[string]string, len(set))
	for _, s := range set {
		name, value, ok := strings.Cut(s, "=")
		name = strings.TrimPrefix(strings.TrimSpace(name), "$")
		value = strings.TrimSpace(value)
		_, twice := args[name]
		switch {
		case !ok || value == "":
			return nil, usagef("--set %s: want PARAMETER=NAME, such as --set %s", s, example(q))
		case len(names) == 0:
			return nil, usagef("--set %s: the query has no parameters", s)
		case twice:
			return nil, usagef("--set gives %s twice", name)
		case !slices.Contains(names, name):
			return nil, usagef("--set %s: the query has no parameter %s; there is %s", s, name, cli.Nearest(name, names))
		}
		args[name] = value
	}
	var missing []string
	for _, p := range q.Params {
		if _, ok := args[p.Name]; !ok {
			missing = append(missing, "--set "+p.Name+"="+strings.ToUpper(p.Kind.String()))
		}
	}
	if len(missing) > 0 {
		return nil, usagef("parameters without a value: add %s", strings.Join(missing, " "))
	}
	return args, nil
}

// example returns a valid --set for the query.
func example(q *lang.Query) string {
	for _, p := range q.Params {
		if p.Kind == kind.Entity {
			return "'" + p.Name + "=France'"
		}
	}
	return "s1=France"
}
