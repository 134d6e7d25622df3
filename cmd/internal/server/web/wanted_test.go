package web_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/require"
)

// check sets a box, or takes its mark away, and waits for the answers. It waits for those of the
// question before as well: they move the box, which a click would miss.
func (p *page) check(selector string) {
	p.t.Helper()
	p.until(answered)
	p.do(chromedp.Click(selector))
	p.until(answered)
}

// statuses lists those of the answers shown.
func (p *page) statuses() []string {
	p.t.Helper()
	list := eval[[]string](p, `[...document.querySelectorAll('#answers .badge')].filter(b => b.closest('td')).map(b => b.textContent.slice(2))`)
	return slices.Compact(slices.Sorted(slices.Values(list)))
}

// wantAnswers asks for predictions alone, then for those in range, with a column, and takes that
// along: to the address, to a program.
func wantAnswers(p *page) {
	p.askFor(twoSteps)
	if got := p.statuses(); !slices.Contains(got, "known") || !slices.Contains(got, "predicted") {
		p.t.Errorf("without a choice there are %v", got)
	}
	p.check(`#statuses input[value="known"]`)
	p.until(`!document.querySelector('#answers .known')`)
	if n := eval[int](p, "document.querySelectorAll('#answers tbody tr[class]').length"); n != 10 {
		p.t.Errorf("%d predictions are shown, want 10", n)
	}
	p.unfold("#settings")
	p.check("#in-range")
	p.until(`location.hash.includes('in_range=true')`)
	p.check(`#columns input[value="x"]`)
	p.until(`document.querySelector('#answers thead th:last-child')?.textContent === 'x'`)
	p.picture("columns")
	if n := eval[int](p, `[...document.querySelectorAll('#answers tbody tr[class] td:last-child')].filter(c => c.textContent.length > 2).length`); n != 10 {
		p.t.Errorf("%d answers have a value beside them, want 10", n)
	}
	p.program(`Filter: runtime.AnswerFilter{Statuses: runtime.Predicted | runtime.Confirmed, InRange: true}, Show: []string{"x"}`)
	if command := p.code("curl"); !strings.Contains(command, "status=predicted,confirmed") || !strings.Contains(command, "show=x") {
		p.t.Errorf("the call does not say what is wanted:\n%s", command)
	}
	p.reload()
	if got := p.statuses(); slices.Contains(got, "known") {
		p.t.Errorf("by its address the page shows %v", got)
	}
	p.shows("#answers thead", "x")
	// The last status that is wanted stays.
	p.check(`#statuses input[value="predicted"]`)
	p.until(`location.hash.includes('status=confirmed&')`)
	p.check(`#statuses input[value="confirmed"]`)
	if !eval[bool](p, `document.querySelector('#statuses input[value="confirmed"]').checked`) {
		p.t.Error("no status is wanted")
	}
	// Another question has no column of this one.
	p.askFor(`borders("France", y)`)
	if p.text("#mistake") != "" || eval[int](p, `document.querySelectorAll('#columns input').length`) != 3 {
		p.t.Errorf("there are columns: %s %s", p.text("#columns"), p.text("#mistake"))
	}
}

// wantAssumed asks under an assumption, with what it changes, that is in the address too, and mistypes one.
func wantAssumed(p *page) {
	p.askFor(`borders("Iceland", y)`)
	p.unfold("#settings")
	p.set("assume", `borders("Iceland", "Peru")`)
	p.until(`document.querySelector('#effect')`)
	p.shows("#answers tbody tr", "Peru", "known")
	p.shows("#effect", "With the assumption Peru")
	if command := p.code("curl"); !strings.Contains(command, `"assume":["borders`) {
		p.t.Errorf("the call does not assume: %s", command)
	}
	p.reload()
	p.holds("assume", `borders("Iceland", "Peru")`)
	p.shows("#effect", "With the assumption Peru")
	p.set("assume", `border("Iceland", "Peru")`)
	p.until(`document.querySelector('#mistake').innerText.includes('unknown relation "border"')`)
	if marked := p.text("#mirror mark"); marked != "" {
		p.t.Errorf("the mistake is marked in the question, at %q", marked)
	}
}

