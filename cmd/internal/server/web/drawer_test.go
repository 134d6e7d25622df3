package web_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/cmd/internal/server"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/limits"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// TestDrawer looks at entities: what is known of them, what may be missing, and around them.
func TestDrawer(t *testing.T) {
	long.Need(t, "it takes nine paths through the page")
	ctx := browser(t)
	walk(t, ctx, []path{
		{"Search", searchEntity}, {"Pages", pageFacts}, {"Missing", seeMissing}, {"Cancelled", closeEarly}, {"Refused", seeRefusal}, {"Neighbourhood", growNeighbourhood},
	})
	t.Run("Small", func(t *testing.T) {
		p := open(t, ctx, server.Config{Options: host.Options{Limits: limits.Limits{Batch: 3, InFlight: 3}}}, 320, 700, "light")
		p.browse("Venezuela")
		p.fits()
		p.picture("entity-phone")
		p.drawGraph()
		p.apart(4)
		p.picture("neighbourhood-phone")
		p.keys(kb.Escape)
		p.until(`!document.getElementById('browse').open`)
		// On a phone only the answer that is tapped is drawn.
		p.do(chromedp.Click("#view-graph"))
		p.until(`document.querySelector('#answers .drawing') !== null`)
		for _, answer := range []string{"German", "Dutch"} {
			p.js(fmt.Sprintf(`[...document.querySelectorAll('#answers .drawing button')].find(b => b.innerText === %q).click()`, answer))
			p.until(fmt.Sprintf(`document.querySelector('#answers .witnesses .answer title')?.textContent === %q`, answer))
			if n := eval[int](p, `document.querySelectorAll('#answers .witnesses .answer').length`); n != 1 {
				p.t.Errorf("%d answers are drawn", n)
			}
			p.apart(3)
			p.fits()
		}
		p.picture("witnesses-phone")
	})
	t.Run("Review", func(t *testing.T) { reviewFacts(t, ctx) })
	t.Run("Uncalibrated", func(t *testing.T) {
		seeScores(open(t, ctx, server.Config{Options: host.Options{Open: hostileWorld(nil)}}, 1280, 900, "light"))
	})
	t.Run("Markup", func(t *testing.T) {
		seeMarkup(open(t, ctx, server.Config{Options: host.Options{Open: hostileWorld(hostile)}}, 1280, 900, "light"))
	})
}

const predicted = `document.querySelector('#browse .missing [role=status]')?.textContent.startsWith('The bars show') || document.querySelector('#browse .missing [role=status]')?.textContent.startsWith('There is no')`

// browse finds an entity, and waits for all of its drawer.
func (p *page) browse(name string) {
	p.t.Helper()
	p.until(answered)
	p.do(chromedp.Focus("#entity-name"))
	p.js(`document.getElementById('entity-name').select()`)
	p.keys(name)
	p.until(fmt.Sprintf(`document.querySelector('ul.completions:not([hidden]) [aria-selected=true]')?.innerText.includes(%q)`, name))
	p.keys(kb.Enter)
	p.until(predicted)
}

const drawn = `document.querySelectorAll('#browse svg.witnesses .link.predicted').length >= 3`

// drawGraph changes from the list of an entity's facts to what is around it.
func (p *page) drawGraph() {
	p.t.Helper()
	p.js(`[...document.querySelectorAll('#browse .choice button')].find(b => b.innerText === 'Graph').click()`)
	p.until(drawn)
}

