package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/tools/txtar"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/cmd/internal/server"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/sparqlresult"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/require"
)

// TestWire asks each question of testdata/wire of the built-in model in all ways that efoc has, and compares
// the replies with the file. The file of a question has these sections:
//
//	request     the question, as POST /v1/ask reads it; its other members are the flags of efoc ask, too
//	entities    names of answers to explain, a line each
//	sparql      the question in SPARQL
//	template    the question as a template of efoc answer
//	rows        the rows for the template
//
// The other sections are replies, "= NAME" if an earlier section has the same. Times and ids of requests are
// masked. Numbers may differ a little, since each instruction set rounds sums in its own way.
func TestWire(t *testing.T) {
	for _, name := range programVariables {
		t.Setenv(name, "")
	}
	files, err := filepath.Glob("../../testdata/wire/*.txtar")
	require.NoError(t, err)
	if len(files) == 0 {
		t.Fatal("there are no questions")
	}
	w := newWire(t)

	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			require.NoError(t, err)
			var got txtar.Archive
			got.Comment = archive.Comment
			for _, f := range archive.Files {
				if slices.Contains(questionSections, f.Name) {
					got.Files = append(got.Files, f)
				}
			}
			w.ask(t, &got)

			text := string(txtar.Format(&got))
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
				return
			}
			want := string(txtar.Format(archive))
			if difference := wireDifference(text, want); difference != "" {
				t.Errorf("%s\ngo test ./cmd/efoc -run Wire -update writes %s anew; read the diff", difference, path)
			}
		})
	}
}

// questionSections are the sections of a file in testdata/wire that are no replies.
var questionSections = []string{"request", "entities", "sparql", "template", "rows"}

// wire is a server, over HTTP and for an assistant.
type wire struct {
	url       string
	assistant *mcp.ClientSession
}

func newWire(t *testing.T) *wire {
	t.Helper()
	open := func(context.Context) (*runtime.Model, error) { return world.Open() }
	s, err := server.New(t.Context(), server.Config{Options: host.Options{Open: open, Plans: plans}})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	hs := httptest.NewServer(s)
	t.Cleanup(hs.Close)

	here, there := mcp.NewInMemoryTransports()
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.ServeMCP(ctx, there) }()
	t.Cleanup(func() {
		stop()
		<-served
	})
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), here, nil)
	require.NoError(t, err)
	t.Cleanup(func() { session.Close() })
	return &wire{hs.URL, session}
}

// ask adds the replies to a question.
func (w *wire) ask(t *testing.T, question *txtar.Archive) {
	t.Helper()
	section := map[string]string{}
	for _, f := range question.Files {
		section[f.Name] = string(f.Data)
	}
	var names []string
	replies := map[string]string{}
	add := func(name, reply string) {
		reply = maskWire(reply)
		replies[name] = reply
		for _, earlier := range names {
			if wireDifference(reply, replies[earlier]) == "" {
				reply = "= " + earlier + "\n"
				break
			}
		}
		names = append(names, name)
		question.Files = append(question.Files, txtar.File{Name: name, Data: []byte(reply)})
	}

	request := map[string]any{}
	require.NoError(t, json.Unmarshal([]byte(section["request"]), &request))
	entities := strings.Fields(section["entities"])
	add("POST /v1/ask", w.send(t, http.MethodPost, "/v1/ask", "application/json", section["request"], ""))
	add("GET /v1/ask", w.send(t, http.MethodGet, "/v1/ask?"+wireParameters(request).Encode(), "", "", ""))
	add("POST /v1/batch", soleResult(w.send(t, http.MethodPost, "/v1/batch", "application/json", `{"queries": [`+section["request"]+`]}`, "")))
	flags := wireFlags(request, len(entities))
	for _, format := range []string{"json", "tsv", "table"} {
		r := efoc(t, append([]string{"ask", "--format", format}, flags...)...)
		add("efoc ask --format "+format, r.stdout+r.stderr)
	}
	delete(request, "sets") // an assistant sees none
	add("MCP ask", w.call(t, "ask", request))

	if len(entities) > 0 {
		explained := map[string]any{"formula": request["formula"], "entities": entities}
		if semantics, ok := request["semantics"]; ok {
			explained["semantics"] = semantics
		}
		body, err := json.Marshal(explained)
		require.NoError(t, err)
		add("POST /v1/witness", w.send(t, http.MethodPost, "/v1/witness", "application/json", string(body), ""))
		add("MCP explain", w.call(t, "explain", explained))
	}
	if rows := section["rows"]; rows != "" {
		path := write(t, filepath.Join(t.TempDir(), "wire.efo"), section["template"])
		r := efocInput(t, rows, "answer", path, "-k", "3")
		add("efoc answer", r.stdout+strings.ReplaceAll(r.stderr, path, "wire.efo"))
	}
	if query := section["sparql"]; query != "" {
		for _, f := range sparqlresult.Formats {
			add("POST /sparql "+f.Name, w.send(t, http.MethodPost, "/sparql", "application/sparql-query", query, f.Media))
			r := efocInput(t, query, "ask", "--sparql", "-", "--format", f.Name)
			add("efoc ask --format "+f.Name, indented(r.stdout+r.stderr))
		}
	}
}

