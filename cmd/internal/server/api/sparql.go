package api

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/cmd/internal/sparqlresult"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/pause"
	"github.com/efoc/efoc/runtime/plan"
)

// SPARQL implements the SPARQL 1.1 Protocol; without a query it describes the service.
func (s *Service) SPARQL() http.Handler {
	return s.transport.Handle(s.transport.ReadBody(func(w http.ResponseWriter, r *http.Request) error {
		text, err := sparqlText(r)
		if err != nil {
			return err
		}
		if text == "" {
			w.Header().Set("Content-Type", "text/turtle; charset=utf-8")
			_, err := io.WriteString(w, serviceDescription)
			return err
		}
		accept := r.Header.Values("Accept")
		format := sparqlresult.Accepted(accept)
		var out bytes.Buffer
		err = s.admitted(r.Context(), func(ctx context.Context, h *host.Model) error {
			req, err := s.readSPARQL(ctx, h, text)
			if err != nil {
				return err
			}
			if req.Facts != nil && req.Facts.Describe {
				format = sparqlresult.GraphFormat(accept)
			}
			if format == nil {
				return problem.New("not_acceptable", "results come as application/sparql-results+json, application/sparql-results+xml, text/csv or text/tab-separated-values")
			}
			a, err := s.AskSPARQL(ctx, h, text, req)
			if err != nil {
				return err
			}
			if a.Incomplete { // not expressible in the result formats
				w.Header().Set("Warning", `199 efoc "the search was given up: there may be more solutions"`)
			}
			return format.Write(&out, req, a)
		})
		if err != nil {
			// SPARQL clients take 404 to mean that the endpoint does not exist.
			if p := *problem.Of(err); p.Status == http.StatusNotFound {
				p.Status = http.StatusBadRequest
				return &p
			}
			return err
		}
		s.transport.Deliver(w, format.Media, out.Bytes())
		return nil
	}))
}

// sparqlText returns the query of a request, empty if it has none.
func sparqlText(r *http.Request) (string, error) {
	query := r.URL.RawQuery
	if r.Method == http.MethodPost {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return "", err
		}
		switch media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media {
		case "application/sparql-query":
			query += "&query=" + url.QueryEscape(string(body))
		case "application/x-www-form-urlencoded":
			query += "&" + string(body)
		default:
			return "", problem.New("unsupported_media_type", "the body is %q, want application/sparql-query or application/x-www-form-urlencoded", media)
		}
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return "", problem.Bad("the parameters of the request cannot be read: %w", err)
	}
	for _, name := range []string{"default-graph-uri", "named-graph-uri", "using-graph-uri", "update"} {
		if values.Has(name) {
			return "", problem.Bad("parameter %s: there is one graph, which questions do not change", name)
		}
	}
	if n := len(values["query"]); n > 1 {
		return "", problem.Bad("query is given %d times, want it once", n)
	}
	return values.Get("query"), nil
}

// readSPARQL parses a query and resolves its names.
func (s *Service) readSPARQL(ctx context.Context, h *host.Model, text string) (req *sparql.Request, err error) {
	if err := host.CheckLength(text, s.Limits.Formula); err != nil {
		return nil, err
	}
	err = s.host.Run(ctx, 0, func(ctx context.Context) error {
		req, err = sparql.Parse(text)
		if err = cmp.Or(err, pause.Here(ctx)); err != nil {
			return err
		}
		return sparqlresult.Bind(req, h.Now(), false)
	})
	return req, err
}

// AskSPARQL answers a query.
func (s *Service) AskSPARQL(ctx context.Context, h *host.Model, text string, req *sparql.Request) (result *sparqlresult.Result, err error) {
	if req.Facts != nil {
		result, err = sparqlresult.Facts(req, h.Now(), s.Limits.K)
		if errors.Is(err, sparqlresult.ErrTooMany) {
			err = problem.TooCostly("%w", err)
		}
		return result, err
	}
	if req.Empty && req.Count != "" {
		return &sparqlresult.Result{Count: &runtime.Count{}}, nil
	}
	if req.Empty {
		return &sparqlresult.Result{}, nil
	}
	q := host.Question{Parsed: stages.Text{Syntax: "sparql " + req.Bound, Text: text, Parse: func(string) (*lang.Query, error) { return req.Query, nil }}}
	if req.Query.Others != nil && *req.Limit == 0 {
		return &sparqlresult.Result{}, nil
	}
	if req.Query.Others != nil && *req.Limit > s.Limits.K {
		return nil, problem.TooCostly("LIMIT is %d, want at most %d: ask for parts by OFFSET", *req.Limit, s.Limits.K)
	}
	p, err := s.host.Prepare(ctx, h, &q)
	if err != nil {
		return nil, err
	}
	defer p.Release()
	p.Bare = true
	want := sparqlresult.Want(req, p.Kind, s.Limits.K, p.Uncalibrated(nil) == "")
	if p.Kind == plan.Answers && want.K == 0 {
		return &sparqlresult.Result{}, nil
	}
	var o runtime.Options
	if err := want.Set(&o); err != nil {
		return nil, err
	}
	r, err := s.answerPrepared(ctx, h, p, o)
	if err != nil {
		return nil, err
	}
	result, err = sparqlresult.Of(req, want, r.Reply)
	if err != nil {
		return nil, problem.TooCostly("%w", err)
	}
	return result, nil
}

// serviceDescription describes the endpoint: SPARQL 1.1 Service Description.
const serviceDescription = `@prefix sd: <http://www.w3.org/ns/sparql-service-description#> .
[] a sd:Service ;
	sd:endpoint <> ;
	sd:supportedLanguage sd:SPARQL11Query ;
	sd:resultFormat <http://www.w3.org/ns/formats/SPARQL_Results_JSON> ,
		<http://www.w3.org/ns/formats/SPARQL_Results_XML> ,
		<http://www.w3.org/ns/formats/SPARQL_Results_CSV> ,
		<http://www.w3.org/ns/formats/SPARQL_Results_TSV> .
`
