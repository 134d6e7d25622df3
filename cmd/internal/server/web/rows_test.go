package web_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/chromedp"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// askRows asks for two variables: a table of rows, whose witnesses came along.
func askRows(p *page) {
	p.askFor(`x, y: borders("France", x) & official_language(x, y)`)
	p.shows("#answers thead", "x", "y", "confidence")
	p.shows("#answers tbody", "Belgium", "Dutch", "known")
	if n := eval[int](p, `document.querySelectorAll('#answers tbody tr[class]').length`); n != 10 {
		p.t.Errorf("%d rows, want 10", n)
	}
	p.do(chromedp.Click("#answers .whybutton"))
	p.shows("#answers .why", "observed", "official_language")
	p.do(chromedp.Click("#more"))
	p.until(`document.querySelectorAll('#answers tbody tr[class]').length === 20`)

	// The drawing leads from the entity that is named by the values of x to those of y.
	p.do(chromedp.Click("#view-graph"))
	p.until(`document.querySelector('#answers svg.witnesses') !== null`)
	p.picture("rows-graph")
	roles := eval[[]string](p, `[...document.querySelectorAll('#answers svg .entity')].map(e => e.getAttribute('aria-label').replace(': add its facts', ''))`)
	for _, want := range []string{"France, named in the question", "Belgium, a value of a variable", "Dutch, an answer"} {
		if !slices.Contains(roles, want) {
			p.t.Errorf("the drawing lacks %q: %q", want, roles)
		}
	}
	p.reload()
	p.until(`document.querySelector('#answers svg.witnesses') !== null`)
	p.do(chromedp.Click("#view-table"))
	p.askFor(`borders("France", y)`)
	p.until(`!document.getElementById('how').hidden`)
}

// narrowAnswers sees how many answers there are, asks for more at a time, and narrows the list.
func narrowAnswers(p *page) {
	known := len(inEurope(p))

	p.askFor(`in_continent(y, "Europe")`)
	p.until(`document.querySelector('#total button')`)
	p.do(chromedp.Click("#total button"))
	p.until(fmt.Sprintf(`document.getElementById('total').textContent.startsWith('%d answers known, ')`, known))
	p.set("k", "100")
	const all = `[...document.querySelectorAll('#answers tbody tr[class] th button.entity')].map(b => b.textContent)`
	p.until(`document.querySelectorAll('#answers tbody tr[class]').length === 100`)
	var want []string
	for _, name := range eval[[]string](p, all) {
		if strings.Contains(strings.ToLower(name), "land") {
			want = append(want, name)
		}
	}
	p.do(chromedp.Focus("#narrow"))
	p.keys("Land")
	got := eval[[]string](p, strings.Replace(all, "tr[class]", "tr[class]:not(.narrowed)", 1))
	if !slices.Equal(got, want) || len(want) < 5 {
		p.t.Errorf("the list is narrowed to %q, want %q", got, want)
	}
	p.shows("#narrowed", fmt.Sprintf("%d of those shown", len(want)))
	p.picture("narrowed")
	p.reload()
	p.until(`document.querySelectorAll('#answers tbody tr[class]:not(.narrowed)').length === 100`)
}

const twoSteps = `exists x. borders("France", x) & official_language(x, y)`

// inEurope returns the labels of the built-in model's entities in Europe.
func inEurope(p *page) (labels []string) {
	m, err := world.Open()
	require.NoError(p.t, err)
	defer m.Close()
	e, err := m.Entity("Europe")
	require.NoError(p.t, err)
	r, err := m.Relation("in_continent^-1")
	require.NoError(p.t, err)
	for _, x := range m.Bundle().Graph.Tails(e.ID(), r.ID()) {
		labels = append(labels, m.EntityLabel(graph.EntityID(x)))
	}
	return labels
}
