package values

import "strings"

// xsd is the prefix of the types of XML Schema.
const xsd = "http://www.w3.org/2001/XMLSchema#"

// xsdKinds maps the local names of XML Schema types to kinds.
var xsdKinds = map[string]Kind{
	"integer": NumberKind, "decimal": NumberKind, "double": NumberKind, "float": NumberKind,
	"int": NumberKind, "long": NumberKind, "short": NumberKind, "byte": NumberKind,
	"nonNegativeInteger": NumberKind, "positiveInteger": NumberKind, "nonPositiveInteger": NumberKind,
	"negativeInteger": NumberKind, "unsignedLong": NumberKind, "unsignedInt": NumberKind,
	"unsignedShort": NumberKind, "unsignedByte": NumberKind,
	"date": DateKind, "dateTime": DateKind, "dateTimeStamp": DateKind, "gYear": DateKind, "gYearMonth": DateKind,
}

// KindOfType returns the kind of the values of an RDF type, empty for types without values.
func KindOfType(iri string) Kind {
	local, ok := strings.CutPrefix(iri, xsd)
	if !ok {
		return ""
	}
	return xsdKinds[local]
}

// ParseLiteral parses a typed literal, in the syntax of N-Triples or Turtle: "2800000"^^<http://…#integer> or
// "1950-01-31"^^xsd:date. It reports false for other text.
func ParseLiteral(literal string) (kind Kind, text string, ok bool) {
	text, of, ok := strings.Cut(strings.TrimPrefix(literal, `"`), `"^^`)
	if !ok || literal[0] != '"' {
		return "", "", false
	}
	if local, short := strings.CutPrefix(of, "xsd:"); short {
		kind = xsdKinds[local]
	} else if iri, closed := strings.CutSuffix(of, ">"); closed {
		kind = KindOfType(strings.TrimPrefix(iri, "<"))
	}
	return kind, text, kind != ""
}

// Literal formats a value, in the syntax of Parse, as a typed literal of N-Triples.
func (k Kind) Literal(text string) string {
	local := "decimal"
	switch p := datePattern.FindStringSubmatch(text); {
	case k == NumberKind && strings.ContainsAny(text, "eE"):
		local = "double"
	case k == NumberKind:
	case p == nil || p[4] != "":
		local = "dateTime"
	case p[3] != "":
		local = "date"
	case p[2] != "":
		local = "gYearMonth"
	default:
		local = "gYear"
	}
	return `"` + text + `"^^<` + xsd + local + ">"
}
