package web_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/testdata/require"
)

// pickRelation chooses an option of a list of the builder, once the list has it.
func (p *page) pickRelation(condition, list int, value string) {
	p.t.Helper()
	at := fmt.Sprintf(`document.querySelectorAll('#conditions .condition')[%d].querySelectorAll('select')[%d]`, condition, list)
	p.until(fmt.Sprintf(`[...%s.options].some((o) => o.value === %q)`, at, value))
	p.js(fmt.Sprintf(`%s.value = %q; %[1]s.dispatchEvent(new Event('change'))`, at, value))
}

// openBuilder opens the builder, and chooses an entity and a relation. Enter takes the first name before the list of
// names is there.
func openBuilder(p *page) {
	p.until(answered)
	p.unfold("#builder")
	p.until(`document.getElementById('build-1') !== null`)
	p.do(chromedp.Focus("#build-1"))
	p.keys("France" + kb.Enter)
	p.pickRelation(0, 0, "borders")
}

// startBuilding opens the builder, and chooses an entity and two relations.
func startBuilding(p *page) {
	openBuilder(p)
	p.until(`document.getElementById('formula').value === 'borders("France", y)'`)
	p.pickRelation(0, 1, "official_language")
	p.until(`document.getElementById('formula').value === 'exists x. borders("France", x) & official_language(x, y)'`)
}

// buildQuestion builds a question without writing a formula.
func buildQuestion(p *page) {
	startBuilding(p)

	// The relations of an entity come with the numbers of its facts, in either direction.
	m, err := world.Open()
	require.NoError(p.t, err)
	defer m.Close()
	france, err := m.Entity("France")
	require.NoError(p.t, err)
	offered := p.text("#conditions select")
	for _, name := range []string{"borders", "official_language", "capital", "borders^-1"} {
		r, err := m.Relation(name)
		require.NoError(p.t, err)
		n := len(m.Bundle().Graph.Tails(france.ID(), r.ID()))
		want := fmt.Sprintf("%s → (%d fact", name, n)
		if plain, inverse := strings.CutSuffix(name, "^-1"); inverse {
			want = fmt.Sprintf("← %s (%d fact", plain, n)
		}
		if n > 0 && !strings.Contains(offered, want) {
			p.t.Errorf("%q is not offered:\n%s", want, offered)
		}
	}
	if n := eval[int](p, `document.querySelectorAll('#conditions select')[0].options.length`); n < 4 || n > 1+m.NumRelations() {
		p.t.Errorf("%d relations are offered", n)
	}
	p.do(chromedp.Click("#build-more"))
	p.until(`document.activeElement.id === 'build-2'`)
	p.keys("France" + kb.Enter)
	p.pickRelation(1, 0, "official_language")
	p.js(`document.querySelectorAll('#conditions input[type=checkbox]')[1].click()`)
	p.until(`document.getElementById('formula').value === 'exists x. borders("France", x) & official_language(x, y) & !official_language("France", y)'`)
	p.picture("builder")
	p.do(chromedp.Click("#builder button[type=submit]"))
	p.until(answered + ` && document.getElementById('formula').value.includes('!')`)
	p.shows("#answers", "German", "Dutch")

	// What was built can be edited, and taken back.
	p.askFor(`borders("France", y)`)
	p.until(`document.getElementById('answers').innerText.includes('Belgium')`)
	p.js(`document.querySelector('#conditions .condition:last-child button').click()`)
	p.holds("formula", `exists x. borders("France", x) & official_language(x, y)`)
}

// populous opens the world with a number and a date for some countries.
func populous(context.Context) (*runtime.Model, error) {
	m, err := world.Open()
	if err != nil {
		return nil, err
	}
	people := values.AttributeValues{Name: "population", Kind: values.NumberKind}
	founded := values.AttributeValues{Name: "founded", Kind: values.DateKind}
	for i, name := range []string{"Spain", "Belgium", "Andorra", "Monaco"} {
		e, err := m.Entity(name)
		if err != nil {
			return nil, err
		}
		people.Values = append(people.Values, values.EntityValue{Entity: e.ID(), Number: float64(4 - i)})
		founded.Values = append(founded.Values, values.EntityValue{Entity: e.ID(), Number: 0})
	}
	valued, err := m.Bundle().WithValues([]values.AttributeValues{people, founded})
	return runtime.NewModel(valued), err
}

// buildFilters builds a question with a number and a date, and completes the name of one in a formula.
func buildFilters(p *page) {
	openBuilder(p)
	p.do(chromedp.Click("#build-value"))
	p.js(`{ const s = document.querySelector('#values select'); s.value = 'population'; s.dispatchEvent(new Event('change')); }`)
	p.do(chromedp.Focus("#values input"))
	p.keys("2.0")
	p.until(`document.getElementById('formula').value === 'borders("France", y) & population(y) > 2'`)
	p.do(chromedp.Click("#build-value"))
	p.do(chromedp.Focus("#values .condition:last-child input"))
	p.keys("1960")
	p.until(`document.getElementById('formula').value === 'borders("France", y) & population(y) > 2 & founded(y) > "1960"'`)
	p.picture("filters")
	p.do(chromedp.Click("#builder button[type=submit]"))
	p.until(answered + ` && document.querySelector('#total button')`)
	p.do(chromedp.Click("#total button"))
	p.until(`document.getElementById('total').textContent.startsWith('2 answers known')`)
	p.shows("#answers", "Spain", "Belgium")
	p.js(`document.querySelector('#values button').click()`)
	p.holds("formula", `borders("France", y) & founded(y) > "1960"`)

	p.focusQuestion()
	p.keys(`borders("France", y)`)
	p.keys(kb.Escape + ` & popul`)
	p.until(`document.querySelector('#completions [aria-selected=true]')?.innerText.includes('population')`)
	p.keys(kb.Tab)
	p.holds("formula", `borders("France", y) & population(`)
}

// findAtOnce finds an entity by Enter before the list of names is there, and the second name of the list by an arrow.
func findAtOnce(p *page) {
	p.until(answered)
	p.do(chromedp.Focus("#entity-name"))
	p.keys("Venezuela" + kb.Enter)
	p.until(`document.querySelector('#browse[open] h2')?.textContent.includes('Venezuela')`)
	p.keys(kb.Escape)
	// The focus comes back, and letters come, sooner than a list closes that has lost the focus.
	p.js(`{ const f = document.getElementById('entity-name'); f.focus(); f.blur(); f.focus(); f.value = 'Guinea'; f.dispatchEvent(new Event('input')); }`)
	p.do(chromedp.Sleep(300 * time.Millisecond))
	p.until(`document.querySelectorAll('ul.completions:not([hidden]) li').length > 1`)
	second := p.eval(`document.querySelectorAll('ul.completions:not([hidden]) li bdi')[1].textContent`)
	p.keys(kb.ArrowDown + kb.Enter)
	p.until(fmt.Sprintf(`document.querySelector('#browse[open] h2')?.textContent === %q`, second))
}