// searchEntity finds an entity before anything else, and comes back to it by its address.
func searchEntity(p *page) {
	p.until(answered)
	if id := p.eval("document.activeElement.id"); id != "entity-name" {
		p.t.Errorf("the focus is in %s", id)
	}
	p.browse("Venezuela")
	p.shows("#browse", "Venezuela", "Predicted", "borders", "Caracas")
	if text := p.text("#browse-what"); strings.Index(text, "Caracas") > strings.Index(text, "Predicted") {
		p.t.Error("the stored facts come after the predicted ones")
	}
	p.picture("entity")
	here := p.eval("location.href")
	if !strings.Contains(here, "drawer.entity=Venezuela") {
		p.t.Errorf("the address is %s", here)
	}
	title := `document.getElementById('browse').open && document.getElementById('browse-title').innerText`
	p.js(`document.querySelector('#browse [data-relation="capital"]').click()`)
	p.until(title + ` === 'capital'`)
	p.do(chromedp.NavigateBack())
	p.until(title + ` === 'Venezuela'`)
	p.do(chromedp.NavigateBack())
	p.until(`!document.getElementById('browse').open`)
	p.do(chromedp.NavigateForward())
	p.until(title + ` === 'Venezuela'`)
	p.do(chromedp.Reload())
	p.until(title + ` === 'Venezuela'`)
	p.keys(kb.Escape)
	p.until(`!document.getElementById('browse').open && !location.hash.includes('drawer')`)
	// The question below is asked once: the drawer's places in the history do not ask it again.
	p.askFor(`capital("Kenya", y)`)
	p.js(`window.asked = 0; const f = fetch; window.fetch = (path, o) => { if (path === '/v1/ask') window.asked++; return f(path, o); }`)
	p.do(chromedp.Click("#answers tbody th button.entity"))
	p.until(title + ` === 'Nairobi' && location.hash.includes('q=capital')`)
	p.do(chromedp.NavigateBack())
	p.until(`!document.getElementById('browse').open`)
	if n := eval[int](p, "window.asked"); n != 0 {
		p.t.Errorf("the question was asked %d times more", n)
	}
	p.do(chromedp.NavigateBack())
	p.until(`!document.getElementById('formula').value.includes('Kenya')`)
}

// pageFacts sees all facts by a relation, a page at a time.
func pageFacts(p *page) {
	labels := inEurope(p)
	want := len(labels)
	p.browse("Europe")
	section := `[...document.querySelectorAll('#browse .links')].find(s => s.querySelector('h4').innerText.startsWith('in_continent^-1'))`
	first := eval[int](p, section+`.querySelectorAll('li').length`)
	if first >= want || first == 0 {
		p.t.Fatalf("%d of %d are shown at first", first, want)
	}
	p.js(section + `.querySelector('h4 ~ button').click()`)
	p.until(section + fmt.Sprintf(`.querySelectorAll('li').length === %d`, 2*first))

	// A field narrows all facts to some names, not only those that are shown.
	like := 0
	for _, label := range labels {
		if strings.Contains(strings.ToLower(label), "land") {
			like++
		}
	}
	field := section + `.querySelector('input')`
	p.js(field + `.value = 'LAND'; ` + field + `.dispatchEvent(new Event('input'))`)
	p.until(section + fmt.Sprintf(`.querySelectorAll('li').length === %d`, like))
	p.js(field + `.value = 'none such'; ` + field + `.dispatchEvent(new Event('input'))`)
	p.until(section + `.innerText.includes('No name is like that.')`)

	p.js(`{ const s = document.querySelector('#browse .title select'); s.value = '100'; s.dispatchEvent(new Event('change')); }`)
	p.until(section + fmt.Sprintf(`?.querySelectorAll('li').length === %d`, want))
	names := eval[[]string](p, `[...`+section+`.querySelectorAll('li')].map(l => l.innerText)`)
	if len(slices.Compact(slices.Sorted(slices.Values(names)))) != want || !eval[bool](p, section+`.querySelector('h4 ~ button').hidden`) {
		p.t.Errorf("after the last page there are %q", names)
	}
}

// prediction is a row of what may be missing.
type prediction struct {
	Level, Relation, Entity, Percent string
	Part                             float64 // of the bar that is filled
}

