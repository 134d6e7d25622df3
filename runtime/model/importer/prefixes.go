package importer

// prefixes are short forms for the beginnings of IRIs.
type prefixes struct {
	// iris maps prefixes to beginnings, names beginnings to prefixes; the first declaration of either counts.
	iris, names map[string]string
}

func (p *prefixes) declare(prefix, iri string) {
	if p.iris == nil {
		p.iris = map[string]string{}
		p.names = map[string]string{}
	}
	_, taken := p.iris[prefix]
	_, named := p.names[iri]
	if !taken && !named && iri != "" {
		p.iris[prefix] = iri
		p.names[iri] = prefix
	}
}

// shorten returns an IRI with its longest declared beginning replaced by the prefix, or nothing.
func (p *prefixes) shorten(iri string) string {
	if len(p.names) == 0 {
		return ""
	}
	for at := len(iri) - 1; at > 0; at-- {
		if prefix, ok := p.names[iri[:at]]; ok {
			return prefix + ":" + iri[at:]
		}
	}
	return ""
}
