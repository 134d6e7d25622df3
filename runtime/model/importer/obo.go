package importer

import (
	"fmt"
	"strings"
)

// readOBO reads an ontology in the format OBO 1.4: is_a, intersection_of, relationship, union_of and instance_of link
// one term to another, and name is its label. Obsolete terms have no facts.
func readOBO(r *factFile) error {
	o := oboReader{r: r}
	if err := r.lines(o.line); err != nil {
		return err
	}
	return o.endStanza()
}

var oboEscapes = strings.NewReplacer(`\!`, "!", `\,`, ",", `\:`, ":", `\"`, `"`, `\\`, `\`)

// oboReader reads the stanzas of an ontology.
type oboReader struct {
	r  *factFile
	at int // the line
	// id is the term of the stanza; empty outside of terms and instances.
	id       string
	isTerm   bool
	obsolete bool
	label    string
	facts    []statement
}

// line parses a line: a tag with its value, or the start of a stanza.
func (o *oboReader) line(at int, text []byte) error {
	o.at = at
	line := strings.TrimSpace(string(text))
	if strings.HasPrefix(line, "[") {
		err := o.endStanza()
		o.isTerm = line == "[Term]" || line == "[Instance]"
		return err
	}
	tag, value, ok := strings.Cut(line, ":")
	if !o.isTerm || strings.HasPrefix(line, "!") {
		return nil
	}
	if !ok {
		return fmt.Errorf("%q, want a tag and its value, such as is_a: GO:0008150", clip([]byte(line)))
	}
	if tag == "name" {
		o.label = oboEscapes.Replace(strings.TrimSpace(value))
		return nil
	}
	value, _, _ = strings.Cut(value, " ! ") // a comment
	value, _, _ = strings.Cut(value, " {")  // qualifiers
	value = strings.TrimSpace(value)
	switch tag {
	case "id":
		o.id = value
	case "is_obsolete":
		o.obsolete = value == "true"
	case "is_a", "instance_of", "union_of":
		o.fact(tag, value)
	case "relationship", "intersection_of":
		relation, object, two := strings.Cut(value, " ")
		if !two {
			relation = tag
			object = value
		}
		o.fact(relation, strings.TrimSpace(object))
	}
	return nil
}

func (o *oboReader) fact(relation, object string) {
	o.facts = append(o.facts, statement{[3]string{o.id, relation, object}, o.at})
}

// endStanza adds the facts of a stanza.
func (o *oboReader) endStanza() error {
	if o.label != "" {
		o.r.named.note(o.id, literalLabel{text: o.label})
	}
	for _, fact := range o.facts {
		if o.obsolete {
			break
		}
		fact.names[0] = o.id // the id may follow the fact
		if err := o.r.linkNames(fact); err != nil {
			return fmt.Errorf("term %s: %w", o.id, err)
		}
	}
	o.id = ""
	o.label = ""
	o.facts = o.facts[:0]
	o.isTerm = false
	o.obsolete = false
	return nil
}
