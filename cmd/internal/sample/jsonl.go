package sample

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/runtime/exact"
)

// fields are the names of a line that are no parameters.
var fields = []string{"type", "formula", "pni", "easy", "hard"}

// Line returns a query as a line of JSON: its type, the formula where that is no
// benchmark shape, the parameters by name, and the answers. The universal reading
// of pni is noted, since the formula says otherwise.
func (s *Sampler) Line(t *Template, q queryset.Query) []byte {
	var b bytes.Buffer
	field := func(name string, value any) {
		sep := byte(',')
		if b.Len() == 0 {
			sep = '{'
		}
		b.WriteByte(sep)
		for i, x := range []any{name, value} {
			text, err := json.Marshal(x)
			if err != nil {
				panic("internal error: sample: " + err.Error()) // numbers and text alone
			}
			if i == 1 {
				b.WriteByte(':')
			}
			b.Write(text)
		}
	}
	field("type", t.Name)
	if !t.shape {
		field("formula", strings.Join(strings.Fields(t.Query.String()), " "))
	} else if t.Name == "pni" && s.options.Reading == exact.Universal {
		field("pni", string(exact.Universal))
	}
	for i, p := range t.Query.Params {
		field(p.Name, q.Args[i])
	}
	field("easy", append([]int32{}, q.Easy...))
	field("hard", append([]int32{}, q.Hard...))
	b.WriteString("}\n")
	return b.Bytes()
}
