package server

import (
	"testing"

	"github.com/efoc/efoc/cmd/internal/server/transport"
)

// TestDecodeTypes expects an error that names the field and the types of JSON, and no type of Go.
func TestDecodeTypes(t *testing.T) {
	for text, want := range map[string]string{
		`{"formula": 7}`:         "formula is a JSON number, want a string; see /openapi.yaml",
		`{"k": "3"}`:             "k is a JSON string, want an integer; see /openapi.yaml",
		`{"status": "known"}`:    "status is a JSON string, want an array; see /openapi.yaml",
		`{"status": [1]}`:        "status is a JSON number, want a string; see /openapi.yaml",
		`{"settings": [1]}`:      "settings is a JSON array, want an object; see /openapi.yaml",
		`{"in_range": 1}`:        "in_range is a JSON number, want true or false; see /openapi.yaml",
		`{"min_confidence": ""}`: "min_confidence is a JSON string, want a number; see /openapi.yaml",
		`{"args": {"a": [1]}}`:   "args is a JSON array, want a string; see /openapi.yaml",
		`["formula"]`:            "the request is a JSON array, want an object; see /openapi.yaml",
	} {
		if err := transport.DecodeText([]byte(text), &AskRequest{}); err == nil || err.Error() != want {
			t.Errorf("%s: error is %v, want %s", text, err, want)
		}
	}
}
