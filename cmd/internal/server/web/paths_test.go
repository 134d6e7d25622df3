package web_test

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/efoc/efoc/cmd/internal/server"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// TestPage takes a person's paths through the page: the main ones, or all of them if tests are long.
func TestPage(t *testing.T) {
	ctx := browser(t)
	walk(t, ctx, []path{{"Keys", typeQuestion}, {"Overtaken", typeOvertaking}, {"Mistake", mistake}, {"Variable", chooseVariable}, {"Address", address}, {"Markup", markup}, {"Rows", askRows}, {"Narrow", narrowAnswers}, {"Sentence", sentence}})
	t.Run("Token", func(t *testing.T) { giveToken(open(t, ctx, server.Config{Token: "secret"}, 1280, 900, "light")) })
	t.Run("Phone", func(t *testing.T) { look(open(t, ctx, server.Config{}, 390, 844, "light"), "phone") })
	if !long.Tests() {
		return
	}
	walk(t, ctx, []path{
		{"Enter", takeByEnter}, {"Unequal", typeInequality}, {"Example", example}, {"Layers", stepLayers}, {"Why", askWhy}, {"Copy", copyQuestion}, {"Wanted", wantAnswers}, {"Assumed", wantAssumed},
		{"Confident", wantConfident}, {"Covering", wantCovering}, {"Type", wantType}, {"More", moreAnswers}, {"Download", downloadAnswers}, {"DownloadAll", downloadAll},
	})
	t.Run("Semantics", func(t *testing.T) {
		chooseSemantics(open(t, ctx, server.Config{Options: host.Options{Semantics: new(model.Mixed)}}, 1280, 900, "light"))
	})
	t.Run("Dark", func(t *testing.T) { look(open(t, ctx, server.Config{}, 1280, 900, "dark"), "dark") })
}

// path is one that a person takes through the page.
type path struct {
	name string
	walk func(*page)
}

// walk takes paths, each in a tab of its own.
func walk(t *testing.T, ctx context.Context, paths []path) {
	for _, c := range paths {
		t.Run(c.name, func(t *testing.T) { c.walk(open(t, ctx, server.Config{}, 1280, 900, "light")) })
	}
}

// typeOvertaking types a letter while names for the letters before it are looked for: the search is
// abandoned, and the names for all letters are shown.
func typeOvertaking(p *page) {
	p.js(`{
		const fetchNow = window.fetch;
		window.searches = 0;
		window.fetch = async (path, options) => {
			if (!path.startsWith("/v1/search")) return fetchNow(path, options);
			if (++window.searches === 1) {
				await new Promise((_, reject) => options.signal.addEventListener("abort", () => reject(options.signal.reason)));
			}
			return fetchNow(path, options);
		};
	}`)
	p.focusQuestion()
	p.keys("bord")
	p.until("window.searches === 1")
	p.keys("e")
	p.until(`document.querySelector('#completions [aria-selected=true]')?.innerText.includes('borders')`)
}

// typeQuestion types a question with the keyboard alone, completing half names and
// names with a slip.
func typeQuestion(p *page) {
	p.focusQuestion()
	p.keys("bord")
	p.until(`document.querySelector('#completions [aria-selected=true]')?.innerText.includes('borders')`)
	p.keys(kb.Tab)
	p.keys(`"Braz`)
	p.until(`document.querySelector('#completions [aria-selected=true]')?.innerText.includes('Brazil')`)
	p.keys(kb.Enter)
	p.keys(`, y) & offical_lang`)
	p.until(`document.querySelector('#completions [aria-selected=true]')?.innerText.includes('official_language')`)
	p.keys(kb.Enter)
	p.keys(`y, "Spanish")`)
	p.holds("formula", `borders("Brazil", y) & official_language(y, "Spanish")`)
	p.keys(kb.Escape)
	p.keys(kb.Enter)
	p.until(answered)
	p.shows("#answers", "Uruguay", "Venezuela", "● known", "◇ predicted", "◆ confirmed", "follows from the graph")
	if n := eval[int](p, "document.querySelectorAll('#answers tbody tr[class]').length"); n != 10 {
		p.t.Errorf("%d answers are shown, want 10", n)
	}
	// The best answer has the longest bar.
	if !eval[bool](p, `(() => { const w = [...document.querySelectorAll('#answers .bar b')].map(b => b.getBoundingClientRect().width); return w[0] > 0 && w.every(x => x <= w[0] + 0.5); })()`) {
		p.t.Error("the bars are not as long as the probabilities are large")
	}
	p.picture("page")
}

