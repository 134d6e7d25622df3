package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"unicode/utf8"
)

// params are those of a query string, each given once.
type params map[string]string

// readParams reads the query string of a request, which may have the parameters of the
// given names.
func readParams(r *http.Request, names ...string) (params, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, badRequest("the parameters of the request cannot be read: %w", err)
	}
	ps := params{}
	for name, list := range values {
		switch {
		case !slices.Contains(names, name):
			return nil, badRequest("unknown parameter %q: see /openapi.yaml", name)
		case len(list) > 1:
			return nil, badRequest("%s is given %d times, want it once", name, len(list))
		}
		if ps[name] = list[0]; !utf8.ValidString(list[0]) {
			return nil, badRequest("%s is not in UTF-8", name)
		}
	}
	return ps, nil
}

// number reads a number, if it is given.
func (ps params) number(name string, to **int) error {
	if ps[name] == "" {
		return nil
	}
	n, err := strconv.Atoi(ps[name])
	if err != nil {
		return badRequest("%s is %q, want a number", name, ps[name])
	}
	*to = &n
	return nil
}

// receive reads a request that the question is part of: from JSON, or from the query string,
// which may have some parameters beside those of a question. It returns all of these.
func (q *Question) receive(r *http.Request, request any, names ...string) (params, error) {
	if r.Method == http.MethodPost {
		return nil, decode(r, request)
	}
	given, err := readParams(r, append(names, "formula", "semantics")...)
	q.Formula, q.Semantics = given["formula"], given["semantics"]
	return given, err
}

// decode reads the JSON of a request; unknown fields and trailing data are refused.
func decode(r *http.Request, into any) error {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if !utf8.Valid(text) { // which the decoder would turn into question marks
		return badRequest("the request is not in UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	switch err := dec.Decode(into); {
	case errors.Is(err, io.EOF):
		return badRequest("the request has no body; want a JSON object")
	case err != nil:
		return badRequest("the request is not as described in /openapi.yaml: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return badRequest("trailing data after the JSON object")
	}
	return nil
}