// wantConfident asks for answers that are likely, by a number that the address and the program
// have too.
func wantConfident(p *page) {
	p.askFor(twoSteps)
	confidences := `[...document.querySelectorAll('#answers tbody tr[class] td.bars span')].map(c => parseInt(c.textContent))`
	before := eval[[]int](p, confidences)
	if len(before) != 10 || slices.Min(before) >= 50 {
		p.t.Fatalf("confidences are %v, want some below 50", before)
	}
	p.set("confidence", "50")
	p.until(`location.hash.includes('min_confidence=0.5')`)
	p.until(answered)
	if after := eval[[]int](p, confidences); len(after) == 0 || slices.Min(after) < 50 {
		p.t.Errorf("from 50 on confidences are %v", after)
	}
	p.program("runtime.AnswerFilter{MinConfidence: 0.5}")
	p.reload()
	p.holds("confidence", "50")
}

// wantCovering asks for as many answers as hold all true ones, which the address and the programs say too; with a choice
// that excludes that, and then without.
func wantCovering(p *page) {
	p.askFor(`borders("Brazil", y)`)
	p.unfold("#settings")
	p.check("#coverage")
	p.until(`document.querySelector('#covers')`)
	shown := eval[int](p, "document.querySelectorAll('#answers tbody tr[class]').length")
	p.shows("#covers", fmt.Sprintf("The best %d answers hold all true ones for 90%%", shown))
	if shown <= 10 || !eval[bool](p, `document.getElementById('k').disabled && document.getElementById('more').hidden`) {
		p.t.Errorf("%d answers are shown, or others are offered", shown)
	}
	p.program("runtime.Options{Coverage: 0.9, SetSize: 3}")
	if code := p.code("Python") + p.code("curl"); !strings.Contains(code, `y)", coverage=0.9, semantics`) || !strings.Contains(code, "--data-urlencode coverage=0.9 ") {
		p.t.Errorf("the programs do not say what is wanted:\n%s", code)
	}
	p.reload()
	p.shows("#covers", "for 90%")
	p.unfold("#settings")
	p.js("document.getElementById('in-range').click()")
	p.until(`document.getElementById('mistake').innerText.includes('coverage: it takes the best answers of all kinds')`)
	p.js("document.getElementById('in-range').click()")
	p.until(answered)
	p.check("#coverage")
	p.until(`!document.querySelector('#covers')`)
	if n := eval[int](p, "document.querySelectorAll('#answers tbody tr[class]').length"); n != 10 || p.text("#mistake") != "" {
		p.t.Errorf("%d answers are shown without coverage; %s", n, p.text("#mistake"))
	}
}

// wantType asks for answers of a type, and mistypes it.
func wantType(p *page) {
	p.askFor(`official_language(y, "Spanish")`)
	p.shows("#answers", "Chile")
	p.set("type", "in_continent=Europe")
	p.until(answered)
	p.shows("#answers", "Spain", "Switzerland")
	if strings.Contains(p.text("#answers"), "Chile") {
		p.t.Errorf("Chile is in Europe: %s", p.text("#answers"))
	}
	p.program(`m.ParseType("in_continent=Europe")`)
	p.reload()
	p.holds("type", "in_continent=Europe")
	p.set("type", "in_continent=Erope")
	p.until(`document.getElementById('mistake').innerText.includes('did you mean "Europe"')`)
}

// moreAnswers goes on to the next answers, until all that follow from the graph are shown.
func moreAnswers(p *page) {
	p.askFor(twoSteps)
	names := `[...document.querySelectorAll('#answers tbody tr[class] th')].map(c => c.firstChild.textContent)`
	first := eval[[]string](p, names)
	p.do(chromedp.Click("#more"))
	p.until(`document.querySelectorAll('#answers tbody tr[class]').length === 20`)
	all := eval[[]string](p, names)
	if len(first) != 10 || !slices.Equal(all[:10], first) || len(slices.Compact(slices.Sorted(slices.Values(all)))) != 20 {
		p.t.Errorf("after %v there are %v", first, all)
	}
	p.do(chromedp.SetValue("#k", "5"))
	p.check(`#statuses input[value="predicted"]`)
	p.check(`#statuses input[value="confirmed"]`)
	p.until(`location.hash.includes('status=known&') && !document.querySelector('#answers .predicted')`)
	for range 10 {
		if eval[bool](p, `document.getElementById('more').hidden`) {
			return
		}
		n := eval[int](p, "document.querySelectorAll('#answers tbody tr[class]').length")
		p.do(chromedp.Click("#more"))
		p.until(fmt.Sprintf(`document.querySelectorAll('#answers tbody tr[class]').length > %d || document.getElementById('more').hidden`, n))
	}
	p.t.Errorf("there is no end of what is known: %s", p.text("#answers"))
}

