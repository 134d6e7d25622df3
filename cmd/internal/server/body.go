package server

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/efoc/efoc/lang/nearest"
)

// Bounds on the bodies that come in, and on those that go out.
const (
	maxTransfers     = 1024
	maxTransferBytes = 64 << 20
)

// newIncoming returns the place for the bodies of requests, which have some time each.
func newIncoming(allowed time.Duration) *transfers {
	return &transfers{limit: maxTransfers, limitBytes: maxTransferBytes, time: allowed, deadline: (*http.ResponseController).SetReadDeadline}
}

// readBody reads the body of a request before it is handled.
func (s *Server) readBody(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		text, err := s.receive(w, r)
		if err != nil {
			w.Header().Set("Connection", "close") // rather than read the rest
			return err
		}
		r.Body = io.NopCloser(bytes.NewReader(text))
		return h(w, r)
	}
}

// receive returns the body of a request.
func (s *Server) receive(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Body == http.NoBody {
		return nil, nil
	}
	if r.ContentLength > s.Limits.Body {
		return nil, &http.MaxBytesError{Limit: s.Limits.Body}
	}
	t, allowed := s.incoming.enter(http.NewResponseController(w))
	text, err := io.ReadAll(io.TeeReader(http.MaxBytesReader(w, r.Body, s.Limits.Body), t))
	cut := t.leave()
	var tooLarge *http.MaxBytesError
	switch {
	case cut:
		return nil, overloaded(1, "the server receives too many requests to wait for the rest of this one")
	case err == nil:
		return text, nil
	case errors.As(err, &tooLarge):
		return nil, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, refused(http.StatusRequestTimeout, "too_slow", "the body of the request did not come within %s", allowed)
	}
	return nil, badRequest("the body of the request cannot be read: %w", err)
}

// params are the parameters of a query string. Lists may be given in parts, which are joined by commas
// here.
type params map[string]string

// lists are the parameters that may be given several times.
var lists = []string{"status", "show"}

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
			if near := nearest.Names(name, names, 1); len(near) > 0 {
				return nil, badRequest("unknown parameter %q: did you mean %s?", name, near[0])
			}
			return nil, badRequest("unknown parameter %q: there is %s", name, strings.Join(names, ", "))
		case len(list) > 1 && !slices.Contains(lists, name):
			return nil, badRequest("%s is given %d times, want it once", name, len(list))
		}
		ps[name] = strings.Join(list, ",")
		if !utf8.ValidString(ps[name]) {
			return nil, badRequest("%s is not in UTF-8", name)
		}
	}
	return ps, nil
}

// read sets a variable to the parameter of that name, if it is given. A list has commas between
// its elements.
func (ps params) read(name string, to any) (err error) {
	text, given := ps[name]
	list, isList := to.(*[]string)
	switch {
	case given && isList:
		*list = strings.Split(text, ",")
		return nil
	case text == "":
		return nil
	}
	want := "a number"
	switch to := to.(type) {
	case *bool:
		want = "true or false"
		*to, err = strconv.ParseBool(text)
	case *float64:
		*to, err = strconv.ParseFloat(text, 64)
	case **int:
		*to = new(int)
		**to, err = strconv.Atoi(text)
	}
	if err != nil {
		return badRequest("%s is %q, want %s", name, text, want)
	}
	return nil
}

// receive reads a request that the question is part of: from JSON, or from the query string. names are the
// parameters allowed there beside the question's. It returns all parameters.
func (q *Question) receive(r *http.Request, request any, names ...string) (params, error) {
	if r.Method == http.MethodPost {
		return nil, decode(r, request)
	}
	given, err := readParams(r, append(names, "formula", "semantics")...)
	q.Formula = given["formula"]
	q.Semantics = given["semantics"]
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
	return decodeText(text, into)
}

// checkNulls refuses null, which the decoder would take for a field that is left out. It leaves
// other mistakes to the decoder.
func checkNulls(text []byte) error {
	if !bytes.Contains(text, []byte("null")) {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	last := "" // the last name or text before a value
	for {
		token, err := dec.Token()
		switch token := token.(type) {
		case string:
			last = token
		case nil:
			switch {
			case err != nil:
				return nil
			case last == "":
				return badRequest("the request is null; want a JSON object")
			}
			return badRequest("null after %q: leave the field out instead", last)
		}
	}
}

// decodeText is decode for a text that is in UTF-8.
func decodeText(text []byte, into any) error {
	if err := checkNulls(text); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	dec.UseNumber() // which float64 would round
	var wrong *json.UnmarshalTypeError
	switch err := dec.Decode(into); {
	case errors.Is(err, io.EOF):
		return badRequest("the request has no body; want a JSON object")
	case errors.As(err, &wrong):
		field := strings.ReplaceAll(wrong.Field, "Question.", "") // the decoder names embedded structs, too
		return badRequest("%s is a JSON %s, want %s; see /openapi.yaml", cmp.Or(field, "the request"), wrong.Value, jsonKind(wrong.Type))
	case err != nil:
		return badRequest("the request is not as described in /openapi.yaml: %w", err)
	}
	if rest := text[dec.InputOffset():]; len(bytes.TrimSpace(rest)) > 0 {
		return badRequest("trailing data after the JSON object")
	}
	return nil
}

// jsonKind returns what a value of a type is in JSON.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return jsonKind(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Map, reflect.Struct:
		return "an object"
	}
	return "an integer"
}
