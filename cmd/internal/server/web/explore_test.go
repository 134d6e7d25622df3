package web_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/cmd/internal/server"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// TestExplore takes the paths of a person who does not know the model yet.
func TestExplore(t *testing.T) {
	long.Need(t, "it takes sixteen paths through the page")
	ctx := browser(t)
	walk(t, ctx, []path{
		{"Opens", opens}, {"Entity", openEntity}, {"Relations", listRelations}, {"Witnesses", drawWitnesses}, {"Columns", chooseColumns},
		{"Suggestion", takeSuggestion}, {"Order", focusOrder}, {"Shelf", saveAndRecall}, {"Link", copyLink},
		{"Words", writeRelations}, {"Completion", completeAbbreviations}, {"WhyNot", askWhyNot}, {"Proxy", askThroughProxy},
		{"Builder", buildQuestion}, {"Find", findAtOnce},
	})
	t.Run("Filters", func(t *testing.T) {
		buildFilters(open(t, ctx, server.Config{Options: host.Options{Open: populous}}, 1280, 900, "light"))
	})
	t.Run("Templates", func(t *testing.T) { fillTemplate(open(t, ctx, server.Config{Templates: atlas(t)}, 1280, 900, "light")) })
	t.Run("Values", func(t *testing.T) {
		fillValues(open(t, ctx, server.Config{Options: host.Options{Open: populous}, Templates: large(t)}, 1280, 900, "light"))
	})
	t.Run("Views", func(t *testing.T) {
		seeViews(open(t, ctx, server.Config{Options: host.Options{Open: placed}}, 1280, 900, "light"))
	})
	t.Run("Types", func(t *testing.T) {
		seeTypes(open(t, ctx, server.Config{Options: host.Options{Open: typed}}, 1280, 900, "light"))
	})
	t.Run("Programs", func(t *testing.T) { copiedPrograms(t, ctx) })
}

// writeRelations checks that the page quotes the relations that lang quotes, for each word
// that the grammar knows.
func writeRelations(p *page) {
	grammar, err := os.ReadFile("../../../../lang/doc.go")
	require.NoError(p.t, err)
	words, quoted := []string{"borders", "ship to", "größe", "2nd"}, 0
	for _, m := range regexp.MustCompile(`"([a-z]+)"`).FindAllSubmatch(grammar, -1) {
		words = append(words, string(m[1]))
	}
	list, err := json.Marshal(words)
	require.NoError(p.t, err)
	p.js(fmt.Sprintf(`import("/static/syntax.js").then((syntax) => { window.writtenWords = %s.map(syntax.written); })`, list))
	p.until("window.writtenWords !== undefined")
	for i, got := range eval[[]string](p, "window.writtenWords") {
		want := ast.Relation{Name: words[i]}.String()
		if got != want {
			p.t.Errorf("the page writes %s, lang %s", got, want)
		}
		if strings.HasPrefix(want, `"`) {
			quoted++
		}
	}
	if quoted < 9 {
		p.t.Errorf("of %d words %d are quoted", len(words), quoted)
	}
}

// completeAbbreviations checks where the page completes names in paths, choices and quantifiers.
func completeAbbreviations(p *page) {
	for text, want := range map[string]string{
		`(borders|cap`: "relation cap", `(borders|capital)("Fra`: "entity Fra", `borders{1,3}("Fra`: "entity Fra",
		`(borders|capital^-1){1,2}("Fra`: "entity Fra", `capital("Kenya", y) -> bor`: "relation bor", `borders{1,`: "",
		`all xx`: "", `forall xx`: "", `all x. bor`: "relation bor", `!forall x. borders(x, y) -> bor`: "relation bor",
	} {
		p.js(fmt.Sprintf(`import("/static/syntax.js").then(({ context }) => { const text = %q, c = context(text, text.length, false); window.completed = text + " is " + (c ? c.kind + " " + c.text : ""); })`, text))
		p.until(fmt.Sprintf(`window.completed?.startsWith(%q)`, text+" is "))
		if got := strings.TrimPrefix(p.eval("window.completed"), text+" is "); got != want {
			p.t.Errorf("%s: completes %q, want %q", text, got, want)
		}
	}
}

