package sparqlresult

import (
	"encoding/xml"
	"io"

	"github.com/efoc/efoc/lang/sparql"
)

// writeXML writes the SPARQL Query Results XML Format.
func writeXML(w io.Writer, r *sparql.Request, a *Result) error {
	type literal struct {
		Language string `xml:"xml:lang,attr,omitempty"`
		Datatype string `xml:"datatype,attr,omitempty"`
		Text     string `xml:",chardata"`
	}
	type binding struct {
		Name    string   `xml:"name,attr"`
		URI     string   `xml:"uri,omitempty"`
		Literal *literal `xml:"literal"`
	}
	type variable struct {
		Name string `xml:"name,attr"`
	}
	type head struct {
		Variables []variable `xml:"variable"`
	}
	type solution struct {
		Bindings []binding `xml:"binding"`
	}
	type solutions struct {
		List []solution `xml:"result"`
	}
	var document struct {
		XMLName xml.Name   `xml:"http://www.w3.org/2005/sparql-results# sparql"`
		Head    head       `xml:"head"`
		Boolean *bool      `xml:"boolean"`
		Results *solutions `xml:"results"`
	}
	if r.Ask && !r.Solution {
		document.Boolean = &a.Holds
	} else {
		vars := columns(r)
		for _, name := range vars {
			document.Head.Variables = append(document.Head.Variables, variable{name})
		}
		document.Results = &solutions{}
		for _, row := range bindings(r, a) {
			var s solution
			for _, name := range vars {
				switch t := row[name]; t.Type {
				case "uri":
					s.Bindings = append(s.Bindings, binding{Name: name, URI: t.Value})
				case "literal":
					s.Bindings = append(s.Bindings, binding{Name: name, Literal: &literal{t.Language, t.Datatype, t.Value}})
				}
			}
			document.Results.List = append(document.Results.List, s)
		}
	}
	text, err := xml.Marshal(document)
	if err == nil {
		_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	}
	return err
}
