package web_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/efoc/efoc/cmd/internal/server"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/require"
)

// changeable configures a server that changes the facts of a copy of the built-in model, which lies at the path.
func changeable(t *testing.T) (c server.Config, file string) {
	t.Helper()
	text, err := os.ReadFile("../../../efoc/world/world.efoc")
	require.NoError(t, err)
	file = filepath.Join(t.TempDir(), "world.efoc")
	require.NoError(t, os.WriteFile(file, text, 0o644))
	read := func(context.Context) (*runtime.Model, error) { return runtime.Open(file) }
	return server.Config{Options: host.Options{File: file, Open: read}, FactsToken: "secret"}, file
}

// reviewFacts says of predicted answers, links and facts whether they are true.
func reviewFacts(t *testing.T, ctx context.Context) {
	c, file := changeable(t)
	p := open(t, ctx, c, 1280, 900, "light")
	judgeAnswers(p)
	judgeLate(p)
	judgeLinks(p)
	judgeWhyNot(p)
	reviewDrawer(p)
	reviewQueue(p, file)
}

// shownFacts are the stored facts of an entity by a relation, as the server tells.
func (p *page) shownFacts(entity, relation string) string {
	p.t.Helper()
	p.js(fmt.Sprintf(`window.told = undefined; fetch('/v1/entity/' + encodeURIComponent(%q) + '?k=100&relation=' + %q).then(r => r.json()).then(e => (window.told = (e.links[0]?.entities ?? []).map(x => x.name).join()))`, entity, relation))
	p.until(`window.told !== undefined`)
	return "," + p.eval("window.told") + ","
}

// judgeAnswers says under a name that a predicted answer is true: it becomes known, and predicted again when that is undone.
func judgeAnswers(p *page) {
	p.askFor(`capital("Kenya", y)`)
	const row = `[...document.querySelectorAll('#answers tbody tr')].find(r => r.dataset.judged)`
	p.js(`document.querySelector('#answers tbody tr.predicted').dataset.judged = 1`)
	name := p.eval(row + `.querySelector('th button').textContent`)
	p.js(row + `.querySelector('.review button').click()`)
	p.until(`document.getElementById('who').open`)
	p.do(chromedp.Focus("#who-name"))
	p.keys("ann")
	p.do(chromedp.Focus("#who-token"))
	p.keys("wrong" + kb.Enter)
	p.until(`document.getElementById('who-problem').textContent.includes('token for facts')`)
	p.do(chromedp.Focus("#who-token"))
	p.keys("secret" + kb.Enter)
	p.until(`document.getElementById('judged').textContent.includes('added') && document.activeElement.closest('#judged') !== null`)
	is := func(status string) string {
		return fmt.Sprintf(`[...document.querySelectorAll('#answers tbody tr.%s th button.entity')].some(b => b.textContent === %q)`, status, name)
	}
	p.until(is("known"))
	if !strings.Contains(p.shownFacts("Kenya", "capital"), ","+name+",") {
		p.t.Errorf("%s was not added", name)
	}
	if why := p.witness(`capital("Kenya", y)`, name); !strings.Contains(why, `"ann"`) {
		p.t.Errorf("the journal does not say who added it: %s", why)
	}
	p.picture("judged")
	p.keys(kb.Enter) // Undo has the focus
	p.until(is("predicted"))
	if strings.Contains(p.shownFacts("Kenya", "capital"), ","+name+",") {
		p.t.Errorf("%s is still there", name)
	}
}