// askWhyNot asks why an entity is not an answer, then a pair of entities, and misspells one.
func askWhyNot(p *page) {
	asked := func(names ...string) {
		p.t.Helper()
		for i, name := range names {
			p.js(fmt.Sprintf(`document.querySelectorAll('#why-not input')[%d].focus()`, i))
			p.keys(name)
		}
		p.js(`document.querySelector('#why-not form').requestSubmit()`)
		p.until(`document.querySelector('#why-not [role=status]').textContent.length > 1`)
	}
	p.askFor(`exists x. borders("France", x) & borders(x, y) & !in_continent(y, "Europe")`)
	asked("Portugal")
	p.shows("#why-not", "Not a known answer: predicted, confidence", "nearest by x = Spain", "holds borders(Spain, Portugal)", "fails not in_continent(Portugal, Europe): in the graph")
	p.picture("why-not")
	p.askFor(`x, y: borders("France", x) & capital(x, y)`)
	asked("Portugal", "Lisbon")
	p.shows("#why-not", "fails borders(France, Portugal): not in the graph, confidence", "holds capital(Portugal, Lisbon)")
	p.askFor(`borders("France", y)`)
	asked("Spian")
	p.shows("#why-not", `unknown entity "Spian"`)
}

// askThroughProxy asks while a proxy answers for the server.
func askThroughProxy(p *page) {
	p.until(answered)
	p.js(`window.fetch = async () => new Response("<html><h1>502 Bad Gateway</h1></html>", { status: 502, statusText: "Bad Gateway" })`)
	p.do(chromedp.Click("#ask button[type=submit]"))
	p.until(`!document.getElementById('mistake').hidden`)
	p.shows("#mistake", "502 Bad Gateway", "a proxy", "Try again")
}

// opens finds the first example answered, and types another question without a click.
func opens(p *page) {
	p.until(answered)
	p.shows("#answers", "German", "Dutch")
	examples := eval[[]string](p, `[...document.querySelectorAll('#examples code')].map(c => c.textContent)`)
	if len(examples) == 0 || examples[0] != p.eval("document.getElementById('formula').value") {
		p.t.Errorf("the field does not hold the first of %q", examples)
	}
	p.picture("opens")
	p.focusQuestion()
	p.keys(`capital("Kenya", y)`)
	p.keys(kb.Escape + kb.Enter)
	p.until(answered + ` && document.getElementById('answers').innerText.includes('Nairobi')`)
	if title := p.eval("document.title"); title != `capital("Kenya", y) – efoc` {
		p.t.Errorf("the title is %s", title)
	}
	// The history has what was asked, but not the example that the page began with.
	p.askFor(`capital("Peru", y)`)
	p.do(chromedp.Focus("#formula"))
	for _, c := range []struct{ key, want string }{{"ArrowUp", "Kenya"}, {"ArrowUp", "Kenya"}, {"ArrowDown", "Peru"}} {
		p.js(fmt.Sprintf(`document.getElementById('formula').dispatchEvent(new KeyboardEvent('keydown', {key: %q, ctrlKey: true, bubbles: true}))`, c.key))
		p.holds("formula", fmt.Sprintf("capital(%q, y)", c.want))
	}
}