// takeByEnter takes names by Enter without choosing them: an entity without quotes, and a type.
// A variable is none, so Enter asks.
func takeByEnter(p *page) {
	p.focusQuestion()
	p.keys(`exists xy. borders(Franc`)
	p.until(`document.querySelector('#completions [aria-selected=true]')?.innerText.includes('France')`)
	p.keys(kb.Enter)
	p.holds("formula", `exists xy. borders("France"`)
	p.js(`document.getElementById('formula').value = 'exists xy. borders("France", xy) & borders(xy, y) & y != xy'`)
	p.keys(kb.End)
	p.js(`document.getElementById('formula').dispatchEvent(new Event('input'))`)
	p.until("new Promise(done => setTimeout(() => done(true), 500))")
	if !eval[bool](p, `document.getElementById('completions').hidden`) {
		p.t.Errorf("the variable is completed by %s", p.text("#completions"))
	}
	p.keys(kb.Enter)
	p.until(`location.hash.includes('xy') && ` + answered)
	p.unfold("#settings")
	p.do(chromedp.Focus("#type"))
	p.keys("in_cont")
	p.until(`document.querySelector('.field ul:not([hidden]) [aria-selected=true]')?.innerText.includes('in_continent')`)
	p.keys(kb.Enter)
	p.holds("type", "in_continent=")
}

// typeInequality completes an entity behind !=, and finds the inequality in the graph.
func typeInequality(p *page) {
	p.focusQuestion()
	p.keys(`borders("France", y) & y != "Ital`)
	p.until(`document.querySelector('#completions [aria-selected=true]')?.innerText.includes('Italy')`)
	p.keys(kb.Enter)
	p.holds("formula", `borders("France", y) & y != "Italy"`)
	p.keys(kb.Escape)
	p.keys(kb.Enter)
	p.until(answered)
	p.until(`document.querySelector('#graph svg')?.textContent.includes('≠')`)
	if strings.Contains(p.text("#answers"), "Italy") {
		p.t.Error("Italy is among the answers, which excludes it")
	}
}

// askWhy opens the explanation of the first answer, and closes it.
func askWhy(p *page) {
	p.askFor(twoSteps)
	p.do(chromedp.Click("#answers .whybutton"))
	p.until(`document.querySelector('#answers .why') !== null`)
	p.shows("#answers .why", "x = ", "borders(France, ", "official_language(", "observed", "combines its degree with that of message passing")
	p.picture("why")
	if marked := p.eval(`[...document.querySelectorAll('#answers tr.explained th button.entity')].map(b => b.textContent).join()`); marked != p.eval(`document.querySelector('#answers tbody th button.entity').textContent`) {
		p.t.Errorf("the rows of %q are marked", marked)
	}
	p.do(chromedp.Click("#answers .whybutton"))
	p.until(`document.querySelector('#answers .why').closest('tr').hidden && document.querySelector('#answers .explained') === null`)
}

