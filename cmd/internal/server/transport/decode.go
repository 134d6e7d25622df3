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
	"unicode/utf8"

	"github.com/efoc/efoc/cmd/internal/server/problem"
)

// Read parses a request from JSON, or from the query string of a GET.
func Read(r *http.Request, into any) error {
	if r.Method == http.MethodGet {
		return ReadQuery(r, into)
	}
	return Decode(r, into)
}

// Decode parses the JSON of a request; it refuses unknown fields and trailing data.
func Decode(r *http.Request, into any) error {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if !utf8.Valid(text) { // the decoder would replace it by question marks
		return problem.Bad("the request is not in UTF-8")
	}
	return DecodeText(text, into)
}

// checkNulls refuses null, which the decoder would treat as a missing field. It leaves other mistakes to the decoder.
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
				return problem.Bad("the request is null; want a JSON object")
			}
			return problem.Bad("null after %q: leave the field out instead", last)
		}
	}
}

// DecodeText is Decode for UTF-8 text.
func DecodeText(text []byte, into any) error {
	if err := checkNulls(text); err != nil {
		return err
	}
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
