package web_test

import (
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/efoc/efoc/cmd/internal/server"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// axe names the environment variable with the file axe.min.js of the npm package axe-core.
const axe = "EFOC_AXE"

// states are those in which the page can be, and how a person gets there.
var states = []path{
	{"opens", func(p *page) { p.until(answered) }},
	{"completion", func(p *page) {
		p.focusQuestion()
		p.keys("bord")
		p.until(`!document.getElementById('completions').hidden`)
	}},
	{"mistake", func(p *page) {
		p.focusQuestion()
		p.do(chromedp.SetValue("#formula", `exists x. borders("Frence", x) & officl_language(x, y)`), chromedp.Click("#ask button[type=submit]"))
		p.until(`document.querySelector('#mistake .suggestion') !== null`)
	}},
	{"unfolded", func(p *page) {
		p.askFor(`exists x. borders("France", x) & official_language(x, y) & !official_language("France", y) | also_spoken("France", y)`)
		p.check(`#columns input[value="x"]`)
		p.js(`for (const d of document.querySelectorAll('details')) d.open = true`)
		p.until(`document.querySelectorAll('#relations li').length === 25`)
		p.js(`document.querySelectorAll('#steps button')[1].click()`)
		p.js(`document.querySelector('#graph [data-variable="x"]').dispatchEvent(new MouseEvent('click', {bubbles: true}))`)
		p.js(`document.querySelector('#answers .whybutton').click()`)
		p.until(`document.querySelector('#answers .why') !== null`)
	}},
	{"witnesses", func(p *page) {
		p.askFor(`exists x. borders("France", x) & official_language(x, y) & !official_language("France", y)`)
		p.do(chromedp.Click("#view-graph"))
		p.until(`document.querySelector('#answers svg.witnesses') !== null`)
		p.js(`document.querySelector('#answers details').open = true`)
	}},
	{"entity", func(p *page) {
		p.until(answered)
		p.js(`document.querySelector('#answers tbody th button.entity').click()`)
		p.until(predicted)
	}},
	{"neighbourhood", func(p *page) {
		p.browse("Venezuela")
		p.drawGraph()
	}},
	{"relation", func(p *page) {
		p.until(answered)
		p.js(`document.querySelector('#answers tbody th button.entity').click()`)
		p.until(`document.querySelector('#browse[open] h3') !== null`)
		p.js(`document.querySelector('#browse [data-relation]').click()`)
		p.until(`document.querySelector('#browse .facts') !== null`)
	}},
	{"builder", startBuilding},
	{"changes", func(p *page) {
		p.askFor(twoSteps)
		p.js(`[...document.querySelectorAll('#answers tr.predicted button')].find(b => b.innerText === 'true?').click()`)
		p.until(`document.querySelector('#answers .why .review') !== null`)
		p.unfold("#changes")
	}},
	{"queue", func(p *page) {
		p.until(answered)
		p.js(`document.getElementById('queue-open').click()`)
		p.until(`document.getElementById('queue-state').textContent.startsWith('1 of 50')`)
	}},
	{"who", func(p *page) {
		p.askFor(`capital("Kenya", y)`)
		p.js(`document.querySelector('#answers tr.predicted .review button').click()`)
		p.until(`document.getElementById('who').open`)
	}},
	{"map", func(p *page) {
		p.askFor(`borders("France", y)`)
		p.do(chromedp.Click("#view-map"))
		p.until(`document.querySelectorAll('#answers .point').length === 4`)
	}},
	{"chart", func(p *page) {
		p.askFor(`borders("France", y) & population(y) > 1`)
		p.do(chromedp.Click("#view-chart"))
		p.until(`document.querySelector('#answers .chart') !== null`)
	}},
	{"nothing", func(p *page) {
		p.askFor(`borders("Kenya", y) & borders("Peru", y)`)
		p.check(`#statuses input[value="predicted"]`)
		p.check(`#statuses input[value="confirmed"]`)
		p.until(`document.getElementById('answers').innerText.includes('no such answers')`)
	}},
	{"token", func(p *page) { p.until(`!document.getElementById('token').hidden`) }},
}

// TestAccess checks all states of the page by WCAG 2.2, levels A and AA, with axe-core, in both
// colour schemes, and that no state is wider than a screen of 320 pixels.
func TestAccess(t *testing.T) {
	long.Need(t, "it checks all states of the page")
	file := os.Getenv(axe)
	if file == "" {
		t.Skip("it needs axe.min.js of the npm package axe-core, named by " + axe)
	}
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	ctx := browser(t)
	t.Run("Checker", func(t *testing.T) {
		p := open(t, ctx, server.Config{}, 1280, 900, "light")
		p.until(answered)
		p.js(`document.querySelector('main').append(document.createElement('button')); document.getElementById('state').style.color = '#ccc'`)
		found := strings.Join(p.violations(string(source)), "\n")
		if !strings.Contains(found, "button-name") || !strings.Contains(found, "color-contrast") {
			t.Errorf("a button without a name and a pale text are found as\n%s", found)
		}
	})
	for _, s := range states {
		for _, screen := range []struct {
			name   string
			width  int64
			scheme string
		}{{"wide", 1280, "light"}, {"narrow", 320, "dark"}} {
			t.Run(s.name+"/"+screen.name, func(t *testing.T) {
				c := server.Config{Templates: atlas(t)}
				switch s.name {
				case "token":
					c.Token = "secret"
				case "map", "chart":
					c.Open = placed
				case "changes", "queue", "who":
					c, _ = changeable(t)
				}
				p := open(t, ctx, c, screen.width, 900, screen.scheme)
				s.walk(p)
				p.picture(s.name + "-" + screen.name)
				p.fits()
				if found := p.violations(string(source)); len(found) > 0 {
					t.Errorf("%d violations:\n%s", len(found), strings.Join(found, "\n"))
				}
			})
		}
	}
}

// fits checks that nothing is wider than the screen.
func (p *page) fits() {
	p.t.Helper()
	if wide, screen := eval[int](p, "document.documentElement.scrollWidth"), eval[int](p, "innerWidth"); wide > screen {
		p.t.Errorf("the page is %d wide, the screen %d: %s", wide, screen,
			p.eval(`[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth && !e.closest('.scroll')).map(e => e.outerHTML.slice(0, 120)).slice(0, 5).join('\n')`))
	}
}

// violations checks the page as it is with axe-core.
func (p *page) violations(source string) []string {
	p.t.Helper()
	p.js(source)
	const run = `axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}).then(r => {
		window.found = r.violations.flatMap(v => v.nodes.map(n => v.id + ': ' + v.help + ': ' + n.html.slice(0, 200) + ' ' + (n.any[0]?.message ?? '')));
		window.passes = r.passes.length;
	})`
	p.js("window.passes = 0; " + run + "; undefined")
	p.until("window.passes > 0")
	if passes := eval[int](p, "window.passes"); passes < 15 {
		p.t.Errorf("only %d rules were looked at", passes)
	}
	return eval[[]string](p, "window.found")
}