const predictionRows = `(() => { let relation = ''; return [...document.querySelectorAll('#browse .missing tr')].map(row => {
	relation = row.querySelector('[data-relation]')?.innerText ?? relation;
	const bar = row.querySelector('.bar i').getBoundingClientRect(), filled = row.querySelector('.bar b').getBoundingClientRect();
	return { Level: row.closest('table').caption.innerText, Relation: relation, Entity: row.querySelector('[data-entity]').dataset.entity, Percent: row.querySelector('.bar span').innerText, Part: filled.width / bar.width };
}); })()`

// seeMissing reads predictions of an entity: none is a fact, the likeliest come first, and the
// bars are as long as the predictions are sure.
func seeMissing(p *page) {
	p.browse("Venezuela")
	few := len(eval[[]prediction](p, predictionRows))
	p.do(chromedp.Click("#browse .missing section > button, #browse .missing > button"))
	rows := eval[[]prediction](p, predictionRows)
	if len(rows) <= few || few < 6 {
		p.t.Errorf("%d predictions, and %d after a click for more", few, len(rows))
	}
	m, err := world.Open()
	require.NoError(p.t, err)
	defer m.Close()
	e, err := m.Entity("Venezuela")
	require.NoError(p.t, err)
	seen := map[[2]string]bool{} // levels and relations
	for i, row := range rows {
		r, errRelation := m.Relation(row.Relation)
		o, errEntity := m.Entity(row.Entity)
		if errRelation != nil || errEntity != nil {
			p.t.Fatalf("%+v", row)
		}
		if m.Bundle().Graph.Has(e.ID(), r.ID(), o.ID()) {
			p.t.Errorf("%+v is a fact", row)
		}
		percent := 0.5
		if _, err := fmt.Sscanf(row.Percent, "%f%%", &percent); err != nil && row.Percent != "< 1%" {
			p.t.Errorf("%+v has no confidence", row)
		}
		if d := 100*row.Part - percent; d > 1.1 || d < -1.1 {
			p.t.Errorf("%+v: the bar is filled to %.1f%%", row, 100*row.Part)
		}
		group := [2]string{row.Level, row.Relation}
		if seen[group] && (rows[i-1].Level != row.Level || rows[i-1].Relation != row.Relation) {
			p.t.Errorf("%+v stands apart from others by its relation", row)
		}
		seen[group] = true
	}
}

// hanging has the server take its time for batches.
const hanging = `window.aborted = 0; window.batches = 0; const f = fetch; window.fetch = (path, o) => path !== '/v1/batch' ? f(path, o) : new Promise((_, fail) => {
	window.batches++;
	o.signal.addEventListener('abort', () => { window.aborted++; fail(new DOMException('', 'AbortError')); });
})`

// closeEarly closes the drawer before the predictions have come: nobody waits for them then.
func closeEarly(p *page) {
	p.until(answered)
	p.js(hanging)
	p.do(chromedp.Click("#answers tbody th button.entity"))
	p.until(`window.batches === 1`)
	p.keys(kb.Escape)
	p.until(`window.aborted === 1 && !document.getElementById('browse').open`)
	// So does another entity.
	p.do(chromedp.Click("#answers tbody th button.entity"))
	p.until(`window.batches === 2`)
	p.js(`document.querySelector('#browse .links [data-entity]').click()`)
	p.until(`window.batches === 3 && window.aborted === 2`)
}

// seeRefusal looks at an entity while the server has too much to do.
func seeRefusal(p *page) {
	p.until(answered)
	p.js(`const f = fetch; window.fetch = (path, o) => path !== '/v1/batch' ? f(path, o) : Promise.resolve(Response.json({ error: { code: 'overloaded', message: 'ask again later' } }, { status: 429 }))`)
	p.do(chromedp.Click("#answers tbody th button.entity"))
	p.until(`document.querySelector('#browse .missing [role=status]')?.textContent === 'ask again later'`)
	p.shows("#browse", "Facts", "official_language")
}