// openEntity looks at an answer's facts, goes to a neighbour and back, and asks from there.
func openEntity(p *page) {
	p.askFor(`borders("Brazil", y) & official_language(y, "Spanish")`)
	p.do(chromedp.Click("#answers tbody th button.entity"))
	p.until(`document.querySelector('#browse[open] h3') !== null`)
	p.shows("#browse", "Venezuela", "borders", "official_language", "Caracas")
	if n := eval[int](p, `[...document.querySelectorAll('button.entity')].filter(b => b.firstChild.nodeName !== 'BDI').length`); n != 0 {
		p.t.Errorf("%d names are not isolated from the direction of the text around them", n)
	}
	p.picture("entity")
	p.do(chromedp.Click(`#browse [data-relation="capital"]`))
	p.until(`document.getElementById('browse-title').innerText === 'capital'`)
	p.shows("#browse", "Relation", "facts from", "For example")
	p.picture("relation")
	p.do(chromedp.NavigateBack())
	p.until(`document.getElementById('browse-title').innerText === 'Venezuela'`)
	p.js(`[...document.querySelectorAll('#browse .links')].find(s => s.innerText.includes('Caracas')).querySelector('button[aria-label]').click()`)
	p.until(`!document.getElementById('browse').open`)
	p.until(answered + ` && document.getElementById('answers').innerText.includes('Caracas')`)
	p.holds("formula", `capital("Venezuela", y)`)
	// By keyboard alone: Enter opens, Escape closes, and the focus is where it was.
	p.do(chromedp.Focus("#answers tbody th button.entity"))
	p.keys(kb.Enter)
	p.until(`document.getElementById('browse-title').innerText === 'Caracas' && document.activeElement.id === 'browse-title'`)
	p.keys(kb.Escape)
	p.until(`!document.getElementById('browse').open && document.activeElement.innerText === 'Caracas'`)
}

// listRelations sees the relations, looks for one, and opens it.
func listRelations(p *page) {
	p.until(answered)
	p.do(chromedp.Click("#vocabulary summary"))
	p.until(`document.querySelectorAll('#relations li').length === 25`)
	p.picture("relations")
	p.do(chromedp.Click("#relations-more"))
	p.until(`document.querySelectorAll('#relations li').length === 30`)
	p.do(chromedp.Focus("#relation"))
	p.keys("offical_lang")
	p.until(`document.querySelector('#relations li')?.innerText.includes('official_language')`)
	p.shows("#relations li", "facts", "→")
	p.do(chromedp.Click("#relations button"))
	p.until(`document.getElementById('browse-title').innerText === 'official_language'`)
}

// drawWitnesses draws what predicted and known answers rest on.
func drawWitnesses(p *page) {
	p.askFor(`exists x. borders("France", x) & official_language(x, y) & !official_language("France", y)`)
	p.do(chromedp.Click("#view-graph"))
	p.until(`document.querySelector('#answers svg.witnesses') !== null`)
	p.shows("#answers .lines", "observed", "predicted", "absent")
	// Each link is drawn as it is, without regard to its colour: by dashes and by a sign.
	type line struct{ Dash, Text string }
	for kind, sign := range map[string]string{"observed": "", "predicted": "?", "absent": "✕"} {
		lines := eval[[]line](p, fmt.Sprintf(`[...document.querySelectorAll('#answers .witnesses g.link.%s')].map(g => ({Dash: getComputedStyle(g.querySelector('path')).strokeDasharray, Text: g.querySelector('text').textContent.trim()}))`, kind))
		if len(lines) == 0 {
			p.t.Errorf("no link is %s", kind)
		}
		for _, l := range lines {
			if (l.Dash == "none") != (kind == "observed") || !strings.HasSuffix(l.Text, sign) {
				p.t.Errorf("a link that is %s has dashes %s and the sign %s", kind, l.Dash, l.Text)
			}
		}
	}
	p.apart(11)
	// The links are those that the model has: observed ones are facts.
	m, err := world.Open()
	require.NoError(p.t, err)
	defer m.Close()
	titles := eval[[]string](p, `[...document.querySelectorAll('#answers .witnesses g.link title')].map(t => t.textContent)`)
	for _, title := range titles {
		var relation, head, tail string
		text, what, _ := strings.Cut(title, "): ")
		relation, text, _ = strings.Cut(text, "(")
		head, tail, _ = strings.Cut(text, ", ")
		h, errHead := m.Entity(head)
		r, errRelation := m.Relation(relation)
		o, errTail := m.Entity(tail)
		if errHead != nil || errRelation != nil || errTail != nil {
			p.t.Fatal(title)
		}
		if fact := m.Bundle().Graph.Has(h.ID(), r.ID(), o.ID()); fact != (what == "a link of the graph") {
			p.t.Errorf("%s, but whether it is a fact is %v", title, fact)
		}
	}
	p.picture("witnesses")
	handleDrawing(p)
	// By keyboard: Enter adds the facts of an answer, and once they are there opens its drawer.
	nodes := `document.querySelectorAll('#answers .witnesses .entity').length`
	before := eval[int](p, nodes)
	p.js(`document.querySelector("#answers .witnesses .answer").focus()`)
	p.keys(kb.Enter)
	p.until(fmt.Sprintf(`%s > %d && document.activeElement.dataset.entity === 'German'`, nodes, before))
	p.apart(before + 1)
	p.picture("witnesses-grown")
	p.keys(kb.Enter)
	p.until(`document.getElementById('browse-title').innerText === 'German'`)
	p.keys(kb.Escape)
	p.until(`!document.getElementById('browse').open && !location.hash.includes('drawer')`)
	p.do(chromedp.Reload())
	p.until(`document.querySelector('#answers svg.witnesses') !== null`)
	p.do(chromedp.Click("#view-table"))
	p.until(`document.querySelector('#answers table') !== null`)
}