// judgeLate says that a fact is true which somebody else has added meanwhile: that is not undone here.
func judgeLate(p *page) {
	p.askFor(`capital("Peru", y)`)
	name := p.eval(`document.querySelector('#answers tbody tr.predicted th button').textContent`)
	p.js(`document.querySelector('#answers tbody tr.predicted .whybutton').click()`)
	p.until(`document.querySelector('#answers .why .review button') !== null`)
	p.js(fmt.Sprintf(`window.added = 0; fetch('/v1/facts', { method: 'POST', headers: { Authorization: 'Bearer secret' }, body: JSON.stringify({ add: [['Peru', 'capital', %q]] }) }).then(r => r.json()).then(r => (window.added = r.added))`, name))
	p.until(`window.added === 1`)
	p.js(`document.querySelector('#answers .why .review button').click()`)
	p.until(fmt.Sprintf(`document.getElementById('judged').textContent === 'capital(Peru, %s) was added before: nothing changed.'`, name))
	p.until(fmt.Sprintf(`[...document.querySelectorAll('#answers tbody tr.known th button.entity')].some(b => b.textContent === %q)`, name))
	if n := eval[int](p, `document.querySelectorAll('#changed li').length`); n != 0 {
		p.t.Errorf("%d changes can be undone", n)
	}
}

// judgeLinks says of a link that a predicted answer rests on, in a question of several atoms, that it is not true.
func judgeLinks(p *page) {
	p.askFor(twoSteps)
	p.js(`[...document.querySelectorAll('#answers tr.predicted button')].find(b => b.innerText === 'true?').click()`)
	p.until(`document.activeElement.closest('#answers .why .review') !== null && document.querySelector('#answers tr.explained.predicted') !== null`)
	p.picture("judge-links")
	fact := strings.TrimPrefix(p.eval(`document.activeElement.getAttribute('aria-label')`), "true: ")
	p.js(`document.activeElement.nextElementSibling.click()`)
	p.until(fmt.Sprintf(`document.getElementById('judged').textContent.startsWith(%q)`, fact+" marked as not true"))
	p.until(answered)
	p.js(`document.querySelector('#judged button').click()`)
	p.until(`document.getElementById('judged').textContent === ''`)
}

// judgeWhyNot says that the fact is true for whose lack an entity is not an answer, under another name.
func judgeWhyNot(p *page) {
	p.unfold("#changes")
	p.do(chromedp.Click("#who-open"))
	p.until(`document.getElementById('who').open`)
	p.holds("who-name", "ann")
	p.js(`document.getElementById('who-name').value = 'bob'; document.getElementById('who-token').value = 'secret'`)
	p.do(chromedp.Click("#who-form button[type=submit]"))
	p.askFor(`borders("France", y)`)
	p.js(`document.querySelector('#why-not input').value = 'Poland'; document.querySelector('#why-not form').requestSubmit()`)
	p.until(`document.querySelector('#why-not .review button') !== null`)
	p.js(`document.querySelector('#why-not .review button').click()`)
	p.until(`document.getElementById('judged').textContent.startsWith('borders(France, Poland) added')`)
	p.until(`[...document.querySelectorAll('#answers tr.known th button.entity')].some(b => b.textContent === 'Poland')`)
	if !strings.Contains(p.witness(`borders("France", y)`, "Poland"), `"bob"`) {
		p.t.Error("the journal does not say who added it")
	}
	p.js(`document.querySelector('#judged button').click()`)
	p.until(`document.getElementById('judged').textContent === ''`)
}

// witness is why an entity is an answer, as the server tells it.
func (p *page) witness(formula, entity string) string {
	p.t.Helper()
	p.js(fmt.Sprintf(`window.why = undefined; fetch('/v1/witness', { method: 'POST', body: JSON.stringify({ formula: %q, entities: [%q] }) }).then(r => r.json()).then(w => (window.why = JSON.stringify(w)))`, formula, entity))
	p.until(`window.why !== undefined`)
	return p.eval("window.why")
}

