package stages

import "github.com/efoc/efoc/lang"

// Text is a query as written by a user.
type Text struct {
	// Syntax names the language of the text, such as formula, because the same text may be a different query in
	// another language.
	Syntax string
	Text   string
	// Parse parses the text.
	Parse func(text string) (*lang.Query, error)
}

// Formula returns the text of a question: see lang.ParseFormula.
func Formula(text string) Text { return Text{"formula", text, lang.ParseFormula} }

type textKey struct{ syntax, text string }

// Bounds on the cached analyses.
const (
	maxTexts = 4096
	maxBytes = 32 << 20
)

// Analyze returns the analysis of a text, computed once while the cache holds it.
func (c *Cache) Analyze(t Text) (*Analysis, error) {
	key := textKey{t.Syntax, t.Text}
	if a, ok := c.texts.find(key); ok {
		return a, nil
	}
	q, err := t.Parse(t.Text)
	if err != nil {
		return nil, err
	}
	a := Analyze(q)
	a, _ = c.texts.keep(key, a, a.bytes(len(key.text)), maxTexts)
	return a, nil
}

// bytes estimates the memory of an analysis. The syntax tree grows with the text, the normal form and the shape
// with the number of literals.
func (a *Analysis) bytes(text int) int {
	n := 32 * text
	for _, p := range a.Parts {
		n += len(p.Shape.Key) + 96*(len(p.Shape.Constants)+len(p.Shape.Relations))
		for i := range p.Shape.Disjuncts {
			g := &p.Shape.Disjuncts[i]
			n += (64+256)*len(g.Atoms) + 32*len(g.Variables)
		}
		if p.rows { // it has its own formula
			n += 32 * text
		}
	}
	return n
}
