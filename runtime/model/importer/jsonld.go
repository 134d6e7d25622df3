package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/piprate/json-gold/ld"

	"github.com/efoc/efoc/runtime/model/importer/turtle"
)

const (
	// maxJSONLD bounds a document of JSON-LD, in bytes, which is read whole.
	maxJSONLD = 64 << 20
	// noBase is the base of documents, from which relative IRIs are told, to stay as they are as in other formats.
	noBase = "http://base.invalid/"
	// toQuads says what to do with documents that cannot be read.
	toQuads = "convert it to N-Quads, such as with riot --output=nq"
)

// readJSONLD reads a document of JSON-LD 1.1 as N-Quads, sorted by text.
func readJSONLD(r *factFile) error {
	quads, err := r.quads()
	if err != nil {
		return &lineError{r.path, 1, err}
	}
	blanks := map[string]string{} // new labels, as other files may have the same ones
	name := func(t turtle.Term) turtle.Term {
		if reference, relative := strings.CutPrefix(t.Text, noBase); relative && t.Kind == turtle.IRI {
			t.Text = reference
			if text, err := url.PathUnescape(reference); err == nil { // resolving escaped it
				t.Text = text
			}
		}
		if t.Kind == turtle.Blank {
			if blanks[t.Text] == "" {
				r.anonymous++
				blanks[t.Text] = "#" + strconv.Itoa(r.anonymous)
			}
			t.Text = blanks[t.Text]
		}
		return t
	}
	n := 0
	return turtle.Read(strings.NewReader(quads), turtle.Options{Graphs: &r.file.inGraphs}, func(_ int, s, p, o turtle.Term) error {
		n++
		return cmp.Or(r.pause(n, n), r.add(1, name(s), name(p), name(o)))
	})
}

// quads returns the document as N-Quads. It records the prefixes of its context.
func (r *factFile) quads() (string, error) {
	text, err := io.ReadAll(io.LimitReader(r.text, maxJSONLD+1))
	if err != nil {
		return "", err
	}
	if len(text) > maxJSONLD {
		return "", fmt.Errorf("the document has more than %d MiB: %s", maxJSONLD>>20, toQuads)
	}
	var document any
	if err := json.Unmarshal(text, &document); err != nil {
		return "", err
	}
	r.declareTerms(document)

	remote := &refusedContexts{}
	o := ld.NewJsonLdOptions(noBase)
	o.DocumentLoader = remote
	o.Format = "application/n-quads"
	quads, err := ld.NewJsonLdProcessor().ToRDF(document, o)
	switch {
	case remote.url != "":
		return "", fmt.Errorf("the @context is at %s, which efoc does not fetch: write the context itself into the file, or %s", remote.url, toQuads)
	case err != nil:
		return "", err
	}
	lines := strings.SplitAfter(quads.(string), "\n")
	slices.Sort(lines)
	return strings.Join(lines, ""), nil
}

// declareTerms records the terms of a document's context that abbreviate the beginnings of IRIs.
func (r *factFile) declareTerms(document any) {
	object, _ := document.(map[string]any)
	contexts, several := object["@context"].([]any)
	if !several {
		contexts = []any{object["@context"]}
	}
	for _, c := range contexts {
		terms, _ := c.(map[string]any)
		for _, term := range slices.Sorted(maps.Keys(terms)) {
			iri, _ := terms[term].(string)
			if !strings.HasPrefix(term, "@") && strings.Contains(iri, ":") && strings.ContainsAny(iri[len(iri)-1:], "/#") {
				r.prefixes.declare(term, iri)
			}
		}
	}
}

// refusedContexts loads no documents. It keeps the address of the first that is wanted.
type refusedContexts struct{ url string }

// LoadDocument implements ld.DocumentLoader.
func (c *refusedContexts) LoadDocument(url string) (*ld.RemoteDocument, error) {
	c.url = cmp.Or(c.url, url)
	return nil, errors.New("contexts are not fetched")
}