// downloads has the browser store files in a folder of their own.
func (p *page) downloads() (dir string) {
	p.t.Helper()
	dir = p.t.TempDir()
	behavior := cdpbrowser.SetDownloadBehaviorParams{Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir}
	if _, err := chromedp.Call(p.ctx, cdpbrowser.SetDownloadBehavior, behavior); err != nil {
		p.t.Fatal(err)
	}
	return dir
}

// downloadAnswers takes the answers shown along as files.
func downloadAnswers(p *page) {
	dir := p.downloads()
	p.askFor(twoSteps)
	p.check(`#columns input[value="x"]`)
	p.until(`document.querySelector('#answers thead th:last-child')?.textContent === 'x'`)
	p.do(chromedp.SetValue("#extent", "shown"), chromedp.Click("#csv"))
	p.until(`document.getElementById('download-state').textContent === 'answers.csv has the 10 answers shown.'`)
	p.do(chromedp.Click("#json"))
	rows, err := csv.NewReader(strings.NewReader(string(p.arrived(dir, "answers.csv")))).ReadAll()
	require.NoError(p.t, err)
	var result struct {
		Answers []struct {
			Name   string
			Status runtime.Status
			Values []runtime.Value
		}
	}
	require.NoError(p.t, json.Unmarshal(p.arrived(dir, "answers.json"), &result))
	if header := strings.Join(rows[0], " "); len(rows) != 11 || header != "rank name label confidence score status range x x_label" || len(result.Answers) != 10 {
		p.t.Fatalf("%d rows of %s, %d answers", len(rows), header, len(result.Answers))
	}
	p.js(`import("./static/download.js").then((m) => (document.body.dataset.cells = ["=1+cmd|x", '@a"', -2.5, "-2.5", "-a", "a=b"].map(m.cell).join(" ")))`)
	p.until(`document.body.dataset.cells === "'=1+cmd|x \"'@a\"\"\" -2.5 -2.5 '-a a=b"`)
	for i, a := range result.Answers {
		x := a.Values[0]
		if row := rows[i+1]; row[0] != fmt.Sprint(i+1) || row[1] != a.Name || row[5] != a.Status.String() || row[7] != x.Name || x.Name == "" {
			p.t.Errorf("row %v, answer %+v", row, a)
		}
	}
}

// downloadAll takes all answers along, of which ten are shown: the files have those that the
// library finds at once, and say how many they have.
func downloadAll(p *page) {
	m, err := world.Open()
	require.NoError(p.t, err)
	defer m.Close()
	q, err := compiler.Prepare(m, twoSteps, compiler.Options{})
	require.NoError(p.t, err)
	p.askFor(twoSteps)
	for _, known := range []bool{false, true} {
		o := runtime.Options{K: m.NumEntities()}
		if known {
			o.Filter.Statuses = runtime.Known
			p.check(`#statuses input[value="predicted"]`)
			p.check(`#statuses input[value="confirmed"]`)
			p.until(`location.hash.includes('status=known&') && !document.querySelector('#answers .predicted')`)
		}
		all, err := q.Ask(p.t.Context(), nil, o)
		require.NoError(p.t, err)
		dir := p.downloads()
		p.do(chromedp.Click("#csv"))
		p.until(fmt.Sprintf(`document.getElementById('download-state').textContent === 'answers.csv has all ' + %d..toLocaleString("en") + ' answers.'`, len(all.Rows)))
		p.picture("downloaded")
		rows, err := csv.NewReader(strings.NewReader(string(p.arrived(dir, "answers.csv")))).ReadAll()
		require.NoError(p.t, err)
		statuses := map[string]string{} // by name
		for _, a := range all.Rows {
			statuses[a.Values[0].Name] = a.Status.String()
		}
		if n := len(rows) - 1; n != len(statuses) || n < 5 || known == (n > 1000) {
			p.t.Errorf("the file has %d answers, want %d", n, len(statuses))
		}
		for _, row := range rows[1:] {
			if row[5] != statuses[row[1]] {
				p.t.Errorf("%s is %s, want %q", row[1], row[5], statuses[row[1]])
			}
			delete(statuses, row[1]) // each comes once
		}
	}
}

// arrived waits for a file that the browser stores.
func (p *page) arrived(dir, name string) []byte {
	p.t.Helper()
	for {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil && len(text) > 0 {
			return text
		}
		p.until("new Promise(done => setTimeout(() => done(true), 50))")
	}
}