// chooseSemantics asks by what the server chose, then by truth degrees, and takes that
// along: to an explanation, to the steps, to a program, to the address.
func chooseSemantics(p *page) {
	p.until(`document.getElementById('semantics').value === 'mixed'`)
	p.unfold("#settings")
	p.shows("#meaning", "Both combined")
	p.askFor(twoSteps)
	p.shows("#answers thead", "score")
	p.unfold("#how")
	p.shows("#steps", "Layer 3", "Degrees")
	p.do(chromedp.Click("#answers .whybutton"))
	p.until(`document.querySelector('#answers .why') !== null`)
	p.shows("#answers .why", "x = ", "observed", "combines its degree with that of message passing")

	p.choose("fit")
	p.until(`document.querySelector('#answers thead').innerText.includes('degree')`)
	p.shows("#meaning", "How well an entity satisfies the question")
	p.shows("#messages", "Sweeps of the entity table")
	if strings.Contains(p.text("#steps"), "Layer") {
		p.t.Errorf("truth degrees have no layers, the page has %s", p.text("#steps"))
	}
	p.do(chromedp.Click("#answers .whybutton"))
	p.until(`document.querySelector('#answers .why') !== null`)
	p.shows("#answers .why", "x = ", "observed", "The degree is that of its best explanation")
	p.do(chromedp.Focus("#steps button"))
	p.keys(kb.ArrowRight)
	p.shows("#messages", `Sweep 1 of the entities finds how well each of them fits borders("France", x)`, "The best x determines each y: official_language(x, y)")
	p.do(chromedp.Click(`#graph [data-variable="x"]`))
	p.until(`document.getElementById('variable').innerText.includes('that best satisfy what the constants require')`)
	p.picture("degrees")
	p.program("model.FIT")
	if command := p.code("curl"); !strings.Contains(command, "semantics=fit") {
		p.t.Errorf("the call does not say what answers mean:\n%s", command)
	}
	if file, err := lang.ParseFile("question.efo", []byte(p.code(".efo"))); err != nil || len(file.Queries) != 1 {
		p.t.Error(err)
	}

	p.reload()
	p.holds("semantics", "fit")
	p.do(chromedp.NavigateBack())
	p.until(`document.getElementById('semantics').value === 'mixed' && document.querySelector('#answers thead').innerText.includes('score')`)

	// A cycle, in one of two alternatives.
	p.unfold("#how")
	p.choose("fit")
	p.askFor(`exists x, z. borders("France", x) & borders(x, z) & borders(z, y) & borders(x, y) & borders("Italy", z) | capital("France", y)`)
	p.js(`[...document.querySelectorAll('#steps button')].at(-1).click()`)
	p.shows("#messages", "is tried in turn", "the best one counts", "any of the alternatives")
	p.picture("degrees-cycle")
	p.askFor(`exists x, z. borders("Italy", y) & borders(x, y) & borders(z, y) & borders(x, z)`)
	p.js(`[...document.querySelectorAll('#steps button')].at(-1).click()`)
	p.shows("#messages", "The best y proposes values of")
}

// choose sets what answers mean.
func (p *page) choose(semantics string) {
	p.t.Helper()
	p.js(fmt.Sprintf(`{ const s = document.getElementById('semantics'); s.value = %q; s.dispatchEvent(new Event('change')); }`, semantics)) // once
}

// code returns the question as a program or the like.
func (p *page) code(form string) string {
	p.t.Helper()
	p.js(fmt.Sprintf(`[...document.querySelectorAll('#copy .tabs button')].find(b => b.textContent === %q).click()`, form))
	return p.eval("document.querySelector('#copy pre').textContent")
}

// mistake makes one, sees where it is, and corrects it.
func mistake(p *page) {
	p.focusQuestion()
	p.do(chromedp.SetValue("#formula", `borders("Frence", y)`))
	p.keys(kb.End + kb.Enter)
	p.until(`!document.getElementById('mistake').hidden`)
	p.shows("#mistake", `unknown entity "Frence"`, "Did you mean", `"France"`)
	if mark := p.eval("document.querySelector('#mirror mark').textContent"); mark != `"Frence"` {
		p.t.Errorf("%s is underlined, want the name", mark)
	}
	if caret := p.eval("getComputedStyle(document.querySelector('#mirror mark'), '::before').content"); caret != `"^"` {
		p.t.Errorf("the caret is %q", caret)
	}
	if !eval[bool](p, "document.getElementById('formula').getAttribute('aria-invalid') === 'true'") {
		p.t.Error("the field does not say that it is wrong")
	}
	p.picture("mistake")
	p.focusQuestion()
	p.keys(`borders("France`)
	p.keys(kb.Escape)
	p.keys(`", y)`)
	p.keys(kb.Escape)
	if eval[bool](p, "document.querySelector('#mirror mark') !== null") {
		p.t.Error("the mark stays while the question is corrected")
	}
	p.keys(kb.Enter)
	p.until(answered)
	if eval[bool](p, "!document.getElementById('mistake').hidden") {
		p.t.Error("the mistake is still shown")
	}
	// What is unfinished is no mistake yet, however long the pause, unless it is asked.
	p.focusQuestion()
	p.js(`window.checked = 0; const f = fetch; window.fetch = async (...all) => { const r = await f(...all); if (all[0] === '/v1/explain') window.checked++; return r; }`)
	for i, half := range []string{`borders("France", y) & `, `borders(`, `"Sp`} {
		p.keys(half)
		p.until(fmt.Sprintf("window.checked === %d", i+1))
		p.until("new Promise(done => setTimeout(() => done(true), 100))")
		if text := p.text("#mistake"); text != "" || eval[bool](p, "document.querySelector('#mirror mark') !== null") {
			p.t.Errorf("while %s is typed the page says %s", half, text)
		}
	}
	p.keys(kb.Escape + kb.Enter)
	p.until(`!document.getElementById('mistake').hidden`)
	// A pause is enough to be told of what is finished.
	p.focusQuestion()
	p.keys("borders(a, b)")
	p.until(`document.getElementById('mistake').innerText.includes('several free variables')`)
}

