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
	out.WriteByte('{')
	for _, part := range parts {
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false) // the encoder that writes the object escapes if it has to
		if err := e.Encode(part); err != nil {
			return nil, err
		}
		members := bytes.TrimSpace(text.Bytes())
		members = members[1 : len(members)-1]
		if len(members) > 0 && out.Len() > 1 {
			out.WriteByte(',')
		}
		out.Write(members)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
