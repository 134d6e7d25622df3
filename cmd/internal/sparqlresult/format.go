package sparqlresult

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"mime"
	"strconv"
	"strings"

	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/runtime"
)

// Format is a format of results.
type Format struct {
	// Name is the name on command lines, Media the media type.
	Name, Media string
	// Write writes a result.
	Write func(w io.Writer, r *sparql.Request, result *Result) error
}

// Formats are all formats, the default first.
var Formats = []*Format{
	{"sparql-json", "application/sparql-results+json", writeJSON},
	{"sparql-csv", "text/csv; charset=utf-8", writeCSV},
	{"sparql-tsv", "text/tab-separated-values; charset=utf-8", writeTSV},
	{"sparql-xml", "application/sparql-results+xml", writeXML},
}

// general maps general media types to formats.
var general = map[string]string{"application/json": "sparql-json", "application/xml": "sparql-xml", "text/xml": "sparql-xml"}

// Named returns the format with that name, nil if there is none.
func Named(name string) *Format {
	for _, f := range Formats {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Accepted returns the format that a client's Accept headers prefer, nil if they accept none.
func Accepted(accept []string) *Format {
	var best *Format
	most := 0.0
	for item := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		media, params, err := mime.ParseMediaType(item)
		if err != nil {
			continue
		}
		q, err := strconv.ParseFloat(params["q"], 64)
		if err != nil {
			q = 1
		}
		for _, f := range Formats {
			own, _, _ := strings.Cut(f.Media, ";")
			kind, _, _ := strings.Cut(own, "/")
			if matches := media == own || media == "*/*" || media == kind+"/*" || general[media] == f.Name; matches && q > most {
				best = f
				most = q
			}
		}
	}
	if best == nil && strings.TrimSpace(strings.Join(accept, "")) == "" {
		return Formats[0]
	}
	return best
}

const (
	xsdInteger = "http://www.w3.org/2001/XMLSchema#integer"
	xsdDecimal = "http://www.w3.org/2001/XMLSchema#decimal"
	xsdBoolean = "http://www.w3.org/2001/XMLSchema#boolean"
)

// columns returns the variables of a result: the answer with its label, confidence and status, the variables of a row
// with their labels, or the number with its bounds. Those for values follow.
func columns(r *sparql.Request) []string {
	if n := r.Count; n != "" {
		return []string{n, n + "_known", n + "_low", n + "_high"}
	}
	if r.Query.Others != nil {
		var vars []string
		for _, v := range r.Query.Variables() {
			vars = append(vars, v.Name, v.Name+"_label")
		}
		return append(append(vars, "row_confidence", "row_status"), valueNames(r)...)
	}
	y := r.Query.Free
	if r.Solution {
		y = r.Selected
	}
	if y == "" {
		return []string{}
	}
	return append([]string{y, y + "_label", y + "_confidence", y + "_status"}, valueNames(r)...)
}

// numbers returns the values of the columns of a count.
func numbers(n *runtime.Count) []string {
	decimal := func(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }
	return []string{strconv.Itoa(int(math.Round(n.Total()))), strconv.Itoa(n.Known), decimal(n.Low), decimal(n.High)}
}

// confidence formats a confidence, empty if there is none.
func confidence(x float64) string {
	if x == 0 {
		return ""
	}
	return strconv.FormatFloat(x, 'f', 4, 64)
}

type rdfTerm struct {
	Type     string `json:"type"`
	Value    string `json:"value"`
	Language string `json:"xml:lang,omitempty"`
	Datatype string `json:"datatype,omitempty"`
}

// termOf returns the RDF term for an entity.
func termOf(name string) rdfTerm {
	if l, ok := sparql.LiteralOf(name); ok {
		return rdfTerm{"literal", l.Text, l.Language, l.Datatype}
	}
	return rdfTerm{Type: "uri", Value: sparql.IRI(name)}
}

// writeJSON writes SPARQL 1.1 Query Results JSON.
func writeJSON(w io.Writer, r *sparql.Request, a *Result) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if r.Ask && !r.Solution {
		return e.Encode(struct {
			Head    struct{} `json:"head"`
			Boolean bool     `json:"boolean"`
		}{Boolean: a.Holds})
	}
	type head struct {
		Vars []string `json:"vars"`
	}
	type results struct {
		Bindings []map[string]rdfTerm `json:"bindings"`
	}
	return e.Encode(struct {
		Head    head    `json:"head"`
		Results results `json:"results"`
	}{head{columns(r)}, results{bindings(r, a)}})
}

