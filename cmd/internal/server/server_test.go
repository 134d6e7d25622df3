package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/require"
)

// openWorld opens the built-in model.
func openWorld(context.Context) (*runtime.Model, error) { return world.Open() }

// patience is the deadline where a test is not about deadlines: the machine may be slow
// and busy.
const patience = 5 * time.Minute

// plans are those of the command.
var plans = shapes.Plans()

// start starts a server for the world, or what the config opens.
func start(t *testing.T, c Config) (*Server, *httptest.Server) {
	t.Helper()
	if c.Open == nil {
		c.Open = openWorld
	}
	if c.Limits.Deadline == 0 {
		c.Limits.Deadline = patience
	}
	if c.Plans == nil {
		c.Plans = plans
	}
	s, err := New(t.Context(), c)
	require.NoError(t, err)
	hs := httptest.NewServer(s)
	t.Cleanup(func() {
		hs.Close()
		s.Close()
	})
	return s, hs
}

// call sends a request and returns the status and the body. Every response is
// checked against openapi.yaml.
func call(t *testing.T, hs *httptest.Server, method, path, body string) (int, string) {
	t.Helper()
	status, text, _ := callWith(t, hs, method, path, body, nil)
	return status, text
}

func callWith(t *testing.T, hs *httptest.Server, method, path, body string, header http.Header) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, hs.URL+path, strings.NewReader(body))
	require.NoError(t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := hs.Client().Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	described(t, req, body, resp, text)
	return resp.StatusCode, string(text), resp.Header
}

// metric returns the value of a metric without labels.
func metric(t *testing.T, hs *httptest.Server, name string) (value float64) {
	t.Helper()
	_, text := call(t, hs, "GET", "/metrics", "")
	if _, after, found := strings.Cut(text, "\n"+name+" "); !found {
		t.Fatalf("there is no metric %s", name)
	} else if _, err := fmt.Sscan(after, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// described checks a response, and a request that was accepted, against
// openapi.yaml.
func described(t *testing.T, req *http.Request, body string, resp *http.Response, text []byte) {
	t.Helper()
	described, err := router()
	if err != nil {
		t.Errorf("openapi.yaml: %v", err)
		return
	}
	route, params, err := described.FindRoute(req)
	if err != nil {
		return // not described: the page, or an unknown path
	}
	in := &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true}}
	if resp.StatusCode == http.StatusOK {
		req.Body = io.NopCloser(strings.NewReader(body))
		if err := openapi3filter.ValidateRequest(t.Context(), in); err != nil {
			t.Errorf("%s %s was accepted, but openapi.yaml does not allow it: %v", req.Method, req.URL, err)
		}
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: resp.StatusCode, Header: resp.Header, Options: in.Options}
	out.SetBodyBytes(text)
	if err := openapi3filter.ValidateResponse(t.Context(), out); err != nil {
		t.Errorf("%s %s: the response is not as in openapi.yaml: %v\n%s", req.Method, req.URL, err, text)
	}
}

// router finds the operation of openapi.yaml that a request is one of.
var router = sync.OnceValues(func() (routers.Router, error) {
	doc, err := openapi3.NewLoader().LoadFromData(openAPI)
	if err != nil {
		return nil, err
	}
	if err := doc.Validate(context.Background()); err != nil {
		return nil, err
	}
	doc.Servers = nil // wherever the test listens
	return gorillamux.NewRouter(doc)
})

// unmarshal reads JSON.
func unmarshal[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	return v
}

// answersOf is what tests read of an answer.
type answersOf struct {
	Query, Shape, Variable, Engine, Model, Semantics string
	ShapeName                                        string `json:"shape_name"`
	Batch                                            int
	Layers                                           []int
	Answers                                          []struct {
		Name, Label, Status string
		Score, Confidence   float64
		OutOfRange          bool `json:"out_of_range"`
		Values              []struct{ Variable, Name string }
	}
	Next int
	Sets []struct {
		Variable string
		Top      []struct{ Name string }
	}
	Warnings []string
}

// jsonText writes JSON.
func jsonText(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, json.NewEncoder(&b).Encode(v))
	return b.String()
}