func (p *page) eval(expression string) string {
	p.t.Helper()
	return eval[string](p, expression)
}

// example picks one instead of typing.
func example(p *page) {
	p.until(`document.querySelectorAll('#examples button').length > 3`)
	p.do(chromedp.Click("#examples li:nth-child(2) button"))
	p.until(answered)
	p.shows("#answers", "Caracas", "Montevideo")
	if !strings.Contains(p.eval("document.getElementById('formula').value"), "capital") {
		p.t.Error("the field does not show the example")
	}
	p.unfold("#settings")
	p.set("k", "25")
	p.until(`document.querySelectorAll('#answers tbody tr[class]').length === 25`)
}

// askFor asks a question.
func (p *page) askFor(formula string) {
	p.t.Helper()
	p.focusQuestion()
	p.do(chromedp.SetValue("#formula", formula))
	p.do(chromedp.Click("#ask button[type=submit]"))
	p.until(answered)
}

// sentence asks whether something holds, and then how many answers there are: the page says so, with the links that a
// verdict rests on, and shows answers again afterwards.
func sentence(p *page) {
	p.focusQuestion()
	p.do(chromedp.SetValue("#formula", `exists x. borders("France", x) & borders(x, "Portugal")`))
	p.do(chromedp.Click("#ask button[type=submit]"))
	p.until(`document.getElementById('verdict-title')?.innerText === 'Yes: it is known.' && document.getElementById('results').hidden`)
	p.until(`document.querySelector('#verdict .why').innerText.includes('x = Spain') && document.querySelector('#verdict svg.witnesses') !== null`)
	p.apart(3)
	p.focusQuestion()
	p.do(chromedp.SetValue("#formula", `count y: borders("France", y)`))
	p.do(chromedp.Click("#ask button[type=submit]"))
	p.until(`/^9 answers known, [0-9.]+ others expected[.]$/.test(document.getElementById('verdict').innerText.trim())`)
	p.askFor(twoSteps)
	p.until(`document.getElementById('verdict').hidden`)
}

// stepLayers goes through the layers with the keyboard and reads which messages
// were sent; efoc explain says the same of this question in the README.
func stepLayers(p *page) {
	p.until(answered)
	p.choose("nsmp")
	p.askFor(twoSteps)
	p.unfold("#how")
	p.shows("#messages", "2 are sent, 3 shared, 3 pruned, 1 dead", "12 as written, 2 compiled (3 for a whole ranking)")
	p.do(chromedp.Focus("#steps button"))
	p.keys(kb.ArrowRight)
	p.shows("#messages", "sent", `"France" → x`, "pruned", "y → x along official_language")
	p.keys(kb.ArrowRight)
	p.keys(kb.ArrowRight)
	p.until(`document.querySelector('#steps [aria-pressed=true]').textContent === 'Layer 3'`)
	p.shows("#messages", "shared", "as in layer 1", "as in layer 2", "dead")
	for state, want := range map[string]int{"sent": 0, "shared": 2, "dead": 1} {
		if n := eval[int](p, fmt.Sprintf("document.querySelectorAll('#graph path.message.%s').length", state)); n != want {
			p.t.Errorf("%d arrows are %s, want %d", n, state, want)
		}
	}
	p.picture("layers")
}

