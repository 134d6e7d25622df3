package web_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/websocket"

	"github.com/efoc/efoc/cmd/internal/server"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// firefox speaks to a Firefox by WebDriver BiDi, one command after the other.
type firefox struct {
	t       *testing.T
	conn    *websocket.Conn
	context string // of the tab
	number  int    // of the last command
	logged  []string
}

// message is one that the browser sends: the result of a command, or an event.
type message struct {
	ID      int             `json:"id"`
	Type    string          `json:"type"`
	Error   string          `json:"error"`
	Message string          `json:"message"`
	Result  json.RawMessage `json:"result"`
	Params  struct{ Level, Text string }
}

// startFirefox starts a headless Firefox, or skips the test where there is none.
func startFirefox(t *testing.T) *firefox {
	t.Helper()
	path := onPath(t, "firefox-esr", "firefox")
	profile := t.TempDir()
	command := exec.Command(path, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0", "--remote-allow-origins", "http://127.0.0.1")
	command.Env = append(os.Environ(), "HOME="+profile)
	stderr, err := command.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	late := time.AfterFunc(patience, func() { _ = command.Process.Kill() })
	lines, said, address := bufio.NewScanner(stderr), "", ""
	for address == "" && lines.Scan() {
		said += lines.Text() + "\n"
		if m := regexp.MustCompile(`WebDriver BiDi listening on (ws://\S+)`).FindStringSubmatch(lines.Text()); m != nil {
			address = m[1]
		}
	}
	if !late.Stop() || address == "" {
		t.Fatalf("%s does not listen:\n%s", path, said)
	}
	go func() {
		for lines.Scan() { // or it waits at a full pipe
		}
	}()
	conn, err := websocket.Dial(address+"/session", "", "http://127.0.0.1")
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	f := &firefox{t: t, conn: conn}
	f.call("session.new", map[string]any{"capabilities": map[string]any{}}, nil)
	f.call("session.subscribe", map[string]any{"events": []string{"log.entryAdded"}}, nil)
	var tree struct{ Contexts []struct{ Context string } }
	f.call("browsingContext.getTree", map[string]any{}, &tree)
	f.context = tree.Contexts[0].Context
	return f
}

// call sends a command and waits for its result.
func (f *firefox) call(method string, params map[string]any, result any) {
	f.t.Helper()
	f.number++
	require.NoError(f.t, f.conn.SetDeadline(time.Now().Add(patience)))
	require.NoError(f.t, websocket.JSON.Send(f.conn, map[string]any{"id": f.number, "method": method, "params": params}))
	for {
		var m message
		if err := websocket.JSON.Receive(f.conn, &m); err != nil {
			f.t.Fatalf("%s: %v", method, err)
		}
		switch {
		case m.Type == "event" && m.Params.Level == "error":
			f.logged = append(f.logged, m.Params.Text)
		case m.Type == "event" || m.ID != f.number:
		case m.Type == "error":
			f.t.Fatalf("%s: %s: %s", method, m.Error, m.Message)
		default:
			if result != nil {
				if err := json.Unmarshal(m.Result, result); err != nil {
					f.t.Fatalf("%s: %v", method, err)
				}
			}
			return
		}
	}
}

// text returns the value of a JavaScript expression as text.
func (f *firefox) text(expression string) string {
	f.t.Helper()
	var r struct {
		Result           struct{ Value string }
		ExceptionDetails struct{ Text string }
	}
	f.call("script.evaluate", map[string]any{"expression": "String(" + expression + ")", "target": map[string]any{"context": f.context}, "awaitPromise": true}, &r)
	if r.ExceptionDetails.Text != "" {
		f.t.Fatalf("%s: %s", expression, r.ExceptionDetails.Text)
	}
	return r.Result.Value
}

// until waits for a JavaScript expression to become true.
func (f *firefox) until(expression string) {
	f.t.Helper()
	for begin := time.Now(); f.text(expression) != "true"; time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > patience {
			f.t.Fatalf("%s never became true; the page says:\n%s", expression, f.text("document.body.innerText"))
		}
	}
}

// picture takes a picture of the whole page if any are wanted.
func (f *firefox) picture(name string) {
	f.t.Helper()
	keepPicture(f.t, name, func() ([]byte, error) {
		var r struct{ Data string }
		f.call("browsingContext.captureScreenshot", map[string]any{"context": f.context, "origin": "document"}, &r)
		return base64.StdEncoding.DecodeString(r.Data)
	})
}

// TestFirefox takes the main paths through the page in Firefox, on a wide and on a narrow screen.
func TestFirefox(t *testing.T) {
	long.Need(t, "it starts a second browser")
	f := startFirefox(t)
	address := serve(t, server.Config{Options: host.Options{Open: placed}, Templates: atlas(t)})
	for _, width := range []int{1280, 320} {
		f.call("browsingContext.setViewport", map[string]any{"context": f.context, "viewport": map[string]any{"width": width, "height": 900}}, nil)
		f.call("browsingContext.navigate", map[string]any{"context": f.context, "url": "about:blank", "wait": "complete"}, nil)
		f.call("browsingContext.navigate", map[string]any{"context": f.context, "url": address, "wait": "complete"}, nil)
		f.until(answered)
		f.until(`document.getElementById('answers').innerText.includes('Dutch')`)
		for _, c := range []struct{ name, action, outcome string }{
			{"answers", `(document.getElementById('formula').value = 'exists x. borders("France", x) & official_language(x, y)', document.querySelector('#ask button[type=submit]').click())`,
				`document.querySelector('#answers tbody tr').innerText.includes('French')`}, // no answer of the first question
			{"why", `document.querySelector('#answers .whybutton').click()`, `document.querySelector('#answers .why') !== null`},
			{"witnesses", `document.getElementById('view-graph').click()`, `document.querySelector('#answers svg.witnesses') !== null`},
			{"table", `document.getElementById('view-table').click()`, `document.querySelector('#answers table') !== null`},
			{"entity", `document.querySelector('#answers tbody th button.entity').click()`, `document.querySelector('#browse[open] h3') !== null`},
			{"closed", `document.getElementById('browse-close').click()`, `!document.getElementById('browse').open`},
			{"map", `(document.getElementById('formula').value = 'borders("France", y)', document.querySelector('#ask button[type=submit]').click(), document.getElementById('view-map').click())`,
				`document.querySelectorAll('#answers .point').length === 4`},
			{"chart", `document.getElementById('view-chart').click()`, `document.querySelectorAll('#answers .chart tbody tr').length === 4`},
			{"how", `(document.getElementById('how').open = document.getElementById('along').open = true)`, `document.querySelector('#graph svg') !== null`},
			{"download", `document.getElementById('csv').click()`, `document.getElementById('download-state').innerText.startsWith('answers.csv has all')`},
			{"mistake", `(document.getElementById('formula').value = 'borders("Frence", y)', document.querySelector('#ask button[type=submit]').click())`,
				`document.querySelector('#mistake .suggestion') !== null`},
			{"mended", `document.querySelector('#mistake .suggestion').click()`, answered},
		} {
			f.text(c.action)
			f.until(c.outcome)
			f.picture(fmt.Sprintf("firefox-%s-%d", c.name, width))
			if wide := f.text("document.documentElement.scrollWidth - innerWidth"); strings.TrimPrefix(wide, "-") == wide && wide != "0" {
				t.Errorf("%s: the page is %s wider than the screen of %d", c.name, wide, width)
			}
		}
	}
	if len(f.logged) > 0 {
		t.Errorf("the browser complains:\n%s", strings.Join(f.logged, "\n"))
	}
}
