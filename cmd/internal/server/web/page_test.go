package web_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/cmd/internal/server"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/require"
)

// screenshots names the environment variable with the folder for pictures of the page; without it none are taken. The
// README's is retaken by
//
//	EFOC_SCREENSHOTS=. go test ./cmd/internal/server/web -run TestPage/Keys
const screenshots = "EFOC_SCREENSHOTS"

// patience is how long a step may take: the machine may be slow and busy.
const patience = 2 * time.Minute

// openWorld opens the built-in model.
func openWorld(context.Context) (*runtime.Model, error) { return world.Open() }

// onPath returns the path of the first browser that there is, or skips the test.
func onPath(t *testing.T, names ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("left out by -short: it starts a browser")
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("needs %s on the path to try the page out", names[0])
	return ""
}

// browser starts a headless Chromium, or skips the test where there is none.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := onPath(t, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.WSURLReadTimeout(patience))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx))
	return ctx
}

// page is a tab with the page of its own server.
type page struct {
	t   *testing.T
	ctx context.Context
}

// serve starts a server of its own and returns its address.
func serve(t *testing.T, c server.Config) string {
	t.Helper()
	if c.Open == nil {
		c.Open = openWorld
	}
	c.Plans = shapes.Plans()
	if c.Limits.Deadline == 0 {
		c.Limits.Deadline = patience
	}
	s, err := server.New(t.Context(), c)
	require.NoError(t, err)
	hs := httptest.NewServer(s)
	t.Cleanup(func() {
		hs.Close()
		s.Close()
	})
	return hs.URL
}

// open opens the page in a new tab. Anything that the browser complains about fails
// the test.
func open(t *testing.T, ctx context.Context, c server.Config, width, height int64, scheme string) *page {
	t.Helper()
	address := serve(t, c)
	tab, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	err := chromedp.Listen(tab, func(event any) {
		switch e := event.(type) {
		case *cdpruntime.EventExceptionThrown:
			t.Errorf("the page failed: %+v", e.ExceptionDetails)
		case *log.EventEntryAdded:
			// A refused request is reported too; the page shows those.
			if e.Entry.Source != log.EntrySourceNetwork {
				t.Errorf("the browser complains: %s %s", e.Entry.Text, e.Entry.URL)
			}
		}
	})
	require.NoError(t, err)
	p := &page{t, tab}
	colours := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(tab, emulation.SetEmulatedMedia, colours); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.EmulateViewport(width, height), chromedp.Navigate(address))
	return p
}

// do performs actions.
func (p *page) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.picture("failed-" + strings.ReplaceAll(p.t.Name(), "/", "-"))
		p.t.Fatal(err)
	}
}

// eval returns the value of a JavaScript expression.
func eval[T any](p *page, expression string) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// js runs JavaScript.
func (p *page) js(script string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](script))
}

// until waits for a JavaScript expression to become true.
func (p *page) until(expression string) {
	p.t.Helper()
	if _, err := chromedp.Run(p.ctx, chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(patience))); err != nil {
		p.picture("failed-" + strings.ReplaceAll(p.t.Name(), "/", "-"))
		p.t.Fatalf("%s never became true: %v\nthe page says:\n%s", expression, err, eval[string](p, "document.body.innerText"))
	}
}

// text returns the text of an element.
func (p *page) text(selector string) string {
	p.t.Helper()
	return eval[string](p, fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector))
}

// shows checks that an element has texts.
func (p *page) shows(selector string, texts ...string) {
	p.t.Helper()
	got := p.text(selector)
	for _, want := range texts {
		if !strings.Contains(got, want) {
			p.t.Errorf("%s lacks %q:\n%s", selector, want, got)
		}
	}
}

// holds checks the value of a field.
func (p *page) holds(id, want string) {
	p.t.Helper()
	if got := eval[string](p, fmt.Sprintf("document.getElementById(%q).value", id)); got != want {
		p.t.Errorf("%s holds %s, want %s", id, got, want)
	}
}

// set gives a field a value, as a person does who then leaves it.
func (p *page) set(id, value string) {
	p.t.Helper()
	p.do(chromedp.SetValue("#"+id, value))
	p.js(fmt.Sprintf("document.getElementById(%q).dispatchEvent(new Event('change'))", id))
}

// reload loads the page anew, by its address.
func (p *page) reload() {
	p.t.Helper()
	p.do(chromedp.Reload())
	p.until(answered)
}

// keys presses keys, wherever the focus is.
func (p *page) keys(text string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(text))
}

// picture takes a picture of the whole page if any are wanted.
func (p *page) picture(name string) {
	p.t.Helper()
	keepPicture(p.t, name, func() ([]byte, error) { return chromedp.Run(p.ctx, chromedp.FullScreenshot(100)) })
}

// keepPicture takes a picture and keeps it if any are wanted.
func keepPicture(t *testing.T, name string, take func() ([]byte, error)) {
	t.Helper()
	dir := os.Getenv(screenshots)
	if dir == "" {
		return
	}
	png, err := take()
	if err != nil {
		t.Log(err)
		return
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644))
}

const answered = `!document.getElementById('results').hidden && document.getElementById('state').textContent.match(/answers? in/) !== null`

// unfold opens a part of the page that is folded.
func (p *page) unfold(selector string) {
	p.t.Helper()
	p.js(fmt.Sprintf("document.querySelector(%q).open = true", selector))
}

// focusQuestion puts the caret into an empty field.
func (p *page) focusQuestion() {
	p.t.Helper()
	p.until(`document.querySelectorAll('#examples button').length > 0`)
	p.do(chromedp.Focus("#formula"))
	p.js(`document.getElementById('formula').select()`)
}
