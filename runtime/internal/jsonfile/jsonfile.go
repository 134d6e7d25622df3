// Package jsonfile reads the JSON files of models. Its errors are for people who edit such files: they name fields,
// not Go types or packages.
package jsonfile

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Read parses a JSON value. It refuses duplicate fields, and unknown ones unless options allow them.
func Read(text []byte, into any, options ...json.Options) error {
	options = append([]json.Options{json.RejectUnknownMembers(true)}, options...)
	return Explain(json.Unmarshal(text, into, options...))
}

// Explain explains an error of package json.
func Explain(err error) error {
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		return explainValue(semantic)
	}
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		switch {
		case errors.Is(syntactic.Err, jsontext.ErrDuplicateName):
			return fmt.Errorf("%s stands there twice", field(syntactic.JSONPointer))
		case errors.Is(syntactic.Err, io.ErrUnexpectedEOF):
			return errors.New("its end is missing")
		}
		return fmt.Errorf("no JSON from byte %d on, in %s", syntactic.ByteOffset, field(syntactic.JSONPointer))
	}
	return err
}

// explainValue explains a value of the wrong type.
func explainValue(e *json.SemanticError) error {
	at := field(e.JSONPointer)
	switch {
	case errors.Is(e.Err, json.ErrUnknownName):
		return fmt.Errorf("unknown %s", at)
	case e.Err != nil && ours(e.GoType):
		return fmt.Errorf("%s: %w", at, e.Err)
	case e.JSONKind == '0' && len(e.JSONValue) > 0:
		return fmt.Errorf("%s: the number %.40s does not belong there", at, e.JSONValue)
	}
	return fmt.Errorf("%s: %s does not belong there", at, kinds[e.JSONKind])
}

// kinds are words for kinds of values.
var kinds = map[jsontext.Kind]string{
	0: "the value", 'n': "null", 't': "true", 'f': "false", '"': "this text", '0': "a number", '{': "an object", '[': "a list",
}

// ours reports whether a type of this module parses its own values.
func ours(t reflect.Type) bool {
	return t != nil && strings.HasPrefix(t.PkgPath(), "github.com/efoc/efoc/")
}

// field names a field.
func field(p jsontext.Pointer) string {
	var names []string
	for name := range p.Tokens() {
		names = append(names, name)
	}
	if len(names) == 0 {
		return "the whole"
	}
	return fmt.Sprintf("field %.80q", strings.Join(names, "."))
}
