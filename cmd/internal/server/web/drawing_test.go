package web_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestVendored checks that the layout library is dist/dagre.esm.js of the npm package @dagrejs/dagre 3.1.3, unchanged.
func TestVendored(t *testing.T) {
	text, err := os.ReadFile("static/dagre.js")
	require.NoError(t, err)
	sum := sha256.Sum256(text)
	if got := hex.EncodeToString(sum[:]); got != "b0ddaf4af1417bec9bd89373a3a3987f081727d6cc6d95fc40dbf85a19bdf3b0" {
		t.Errorf("static/dagre.js has the digest %s", got)
	}
}

// texts are the boxes of the names of entities and links in the drawing in front.
const texts = `[...(document.querySelector('dialog[open] svg.witnesses') ?? document.querySelector('#verdict:not([hidden]) svg.witnesses') ?? document.querySelector('#answers svg.witnesses')).querySelectorAll('.entity rect:not(.outer), .link text')].map(r => r.getBoundingClientRect())`

// apart checks that a drawing has some entities at least and a name at each link, and that no name lies over another.
func (p *page) apart(least int) {
	p.t.Helper()
	p.until(fmt.Sprintf(`document.querySelectorAll('svg.witnesses .entity').length >= %d`, least))
	if n := eval[int](p, `[...document.querySelectorAll('svg.witnesses .link text')].filter(t => t.textContent.length < 3).length`); n > 0 {
		p.t.Errorf("%d links have no name", n)
	}
	over := eval[int](p, `(boxes => boxes.filter((a, i) => boxes.some((b, j) => j > i && a.right > b.left + 1 && b.right > a.left + 1 && a.bottom > b.top + 1 && b.bottom > a.top + 1)).length)(`+texts+`)`)
	if over > 0 {
		p.t.Errorf("%d names in the drawing lie over others", over)
	}
}

// place is where the middle of an element is.
type place struct{ X, Y float64 }

func (p *page) place(selector string) place {
	p.t.Helper()
	return eval[place](p, fmt.Sprintf(`(r => ({ X: r.x + r.width / 2, Y: r.y + r.height / 2 }))(document.querySelector(%q).getBoundingClientRect())`, selector))
}

// handleDrawing drags an entity of a drawing, whose links follow, zooms, moves the view by keys, and shows it on the whole screen.
func handleDrawing(p *page) {
	const answer, link = "#answers .witnesses .answer", "#answers .witnesses .link path"
	path := p.eval(`[...document.querySelectorAll('` + link + `')].map(x => x.getAttribute('d')).join()`)
	p.do(chromedp.ScrollIntoView(answer))
	was := p.place(answer)
	p.do(chromedp.DragAndDropXY(was.X, was.Y, was.X-60, was.Y+10))
	is := p.place(answer)
	if math.Abs(is.X-was.X+60) > 2 || math.Abs(is.Y-was.Y-10) > 2 {
		p.t.Errorf("dragged from %v by -60, 10 the entity is at %v", was, is)
	}
	if p.eval(`[...document.querySelectorAll('`+link+`')].map(x => x.getAttribute('d')).join()`) == path {
		p.t.Error("no link follows")
	}

	// It stays there when the drawing grows; the view may move.
	const at = `document.querySelector('` + answer + `').getAttribute('transform')`
	kept := p.eval(at)
	count := eval[int](p, "document.querySelectorAll('#answers .witnesses .entity').length")
	p.do(chromedp.Click("#answers .witnesses .constant"))
	p.until(fmt.Sprintf("document.querySelectorAll('#answers .witnesses .entity').length > %d", count))
	if got := p.eval(at); got != kept {
		p.t.Errorf("dragged to %s, the entity of a drawing that has grown is at %s", kept, got)
	}

	const wide = `document.querySelector('#answers .witnesses').viewBox.baseVal.width`
	before := eval[float64](p, wide)
	p.do(chromedp.Click(`#answers .stage [aria-label="Zoom in"]`))
	if after := eval[float64](p, wide); math.Abs(before/after-1.25) > 0.01 {
		p.t.Errorf("zoomed in, the view is %.0f wide, before %.0f", after, before)
	}
	p.do(chromedp.Focus("#answers .stage"))
	was = p.place(answer)
	p.keys(kb.ArrowRight)
	if is = p.place(answer); is.X >= was.X {
		p.t.Errorf("the view to the right, the entity is at %v, before at %v", is, was)
	}

	p.js(`[...document.querySelectorAll('#answers .stage button')].find(b => b.innerText === 'Whole screen').id = 'whole'`)
	p.do(chromedp.Click("#whole"))
	p.until(`document.fullscreenElement?.className === 'stage' && document.querySelector('#answers .witnesses').clientHeight > 600`)
	p.do(chromedp.Click("#whole"))
	// Back in its place, the drawing is laid out again.
	p.until(`document.fullscreenElement === null && (picture => picture.viewBox.baseVal.width < picture.clientWidth / 0.8 + 1)(document.querySelector('#answers .witnesses'))`)
}

// typed opens the world with a relation to types.
func typed(context.Context) (*runtime.Model, error) {
	m, err := world.Open()
	if err == nil {
		m.Bundle().Manifest.TypeRelation = "in_continent"
	}
	return m, err
}

// seeTypes sees that entities of a type have its colour, as the key says.
func seeTypes(p *page) {
	p.askFor(`borders("Turkey", y)`)
	p.do(chromedp.Click("#view-graph"))
	p.until(`document.querySelectorAll('#answers .lines li.kind').length === 2`)
	colours := eval[map[string]string](p, `Object.fromEntries([...document.querySelectorAll('#answers .witnesses .entity')].map(e => [e.dataset.expand, getComputedStyle(e.querySelector('rect')).fill]))`)
	key := eval[map[string]string](p, `Object.fromEntries([...document.querySelectorAll('#answers .lines li.kind')].map(e => [e.innerText.trim(), getComputedStyle(e.querySelector('i')).backgroundColor]))`)
	m, err := world.Open()
	require.NoError(p.t, err)
	defer m.Close()
	r, err := m.Relation("in_continent")
	require.NoError(p.t, err)
	for name, colour := range colours {
		e, err := m.Entity(name)
		require.NoError(p.t, err)
		kind := ""
		if tails := m.Bundle().Graph.Tails(e.ID(), r.ID()); len(tails) > 0 {
			kind = m.EntityLabel(graph.EntityID(tails[0]))
		}
		coloured := slices.Contains(slices.Collect(maps.Values(key)), colour)
		if coloured != (kind != "") || coloured && key[kind] != colour {
			p.t.Errorf("%s, in %q, has the colour %s: %v", name, kind, colour, key)
		}
	}
	p.picture("types")
}
