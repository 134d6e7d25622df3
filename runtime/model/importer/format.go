package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/efoc/efoc/runtime/model/importer/turtle"
)

// formats maps extensions to readers of the facts in a file; other files are lines. Their errors include the line.
var formats = map[string]func(r *factFile) error{
	".nt":     readRDF(turtle.Options{Graphs: new(int)}),
	".nq":     readRDF(turtle.Options{Graphs: new(int)}),
	".ttl":    readRDF(turtle.Options{}),
	".turtle": readRDF(turtle.Options{}),
	".trig":   readRDF(turtle.Options{Graphs: new(int), Braces: true}),
	".jsonld": readJSONLD,
	".csv":    readCSV,
}

// foreign has advice on unsupported formats.
var foreign = map[string]string{
	".parquet": "Parquet, which efoc does not read: convert it to CSV, such as with duckdb -c \"COPY (FROM 'x.parquet') TO 'x.csv'\"",
	".jsonl":   "JSON Lines, which efoc does not read: convert it to TSV, such as with jq -r '[.subject,.predicate,.object] | @tsv'",
	".ndjson":  "JSON Lines, which efoc does not read: convert it to TSV, such as with jq -r '[.subject,.predicate,.object] | @tsv'",
	".hdt":     "HDT, which efoc does not read: convert it with hdt2rdf to N-Triples",
	".rdf":     "RDF/XML, which efoc does not read: convert it to Turtle or N-Triples, such as with riot --output=nt",
	".obo":     "OBO, which efoc does not read: convert it to Turtle, such as with robot convert --output x.ttl",
	".owl":     "OWL, which efoc does not read: convert it to Turtle, such as with robot convert --output x.ttl",
	".owx":     "OWL/XML, which efoc does not read: convert it to Turtle, such as with robot convert --output x.ttl",
	".ofn":     "OWL in functional syntax, which efoc does not read: convert it to Turtle, such as with robot convert --output x.ttl",
	".graphml": "GraphML, which efoc does not read: write its edges as CSV with the columns source, relation and target, such as with NetworkX",
	".gml":     "GML, which efoc does not read: write its edges as CSV with the columns source, relation and target, such as with NetworkX",
	".json":    "JSON, but efoc reads JSON only as JSON-LD, from a file that ends in .jsonld",
}

// ending returns the extension of a file, without compression.
func ending(path string) string {
	name := strings.ToLower(plainName(path))
	return name[max(0, strings.LastIndexByte(name, '.')):]
}

// read reads the file, or text instead if it is not nil.
func (r *factFile) read(text io.Reader) error {
	var done func()
	var err error
	if text == nil {
		r.text, r.share, done, err = openText(r.path)
	} else {
		r.text, done, err = decompressed(r.path, text)
	}
	if err != nil {
		return err
	}
	defer done()
	end := ending(r.path)
	if what, ok := foreign[end]; ok {
		return fmt.Errorf("%s is %s", r.path, what)
	}
	if read := formats[end]; read != nil && !(end == ".csv" && r.separator == spaceSeparator) {
		return read(r)
	}
	t := tableReader{factFile: r}
	return r.lines(t.line)
}

// namedTriples reports whether the first fact of a file has names that are not numbers. A header line is not a fact.
// Errors in the file are reported when it is read.
func (im *importer) namedTriples(ctx context.Context, path string) (named bool) {
	if end := ending(path); formats[end] != nil && end != ".csv" {
		return true // only tables have ids
	}
	r := factFile{form: newForm(&im.options), ctx: ctx, path: path, progress: func(int64) {}}
	r.to = eachFact(func(_ int, fields [3][]byte) error {
		for _, field := range fields {
			named = named || !isID(string(field))
		}
		return errors.New("enough") // the first fact suffices
	})
	_ = r.read(nil)
	return named
}
