package importer

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/efoc/efoc/runtime/model/importer/turtle"
)

// labelProperties are the properties whose literals label their subject, in order of preference.
var labelProperties = []string{
	"http://www.w3.org/2000/01/rdf-schema#label",
	"http://www.w3.org/2004/02/skos/core#prefLabel",
	"http://schema.org/name",
	"https://schema.org/name",
}

// literalLabel is a literal that labels an entity or a relation.
type literalLabel struct {
	text, language string
	property       int // index into labelProperties
}

// literalLabels are the best labels of names so far.
type literalLabels struct {
	// language is the preferred one, if any.
	language string
	best     map[string]literalLabel
	read     int
}

// take records the literal of a statement if it is a label, and reports whether it is.
func (l *literalLabels) take(name string, p, o turtle.Term) bool {
	property := slices.Index(labelProperties, p.Text)
	isText := o.Kind == turtle.Literal && o.Datatype == ""
	if property < 0 || !isText || o.Text == "" || strings.ContainsFunc(o.Text, unicode.IsControl) {
		return false
	}
	l.note(name, literalLabel{o.Text, strings.ToLower(o.Language), property})
	return true
}

// note records a label of a name.
func (l *literalLabels) note(name string, label literalLabel) {
	l.read++
	old, ok := l.best[name]
	if !ok || l.compare(label, old) < 0 {
		l.best[name] = label
	}
}

// compare orders the labels of a name: by language, by property, shorter ones first.
func (l *literalLabels) compare(a, b literalLabel) int {
	return cmp.Or(
		cmp.Compare(l.rank(a.language), l.rank(b.language)),
		cmp.Compare(a.property, b.property),
		cmp.Compare(len(a.text), len(b.text)),
		cmp.Compare(a.text, b.text),
	)
}

// rank orders languages: the preferred one and its variants, none, English, others.
func (l *literalLabels) rank(language string) int {
	switch {
	case l.language != "" && isVariant(language, l.language):
		return 0
	case language == "":
		return 1
	case isVariant(language, "en"):
		return 2
	}
	return 3
}

// isVariant reports whether a language tag equals another or is a variant of it, as de-at is of de.
func isVariant(tag, of string) bool {
	return tag == of || strings.HasPrefix(tag, of+"-")
}