// reviewDrawer says of facts in the drawer that they are true and not true, which are not offered again then.
func reviewDrawer(p *page) {
	p.browse("Venezuela")
	const button = `[...document.querySelectorAll('#browse .missing .review button')].find(b => b.innerText === %)`
	for label, told := range map[string]string{"true": "added", "not true": "marked as not true"} {
		at := strings.ReplaceAll(button, "%", "'"+label+"'")
		fact := strings.TrimPrefix(p.eval(at+`.getAttribute('aria-label')`), label+": ")
		p.js(at + `.click()`)
		p.until(`[...document.querySelectorAll('#browse .missing .review')].some(x => x.innerText.startsWith('` + told + `'))`)
		p.reload()
		p.until(predicted)
		if strings.Contains(p.eval(`[...document.querySelectorAll('#browse .missing .review button')].map(b => b.getAttribute('aria-label')).join('\n')`), fact) {
			p.t.Errorf("%s is offered again after %s", fact, label)
		}
	}

	p.js(`document.querySelector('#browse [data-relation="capital"]').click()`)
	p.until(`[...document.querySelectorAll('#browse .likeliest button')].some(b => b.innerText === 'Facts of capital')`)
	p.js(`[...document.querySelectorAll('#browse .likeliest button')].find(b => b.innerText === 'Facts of capital').click()`)
	p.until(`document.querySelectorAll('#browse .likeliest tr').length === 25`)
	p.picture("missing")
	p.keys(kb.Escape)
}

// reviewQueue reviews fifty facts by keyboard alone: the model has those that were found true, and the marks of the others.
func reviewQueue(p *page, file string) {
	p.until(`!document.getElementById('browse').open`)
	p.unfold("#changes")
	p.do(chromedp.Click("#queue-open"))
	p.until(`document.getElementById('queue-state').textContent.startsWith('1 of 50')`)
	p.picture("queue")
	var truths, marks []string
	for i := range 50 {
		fact := p.eval(`[...document.querySelectorAll('#queue .fact [data-entity]')].map(b => b.dataset.entity).join('\t' + document.querySelector('#queue .fact [data-relation]').dataset.relation + '\t')`)
		key := string("yns"[i%3])
		if i == 7 { // back, and the other way
			p.keys("y")
			p.until(`document.getElementById('queue-state').textContent.startsWith('9 of 50')`)
			p.keys("u")
			p.until(`document.getElementById('queue-state').textContent.startsWith('8 of 50')`)
		}
		switch key {
		case "y":
			truths = append(truths, fact)
		case "n":
			marks = append(marks, fact)
		}
		p.keys(key)
		next := fmt.Sprintf("%d of 50", i+2)
		if i == 49 {
			next = "All 50 facts reviewed: 17 true, 17 not true, 16 skipped."
		}
		p.until(fmt.Sprintf(`document.getElementById('queue-state').textContent.startsWith(%q)`, next))
	}
	p.keys(kb.Escape)
	p.until(answered + ` && !document.getElementById('queue').open`)
	if n := eval[int](p, `document.querySelectorAll('#changed li').length`); n != 34 {
		p.t.Errorf("%d changes are listed, want 34", n)
	}

	m, err := runtime.Open(file)
	require.NoError(p.t, err)
	defer m.Close()
	for _, fact := range truths {
		if has, _ := stored(p.t, m, fact); !has {
			p.t.Errorf("%q is not stored", fact)
		}
	}
	for _, fact := range marks {
		if has, untrue := stored(p.t, m, fact); has || !untrue {
			p.t.Errorf("%q is not marked", fact)
		}
	}
}

// stored reports whether a model has a fact, and whether it has it marked as not true.
func stored(t *testing.T, m *runtime.Model, fact string) (has, untrue bool) {
	t.Helper()
	parts := strings.Split(fact, "\t")
	h, err := m.Entity(parts[0])
	require.NoError(t, err)
	r, err := m.Relation(parts[1])
	require.NoError(t, err)
	o, err := m.Entity(parts[2])
	require.NoError(t, err)
	marks := m.Bundle().Untrue
	return m.Bundle().Graph.Has(h.ID(), r.ID(), o.ID()), marks != nil && marks.Has(h.ID(), r.ID(), o.ID())
}