// bindings returns the solutions, each as the terms of its variables.
func bindings(r *sparql.Request, a *Result) []map[string]rdfTerm {
	vars := columns(r)
	rows := []map[string]rdfTerm{}
	if a.Count != nil {
		row := map[string]rdfTerm{}
		for i, x := range numbers(a.Count) {
			row[vars[i]] = rdfTerm{Type: "literal", Value: x, Datatype: [...]string{xsdInteger, xsdInteger, xsdDecimal, xsdDecimal}[i]}
		}
		return append(rows, row)
	}
	for _, x := range a.Rows {
		row := map[string]rdfTerm{}
		about := vars
		for _, v := range x.Values {
			if !r.Solution {
				row[about[0]] = termOf(v.Name)
				row[about[1]] = rdfTerm{Type: "literal", Value: v.Label}
			}
			about = about[min(2, len(about)):]
		}
		for i, l := range literals(r, &x) {
			row[r.Values[i].Name] = termOf(l)
		}
		if len(about) > 0 {
			row[about[1]] = rdfTerm{Type: "literal", Value: x.Status.String()}
		}
		if c := confidence(x.Confidence); c != "" && len(about) > 0 {
			row[about[0]] = rdfTerm{Type: "literal", Value: c, Datatype: xsdDecimal}
		}
		rows = append(rows, row)
	}
	return rows
}

// writeCSV writes SPARQL 1.1 Query Results CSV, escaped for spreadsheets: see tables.Cell. The other formats do not
// escape values.
func writeCSV(w io.Writer, r *sparql.Request, a *Result) error {
	rows := [][]string{columns(r)}
	if r.Ask && !r.Solution {
		rows[0] = []string{strconv.FormatBool(a.Holds)}
	}
	c := csv.NewWriter(w)
	c.UseCRLF = true
	return c.WriteAll(append(rows, records(r, a, func(name string) string { return tables.Cell(termOf(name).Value) }, tables.Cell)...))
}

// writeTSV writes SPARQL 1.1 Query Results TSV, whose values are RDF terms.
func writeTSV(w io.Writer, r *sparql.Request, a *Result) error {
	var names []string
	for _, name := range columns(r) {
		names = append(names, "?"+name)
	}
	if r.Ask && !r.Solution {
		names = []string{`"` + strconv.FormatBool(a.Holds) + `"^^<` + xsdBoolean + ">"}
	}
	literal := func(text string) string { return sparql.Literal{Text: text}.String() }
	var b strings.Builder
	for _, row := range append([][]string{names}, records(r, a, sparql.Term, literal)...) {
		b.WriteString(strings.Join(row, "\t") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// records returns the solutions as rows of text; term and literal format terms and literals.
func records(r *sparql.Request, a *Result, term, literal func(string) string) (rows [][]string) {
	if a.Count != nil {
		return [][]string{numbers(a.Count)}
	}
	for _, x := range a.Rows {
		var row []string
		for _, v := range x.Values {
			row = append(row, term(v.Name), literal(v.Label))
		}
		row = append(row, confidence(x.Confidence), literal(x.Status.String()))
		for _, l := range literals(r, &x) {
			row = append(row, term(l))
		}
		if r.Solution {
			row[0] = ""
			row[1] = ""
			row = row[:len(columns(r))]
		}
		rows = append(rows, row)
	}
	return rows
}
