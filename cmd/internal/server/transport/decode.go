package transport

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/efoc/efoc/cmd/internal/server/problem"
)

// Read parses a request from JSON, or from the query string of a GET or HEAD. It refuses unknown fields and trailing
// data.
func Read(r *http.Request, into any) error {
	if r.Method != http.MethodPost {
		return ReadQuery(r, into)
	}
	text, err := io.ReadAll(r.Body)
	if err == nil {
		err = check(text)
	}
	if err != nil {
		return err
	}
	return DecodeText(text, into)
}

// check refuses what the decoder would change: null, which it treats as a missing field, a field given twice, and halves
// of characters.
func check(text []byte) error {
	if jsontext.Value(text).IsValid() && !bytes.Contains(text, []byte("null")) {
		return nil
	}
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		token, err := dec.ReadToken()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return problem.Bad("the request is not as described in /openapi.yaml: %w", err)
		case token.Kind() == 'n':
			return problem.Bad("%s is null: leave it out instead", cmp.Or(dec.StackPointer(), "the request"))
		}
	}
}

// DecodeText is Read for a part of a request in JSON that was read.
func DecodeText(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	dec.UseNumber() // float64 would round them
	var wrong *json.UnmarshalTypeError
	switch err := dec.Decode(into); {
	case errors.Is(err, io.EOF):
		return problem.Bad("the request has no body; want a JSON object")
	case errors.As(err, &wrong):
		field := strings.NewReplacer("Question.", "", "Answers.", "", "AnswerFilter.", "").Replace(wrong.Field) // the decoder names embedded structs too
		return problem.Bad("%s is a JSON %s, want %s; see /openapi.yaml", cmp.Or(field, "the request"), wrong.Value, jsonKind(wrong.Type))
	case err != nil:
		return problem.Bad("the request is not as described in /openapi.yaml: %w", err)
	}
	if rest := text[dec.InputOffset():]; len(bytes.TrimSpace(rest)) > 0 {
		return problem.Bad("trailing data after the JSON object")
	}
	return nil
}

// jsonKind returns the JSON type of values of a Go type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
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