// chooseColumns leaves columns out, which the address says too.
func chooseColumns(p *page) {
	p.askFor(twoSteps)
	headings := func() string {
		return strings.Join(eval[[]string](p, `[...document.querySelectorAll('#answers thead th')].map(c => c.textContent)`), " ")
	}
	if got := headings(); got != "rank y confidence score status" {
		p.t.Errorf("the columns are %s", got)
	}
	p.do(chromedp.Click(`#columns input[value="score"]`), chromedp.Click(`#columns input[value="status"]`))
	p.check(`#columns input[value="x"]`)
	p.until(`document.querySelector('#answers thead th:last-child')?.textContent === 'x'`)
	if got := headings(); got != "rank y confidence x" {
		p.t.Errorf("the columns are %s", got)
	}
	p.reload()
	if got := headings(); got != "rank y confidence x" {
		p.t.Errorf("by its address the page has the columns %s", got)
	}
}

// takeSuggestion clicks what may be meant, which is asked at once.
func takeSuggestion(p *page) {
	p.focusQuestion()
	p.keys(`borders("Kenya", y) & offcial_language(y, "Swahili") & borders(y, "Ugando")`)
	p.keys(kb.Escape + kb.Enter)
	p.until(`document.querySelectorAll('#mistake .suggestion').length >= 2`)
	if marks := eval[[]string](p, `[...document.querySelectorAll('#mirror mark')].map(m => m.textContent)`); !slices.Equal(marks, []string{"offcial_language", `"Ugando"`}) {
		p.t.Errorf("underlined are %q", marks)
	}
	p.picture("suggestions")
	p.do(chromedp.Click(`#mistake > div:nth-child(2) .suggestion`))
	p.until(`document.querySelectorAll('#mirror mark').length === 1`)
	p.do(chromedp.Click(`#mistake .suggestion`))
	p.until(answered)
	p.holds("formula", `borders("Kenya", y) & official_language(y, "Swahili") & borders(y, "Uganda")`)
}

