// Package print writes replies to questions, for the command and the server.
package print

import (
	"bytes"
	"encoding/json"
)

// Object returns one JSON object with the members of several, in order. Embedding a runtime.Reply in a struct
// would not do: its MarshalJSON would stand for the whole struct.
func Object(parts ...any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // the encoder that writes the object escapes if it has to
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

// object writes the object of a part, by an encoder unless the part has its own JSON, which the encoder would
// read again.
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
