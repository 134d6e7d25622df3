package lang

import (
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/kind"
)

// addCases seeds a fuzz test with the texts of testdata/errors.
func addCases(f *testing.F, add func(text string)) {
	for _, archive := range archives(f, "errors") {
		add(string(archive.Files[0].Data))
	}
	for _, shape := range []string{"r1(s1,e1)&r2(e1,f)", "r1(s1,e1)&!r2(e1,f)&r3(s2,f)", "(r1(s1,e1)|r2(s2,e1))&r3(e1,f)"} {
		add(shape)
	}
	add(`exists x. r("a", x) & s(x, y) & y != "a" & !(x ≠ y)`)
	add(`exists x. (r|s^-1){1,2}("a", x) & !(all z. t(x, z) -> r{1}(z, y))`)
	add("relation near = borders^-1\nquery A(c entity) y = near($c, y)\nquery B(c entity, r relation) y = $r($c, y) & A($c, y)\nquery C y = B(\"a\", near, y)")
	add(`exists x, z. r("a", x) & (s^-1(x, z) | !"t u"(z, y)) and ∃v.¬(q('é\'', v) ∨ $p(v,y))`)
}

// checkParsed checks the properties of every parsed query: it has a normal form, and printing and reparsing
// changes nothing.
func checkParsed(t *testing.T, q *Query, parse func(string) (*Query, error)) {
	if (q.Normal == nil || len(q.Normal.Disjuncts) == 0) && len(q.Disjuncts()) == 0 {
		t.Fatalf("%s\nhas no normal form", q)
	}
	if q.Asks() == kind.Verdict {
		for _, p := range q.Parts() {
			checkParsed(t, p.Query, func(string) (*Query, error) { return p.Query, nil })
		}
	}
	text := q.String()
	again, err := parse(text)
	if err != nil {
		t.Fatalf("%s\ndoes not parse: %v", text, err)
	}
	if got := again.String(); got != text {
		t.Fatalf("%s\nprints as\n%s", text, got)
	}
}

// checkError checks that an error can be rendered.
func checkError(t *testing.T, err error) {
	list, ok := err.(ErrorList)
	if !ok || len(list) == 0 || list.Error() == "" || list.Render() == "" {
		t.Fatalf("got the error %#v", err)
	}
	for _, e := range list {
		if !e.Pos.IsValid() {
			t.Fatalf("%v has no position", e)
		}
		// Only participle's own errors mention tokens.
		if strings.HasPrefix(e.Msg, "unexpected token") {
			t.Fatalf("%v comes from no error production", e)
		}
	}
}

func FuzzParseFile(f *testing.F) {
	addCases(f, func(text string) { f.Add([]byte(text)) })
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := ParseFile("f.efo", text)
		if err != nil {
			checkError(t, err)
			return
		}
		printed := file.String()
		again, err := ParseFile("f.efo", []byte(printed))
		if err != nil {
			t.Fatalf("%s\ndoes not parse: %v", printed, err)
		}
		if got := again.String(); got != printed {
			t.Fatalf("%s\nprints as\n%s", printed, got)
		}
		for _, q := range file.Queries {
			if q.Normal == nil || len(q.Normal.Disjuncts) == 0 {
				t.Fatalf("%s\nhas no normal form", q)
			}
		}
	})
}

func FuzzFormat(f *testing.F) {
	addCases(f, func(text string) { f.Add([]byte(text)) })
	for _, archive := range archives(f, "format") {
		f.Add(archive.Files[0].Data)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := ParseFile("", text); err == nil {
			checkFormat(t, string(text))
		}
	})
}

// parseTemplate parses a file with a single template.
func parseTemplate(text string) (*Query, error) {
	file, err := ParseFile("", []byte(text))
	if err != nil {
		return nil, err
	}
	return file.Queries[0], nil
}

func FuzzParseFormula(f *testing.F) {
	addCases(f, func(text string) { f.Add(text) })
	f.Fuzz(func(t *testing.T, text string) {
		q, err := ParseFormula(text)
		if err != nil {
			checkError(t, err)
			return
		}
		checkParsed(t, q, ParseFormula)
	})
}

func FuzzParseBenchmark(f *testing.F) {
	addCases(f, func(text string) { f.Add(text) })
	f.Fuzz(func(t *testing.T, text string) {
		q, err := ParseBenchmark(text)
		if err != nil {
			checkError(t, err)
			return
		}
		checkParsed(t, q, parseTemplate)
	})
}