// focusOrder goes through the page with Tab: everything comes in the order in which it is seen,
// and what has the focus shows that.
func focusOrder(p *page) {
	p.until(answered)
	p.js(`document.activeElement.blur(); scrollTo(0, 0)`)
	p.do(chromedp.Focus(".skip"))
	var seen []string
	for range 25 {
		seen = append(seen, p.eval(`(e => e.id || e.value || e.textContent.trim().split('\n')[0])(document.activeElement)`))
		if p.eval(`getComputedStyle(document.activeElement).outlineStyle`) == "none" {
			p.t.Errorf("%s does not show its focus", seen[len(seen)-1])
		}
		p.keys(kb.Tab)
	}
	want := []string{"To the question", "To the answers", "To examples and relations", "entity-name", "Build a question", "formula", "Ask", "save", "link", "Settings: 10 answers by messages and explanation", "Count all answers",
		"view-table", "view-graph", "k", "narrow", "known", "predicted", "confirmed", "confidence", "score", "status", "x", "Table of y", "German", "why?"}
	for i := range want {
		if !strings.HasPrefix(seen[i], want[i]) && !(want[i] == "Table of y" && strings.Contains(seen[i], "rank")) {
			p.t.Errorf("Tab goes to %q, want %q: %q", seen[i], want[i], seen)
			return
		}
	}
}

// saveAndRecall finds what was asked and saved, in a later visit too.
func saveAndRecall(p *page) {
	p.askFor(`borders("Kenya", y)`)
	p.do(chromedp.Click(`#statuses input[value="predicted"]`))
	p.until(answered)
	p.do(chromedp.Click("#save"))
	p.until(`document.activeElement.id === 'save-name'`)
	p.keys("Around <b>Kenya</b>" + kb.Enter)
	p.until(`document.querySelectorAll('#saved li').length === 1`)
	p.askFor(`capital("Kenya", y)`)
	p.picture("shelf")
	p.js(`location.hash = ''`)
	p.reload()
	p.do(chromedp.Click("#shelf summary"))
	p.shows("#saved", "Around <b>Kenya</b>", `borders("Kenya", y)`)
	if asked := eval[[]string](p, `[...document.querySelectorAll('#asked code')].map(c => c.textContent)`); !slices.Equal(asked, []string{`capital("Kenya", y)`, `borders("Kenya", y)`}) {
		p.t.Errorf("asked were %q", asked)
	}
	p.do(chromedp.Click("#saved .question"))
	p.until(`location.hash.includes('Kenya')`)
	p.until(answered + ` && !document.querySelector('#statuses input[value="predicted"]').checked`)
	p.do(chromedp.Click("#forget"))
	p.until(`document.querySelectorAll('#asked li').length === 0 && document.querySelectorAll('#saved li').length === 1`)
	p.do(chromedp.Click(`#saved [aria-label^="Forget"]`))
	p.until(`document.querySelectorAll('#saved li').length === 0`)
}

// copyLink takes the link of the question along.
func copyLink(p *page) {
	p.until(answered)
	p.js(`navigator.clipboard.writeText = async (text) => { window.copied = text }`)
	p.askFor(`capital("Kenya", y)`)
	p.do(chromedp.Click("#link"))
	p.until(`window.copied !== undefined`)
	if link, here := p.eval("window.copied"), p.eval("location.href"); link != here || !strings.Contains(link, "#q=capital") {
		p.t.Errorf("the link is %s, the page at %s", link, here)
	}
}

// atlas are templates with parameters of both kinds, of which one is turned around.
func atlas(t *testing.T) *lang.File {
	t.Helper()
	file, err := lang.ParseFile("atlas.efo", []byte(`package atlas
layers 3

// Shared ranks what two entities have in common by a relation.
query Shared(one, other entity, by relation) y = $by($one, y) & $by^-1(y, $other)

// Beyond ranks the countries two borders away in a continent.
query Beyond(country, continent entity) y show x =
    exists x. borders($country, x) & borders(x, y) & in_continent(y, $continent) & y != $country
`))
	require.NoError(t, err)
	return file
}