// chooseVariable looks at a fuzzy set, by mouse and by keyboard.
func chooseVariable(p *page) {
	p.askFor(`exists x. borders("France", x) & official_language(x, y) & !official_language("France", y)`)
	p.unfold("#how")
	p.do(chromedp.Click(`#graph [data-variable="x"]`))
	p.until(`document.getElementById('variable').innerText.includes('Belgium')`)
	p.shows("#variable", "x, a fuzzy set", "Switzerland", "Luxembourg")
	p.picture("variable")
	p.do(chromedp.Focus(`#graph [data-variable="x"]`))
	p.keys(" ")
	p.until(`document.getElementById('variable').innerText === ''`)
	p.do(chromedp.Focus(`#graph [data-variable="y"]`))
	p.keys(kb.Enter)
	p.until(`document.getElementById('variable').innerText.includes('the answer')`)
}

// copyQuestion takes the question along in every form: as Go that parses, as a call
// of curl that answers, as a template that the language reads.
func copyQuestion(p *page) {
	p.askFor(`exists c. capital(c, "N'Djamena") & borders(c, y)`)
	source := p.code("Go")
	if _, err := parser.ParseFile(token.NewFileSet(), "main.go", source, parser.AllErrors); err != nil || !strings.Contains(source, "N'Djamena") {
		p.t.Errorf("%v:\n%s", err, source)
	}
	p.goBuilds(source)
	file, err := lang.ParseFile("question.efo", []byte(p.code(".efo")))
	if err != nil || len(file.Queries) != 1 || file.Queries[0].Free != "y" {
		p.t.Errorf("%v:\n%s", err, p.code(".efo"))
	}
	p.curlAnswers()
}

// program checks that the question as a program says something, and compiles.
func (p *page) program(says string) {
	p.t.Helper()
	source := p.code("Go")
	if !strings.Contains(source, says) {
		p.t.Errorf("the program lacks %s:\n%s", says, source)
	}
	p.goBuilds(source)
}

// goBuilds checks that a program compiles.
func (p *page) goBuilds(source string) {
	p.t.Helper()
	dir, err := os.MkdirTemp(".", "_program")
	require.NoError(p.t, err)
	defer os.RemoveAll(dir)
	require.NoError(p.t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o644))
	if out, err := exec.Command("go", "vet", "./"+dir).CombinedOutput(); err != nil {
		p.t.Errorf("%v: %s", err, out)
	}
}

// address goes back and forth, and opens a question by its address, which has the focus then.
func address(p *page) {
	p.askFor(`borders("Kenya", y)`)
	p.askFor(`capital("Kenya", y)`)
	p.shows("#answers", "Nairobi")
	p.do(chromedp.NavigateBack())
	p.until(`document.getElementById('answers').innerText.includes('Uganda')`)
	p.do(chromedp.Reload())
	p.until(`document.getElementById('answers').innerText.includes('Uganda')`)
	if id := p.eval("document.activeElement.id"); id != "formula" {
		p.t.Errorf("the focus is in %s", id)
	}
}

// markup gives names that would be markup if the page took them for that.
func markup(p *page) {
	p.focusQuestion()
	p.do(chromedp.SetValue("#formula", `borders("<img src=x onerror=alert(1)>", y)`))
	p.keys(kb.End + kb.Enter)
	p.until(`document.getElementById('mistake').innerText.includes('<img src=x')`)
	if n := eval[int](p, "document.images.length"); n != 0 {
		p.t.Errorf("%d images came out of a name", n)
	}
}

// giveToken is asked for the token and gives it.
func giveToken(p *page) {
	p.until(`!document.getElementById('token').hidden`)
	p.do(chromedp.Focus("#secret"))
	p.keys("secret" + kb.Enter)
	p.askFor(twoSteps)
	p.shows("#answers", "German")
}

// look asks on a page of another size or colour: nothing is wider than the screen.
func look(p *page, name string) {
	p.askFor(`exists x. borders("France", x) & official_language(x, y) & !official_language("France", y)`)
	p.unfold("#how")
	p.js(`document.querySelectorAll('#steps button')[2].click()`)
	p.js(`document.querySelector('#graph [data-variable="x"]').dispatchEvent(new MouseEvent('click', {bubbles: true}))`)
	p.until(`document.getElementById('variable').innerText.includes('Belgium')`)
	p.fits()
	p.picture(name)
	p.askFor(`official_language(y, "Portuguese") | also_spoken(y, "Portuguese")`)
	p.picture(name + "-alternatives")
}
