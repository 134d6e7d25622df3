package compiler

import (
	"container/list"
	"sync"

	"github.com/efoc/efoc/lang"
)

// Text is a query as a user writes it.
type Text struct {
	// Syntax names the language of the text, such as formula: the same words mean
	// another query in another one.
	Syntax string
	Text   string
	// Parse reads it.
	Parse func(text string) (*lang.Query, error)
}

// Formula returns the text of a question: see lang.ParseFormula.
func Formula(text string) Text { return Text{"formula", text, lang.ParseFormula} }

// texts keeps the analyses of texts.
type texts struct {
	mu       sync.Mutex
	kept     map[textKey]*list.Element
	recent   list.List // of *analysed, the last used first
	bytes    int       // of all that are kept
	analyses int       // that were made
}

type textKey struct{ syntax, text string }

type analysed struct {
	key      textKey
	analysis *Analysis
	bytes    int
}

// Bounds on the analyses that are kept.
const (
	maxTexts     = 4096
	maxTextBytes = 32 << 20
)

// Analyze returns the analysis of a text, which is made once as long as it is kept.
func (c *Cache) Analyze(t Text) (*Analysis, error) {
	key := textKey{t.Syntax, t.Text}
	if a := c.texts.find(key); a != nil {
		return a, nil
	}
	q, err := t.Parse(t.Text)
	if err != nil {
		return nil, err
	}
	a, err := Analyze(q)
	if err != nil {
		return nil, err
	}
	c.texts.keep(key, a)
	return a, nil
}

// Analyses returns how many shapes of texts had to be found because they were not kept.
func (c *Cache) Analyses() int {
	c.texts.mu.Lock()
	defer c.texts.mu.Unlock()
	return c.texts.analyses
}

// find returns what is kept of a text, nil if there is nothing.
func (t *texts) find(key textKey) *Analysis {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.kept[key]
	if e == nil {
		return nil
	}
	t.recent.MoveToFront(e)
	return e.Value.(*analysed).analysis
}

// keep adds an analysis that was made. Those used longest ago make room.
func (t *texts) keep(key textKey, a *Analysis) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.analyses++
	if t.kept[key] != nil {
		return // another goroutine was faster
	}
	if t.kept == nil {
		t.kept = map[textKey]*list.Element{}
	}
	added := &analysed{key, a, a.bytes(len(key.text))}
	t.kept[key] = t.recent.PushFront(added)
	t.bytes += added.bytes
	for len(t.kept) > maxTexts || t.bytes > maxTextBytes {
		oldest := t.recent.Remove(t.recent.Back()).(*analysed)
		delete(t.kept, oldest.key)
		t.bytes -= oldest.bytes
	}
}

// bytes estimates what an analysis takes. The syntax tree grows with the text, the shape
// with the normal form.
func (a *Analysis) bytes(text int) int {
	n := 32*text + len(a.Shape.Key) + 96*(len(a.Shape.Constants)+len(a.Shape.Relations))
	for i := range a.Shape.SCQs {
		g := &a.Shape.SCQs[i]
		n += 64*len(g.Atoms) + 32*len(g.Variables)
	}
	return n
}