// fillTemplate answers a template by its form, with names completed, and finds the form filled in
// again by its address.
func fillTemplate(p *page) {
	p.until(answered)
	p.shows("#templates", "Shared ranks what two entities", "one entity", "by relation", "$by($one, y) & $by^-1(y, $other)")
	for field, name := range map[string]string{"one": "Switz", "other": "Belg", "by": "official_lang"} {
		p.do(chromedp.Focus("#parameter-" + field))
		p.keys(name)
		p.until(`document.querySelector('#parameters ul:not([hidden]) li') !== null`)
		if name == "Belg" {
			p.picture("template-completion")
		}
		p.keys(kb.Enter)
	}
	p.do(chromedp.Click("#template-form button[type=submit]"))
	p.until(answered + ` && document.getElementById('formula').value.includes('Belgium') && document.getElementById('answers').innerText.includes('German')`)
	p.holds("formula", `official_language("Switzerland", y) & official_language^-1(y, "Belgium")`)
	p.program("s.Layers = 3")
	if file, err := lang.ParseFile("question.efo", []byte(p.code(".efo"))); err != nil || file.Layers != 3 {
		p.t.Errorf("%v:\n%s", err, p.code(".efo"))
	}
	p.curlAnswers()
	p.picture("template")
	p.reload()
	p.holds("parameter-other", "Belgium")
	// An inverse turns the template's relation around.
	p.js(`document.getElementById('parameter-by').value = 'official_language^-1'`)
	p.do(chromedp.Click("#template-form button[type=submit]"))
	p.until(answered)
	p.holds("formula", `official_language^-1("Switzerland", y) & official_language(y, "Belgium")`)
	p.set("template", "Beyond")
	p.do(chromedp.Click("#template-form button[type=submit]"))
	if p.eval("document.activeElement.id") != "parameter-country" {
		p.t.Error("a field without a value does not get the focus")
	}
	p.keys("Kenya" + kb.Escape + kb.Tab + "Africa" + kb.Escape)
	p.do(chromedp.Click("#template-form button[type=submit]"))
	p.until(answered + ` && document.querySelector('#answers thead th:last-child')?.textContent === 'x'`)
}

// large is a template with a number and a date.
func large(t *testing.T) *lang.File {
	t.Helper()
	file, err := lang.ParseFile("large.efo", []byte(`package large

query Large(country entity, least number, since date) y =
    borders($country, y) & population(y) > $least & founded(y) >= $since
`))
	require.NoError(t, err)
	return file
}

// fillValues fills a number and a date into a form, which takes nothing else, and finds them there again by the
// address.
func fillValues(p *page) {
	p.until(answered)
	p.do(chromedp.Focus("#parameter-country"))
	p.keys("France" + kb.Escape)
	submit := func() { p.do(chromedp.Click("#template-form button[type=submit]")) }
	for _, x := range []struct{ field, mistake string }{{"least", "-"}, {"since", ""}} {
		p.do(chromedp.Focus("#parameter-" + x.field))
		p.keys(x.mistake)
		p.do(chromedp.Focus("#template"))
		submit()
		if got := p.eval(`document.activeElement.id + " " + document.activeElement.checkValidity()`); got != "parameter-"+x.field+" false" {
			p.t.Errorf("with %q for %s the focus is at %s", x.mistake, x.field, got)
		}
		p.js(fmt.Sprintf(`document.getElementById("parameter-%s").value = %q`, x.field, map[string]string{"least": "2.50", "since": "1970-01-01"}[x.field]))
	}
	p.picture("template-values")
	submit()
	p.until(answered + ` && document.getElementById('formula').value.includes('population')`)
	p.holds("formula", `borders("France", y) & population(y) > 2.5 & founded(y) >= "1970-01-01"`)
	p.shows("#answers", "Spain", "Belgium")
	p.reload()
	p.holds("parameter-least", "2.50")
	p.holds("parameter-since", "1970-01-01")
	p.holds("formula", `borders("France", y) & population(y) > 2.5 & founded(y) >= "1970-01-01"`)
}