// send sends a request and returns the response, JSON in lines.
func (w *wire) send(t *testing.T, method, path, media, body, accept string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, w.url+path, strings.NewReader(body))
	require.NoError(t, err)
	if media != "" {
		req.Header.Set("Content-Type", media)
	}
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)

	status := ""
	if resp.StatusCode != http.StatusOK {
		status = resp.Status + "\n"
	}
	return status + indented(string(text))
}

// indented returns a text, in lines if it is a JSON value.
func indented(text string) string {
	var lines bytes.Buffer
	if err := json.Indent(&lines, []byte(text), "", "  "); err != nil {
		return text
	}
	return lines.String()
}

// soleResult returns the result in a response to a batch of one, the whole response if that is an error.
func soleResult(response string) string {
	var batch struct {
		Results []struct{ Result json.RawMessage }
	}
	if err := json.Unmarshal([]byte(response), &batch); err != nil || len(batch.Results) != 1 || batch.Results[0].Result == nil {
		return response
	}
	return indented(string(batch.Results[0].Result))
}

// call calls a tool and returns its text.
func (w *wire) call(t *testing.T, tool string, args map[string]any) string {
	t.Helper()
	r, err := w.assistant.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	require.NoError(t, err)
	text := ""
	for _, c := range r.Content {
		text += c.(*mcp.TextContent).Text
	}
	return text
}

// wireParameters returns a request as parameters of a URL.
func wireParameters(request map[string]any) url.Values {
	values := url.Values{}
	for name, value := range request {
		values.Set(name, wireValue(value))
	}
	return values
}

// wireFlags returns a request as arguments of efoc ask, which explains the first answers.
func wireFlags(request map[string]any, explained int) (args []string) {
	for name, value := range request {
		if name != "formula" {
			args = append(args, fmt.Sprintf("--%s=%s", strings.ReplaceAll(name, "_", "-"), wireValue(value)))
		}
	}
	slices.Sort(args)
	if explained > 0 {
		args = append(args, fmt.Sprintf("--why=%d", explained))
	}
	return append(args, request["formula"].(string))
}

// wireValue returns a value as text, lists with commas.
func wireValue(value any) string {
	list, ok := value.([]any)
	if !ok {
		return fmt.Sprint(value)
	}
	var texts []string
	for _, x := range list {
		texts = append(texts, fmt.Sprint(x))
	}
	return strings.Join(texts, ",")
}

// wireMasks replace the parts of replies that no two runs share.
var wireMasks = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(`("seconds": ?)[0-9.e+-]+`), "${1}0"},
	{regexp.MustCompile(`("request_id": ?)"[^"]*"`), `${1}"…"`},
	{regexp.MustCompile(`(?m), in [0-9.]+(ns|µs|ms|s)$`), ", in 0s"},
}

func maskWire(text string) string {
	for _, m := range wireMasks {
		text = m.pattern.ReplaceAllString(text, m.by)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// wireNumber is a number in a reply.
var wireNumber = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?`)

// wireDifference returns the first line in which two texts differ by more than the rounding of numbers.
func wireDifference(got, want string) string {
	section := ""
	gotLines := strings.Split(got, "\n")
	wantLines := strings.Split(want, "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		if i >= len(gotLines) || i >= len(wantLines) {
			return fmt.Sprintf("%s: got %d lines, want %d", section, len(gotLines), len(wantLines))
		}
		if strings.HasPrefix(wantLines[i], "-- ") {
			section = wantLines[i]
		}
		if !sameWireLine(gotLines[i], wantLines[i]) {
			return fmt.Sprintf("%s line %d: got\n%s\nwant\n%s", section, i+1, gotLines[i], wantLines[i])
		}
	}
	return ""
}

// sameWireLine reports whether two lines differ only in the rounding of numbers that are not whole.
func sameWireLine(got, want string) bool {
	if wireNumber.ReplaceAllString(got, "0") != wireNumber.ReplaceAllString(want, "0") {
		return false
	}
	gotNumbers := wireNumber.FindAllString(got, -1)
	wantNumbers := wireNumber.FindAllString(want, -1)
	for i := range wantNumbers {
		if gotNumbers[i] == wantNumbers[i] {
			continue
		}
		x, errX := strconv.ParseFloat(gotNumbers[i], 64)
		y, errY := strconv.ParseFloat(wantNumbers[i], 64)
		if errX != nil || errY != nil || x == math.Trunc(x) && y == math.Trunc(y) || math.Abs(x-y) > 1e-3+0.01*math.Abs(y) {
			return false
		}
	}
	return true
}
