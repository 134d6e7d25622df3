package importer

import (
	"strings"
	"testing"
)

// openSink returns a sink that gives new names ids.
func openSink() *graphSink {
	return &graphSink{
		entities:  idField{names: &idTable{kind: "entity", ids: map[string]int32{}, open: true}},
		relations: idField{names: &idTable{kind: "relation", ids: map[string]int32{}, open: true}},
	}
}

// FuzzCSV checks that a file is read or refused.
func FuzzCSV(f *testing.F) {
	f.Add("head,relation,tail\na,b,\"c\nd\"\n")
	f.Add("a,b,c\n\n\"\"\"\",b,c\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := openSink()
		body, done, err := Decompress(strings.NewReader(text))
		if err != nil {
			return
		}
		defer done()
		if err := readCSV(&factFile{form: &form{statements: statements{to: s}}, ctx: t.Context(), path: "fuzz", text: body, progress: func(int64) {}}); err != nil && !strings.HasPrefix(err.Error(), "fuzz:") {
			t.Errorf("error is %v, want the name first", err)
		}
		if len(s.triples) > strings.Count(text, "\n")+strings.Count(text, "\r")+1 && !strings.HasPrefix(text, "BZh") {
			t.Errorf("%d facts in %q", len(s.triples), text)
		}
	})
}
