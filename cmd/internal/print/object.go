// Package print formats replies to questions, for the command and the server.
package print

import (
	"bytes"
	"encoding/json"
)

// Object returns one JSON object with the members of several, in order. It is needed because an embedded
// runtime.Reply would replace the whole struct by its MarshalJSON.
func Object(parts ...any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // the calling encoder escapes if necessary
	for _, part := range parts {
		start := out.Len()
		if err := object(&out, e, part); err != nil {
			return nil, err
		}
		if out.Len() == start+len("{}") {
			out.Truncate(start)
			continue
		}
		if start > 0 {
			out.Bytes()[start] = ','
		}
		out.Truncate(out.Len() - len("}"))
	}
	if out.Len() == 0 {
		out.WriteByte('{')
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// object writes the object of a part, by an encoder unless the part marshals itself: the encoder would parse that
// again.
func object(out *bytes.Buffer, e *json.Encoder, part any) error {
	if m, is := part.(json.Marshaler); is {
		text, err := m.MarshalJSON()
		out.Write(text)
		return err
	}
	err := e.Encode(part)
	out.Truncate(max(0, out.Len()-len("\n")))
	return err
}