// growNeighbourhood draws what is around an entity, and further out.
func growNeighbourhood(p *page) {
	p.browse("Venezuela")
	p.drawGraph()
	p.shows("#browse", "observed", "predicted")
	p.picture("neighbourhood")
	nodes := `document.querySelectorAll('#browse .witnesses .entity').length`
	before := eval[int](p, nodes)
	p.do(chromedp.Focus(`#browse .witnesses [data-expand="Brazil"]`))
	p.keys(kb.Enter)
	p.until(fmt.Sprintf(`%s > %d && document.activeElement.dataset.entity === 'Brazil'`, nodes, before))
	p.picture("neighbourhood-grown")
	p.keys(kb.Enter)
	p.until(`document.getElementById('browse-title').innerText === 'Brazil'`)
	p.do(chromedp.NavigateBack())
	p.until(`document.getElementById('browse-title').innerText === 'Venezuela' && ` + drawn)
	p.do(chromedp.Reload())
	p.until(`document.getElementById('browse-title').innerText === 'Venezuela' && ` + drawn)
}

// hostile is a name that would be markup if the page took it for that.
func hostile(name string) string {
	return name + ` <img src=x onerror="window.harmed=1"></bdi><script>window.harmed=1</script>`
}

// hostileWorld returns the built-in model without confidence, with all names changed.
func hostileWorld(changed func(string) string) func(context.Context) (*runtime.Model, error) {
	return func(context.Context) (*runtime.Model, error) {
		m, err := world.Open()
		if err != nil {
			return nil, err
		}
		m.Bundle().Manifest.Confidence = model.Confidence{}
		if changed != nil {
			for _, x := range []**names.Names{&m.Bundle().Entities, &m.Bundle().Relations} {
				list := make([]string, (*x).Len())
				for i := range list {
					list[i] = changed((*x).Name(int32(i)))
				}
				if *x, err = names.New("name", list, nil); err != nil {
					return nil, err
				}
			}
		}
		return runtime.NewModel(m.Bundle()), nil
	}
}

// seeScores looks at an entity of a model without confidence.
func seeScores(p *page) {
	p.browse("Venezuela")
	p.shows("#browse .missing", "There is no confidence", "The bars show the score")
	rows := eval[[]prediction](p, predictionRows)
	longest := slices.MaxFunc(rows, func(a, b prediction) int { return int(1000 * (a.Part - b.Part)) })
	if longest.Part < 0.99 || strings.Contains(longest.Percent, "%") {
		p.t.Errorf("the longest bar is %+v", longest)
	}
	p.keys(kb.Escape)
	p.shows("#warnings", "There is no confidence", "The bars show the score")
}

// seeMarkup walks through a drawer with hostile names.
func seeMarkup(p *page) {
	p.until(answered)
	p.js(fmt.Sprintf(`location.hash = new URLSearchParams({ "drawer.entity": %q })`, hostile("Venezuela")))
	p.until(predicted)
	p.shows("#browse", "<img src=x onerror=", "</bdi><script>")
	p.drawGraph()
	nodes := `document.querySelectorAll('#browse .witnesses .entity').length`
	before := eval[int](p, nodes)
	p.js(`document.querySelector('#browse .witnesses [data-expand]').dispatchEvent(new MouseEvent('click', {bubbles: true}))`)
	p.until(fmt.Sprintf("%s > %d", nodes, before))
	p.picture("hostile")
	p.do(chromedp.Reload())
	p.until(drawn)
	p.do(chromedp.NavigateBack())
	p.until(predicted)
	p.js(`document.querySelector('#browse .links [data-relation]').click()`)
	p.until(`document.querySelector('#browse .facts') !== null`)
	p.shows("#browse", "<img src=x onerror=")
	if eval[bool](p, `document.images.length > 0 || window.harmed !== undefined || document.querySelectorAll('script').length !== 1`) {
		p.t.Error("a name became markup")
	}
}
