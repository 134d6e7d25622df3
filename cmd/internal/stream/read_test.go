package stream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/efoc/efoc/compiler"
)

// rowsOf reads a text to its end, or to a mistake.
func rowsOf(t testing.TB, s *Stream, text string) (list []*row, err error) {
	t.Helper()
	return rowsFrom(t, s, strings.NewReader(text))
}

func rowsFrom(t testing.TB, s *Stream, in io.Reader) (list []*row, err error) {
	t.Helper()
	rows := make(chan *row)
	go func() {
		defer close(rows)
		err = s.read(t.Context(), in, rows)
	}()
	for r := range rows {
		list = append(list, r)
	}
	return list, err
}

// one is a stream of one template.
func one() *Stream {
	return &Stream{Templates: map[string]*compiler.Prepared{"Q": {}}}
}

func TestRead(t *testing.T) {
	for _, x := range []struct {
		text string
		want []string // of the parameter c
	}{
		{"", nil},
		{" \n\r\n", nil},
		{"{\"c\": \"a\"}\n\n {\"c\": \"b\"}", []string{"a", "b"}},
		{"c\r\n\r\na\r\n\"b,\"\r\n", []string{"a", "b,"}},
		{"\ufeffc\na\n", []string{"a"}}, // as Excel writes it
		{"c\td\r\na, b\t\r\n\"b\"\tc;\r\n", []string{"a, b", `"b"`}},
		{"d;c\n;\"a;\"\n\"\";b,c\n", []string{"a;", "b,c"}},
		{"query,c,d\nQ,a,\n,b,\n", []string{"a", "b"}}, // an empty cell is none
		{"\ufeff{\"c\": \"a\"}\r\n", []string{"a"}},
	} {
		rows, err := rowsOf(t, one(), x.text)
		if err != nil {
			t.Errorf("%q: %v", x.text, err)
		}
		var got []string
		for i, r := range rows {
			_, other := r.named["d"]
			if r.number != i+1 || r.err != nil || other != strings.Contains(x.text, "\tc;") && i == 1 {
				t.Errorf("%q: row %d has number %d and %q: %v", x.text, i+1, r.number, r.named, r.err)
			}
			got = append(got, r.named["c"])
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("%q: rows %q, want %q", x.text, got, x.want)
		}
	}
}

// A row that cannot be read has an error, and the others are read.
func TestReadBadRows(t *testing.T) {
	long := strings.Repeat("a", maxLine)
	for _, x := range []struct {
		name, text string
		want       []string // of the parameter c, or an error
	}{
		{"long line", "{\"c\": \"a\"}\n{\"c\": \"" + long + "\"}\n{\"c\": \"b\"}\n", []string{"a", "it has more than 1048576 bytes", "b"}},
		{"long last line", "{\"c\": \"a\"}\n" + long + long, []string{"a", "it has more than 1048576 bytes"}},
		{"not UTF-8", "{\"c\": \"a\"}\n{\"c\": \"\xff\"}\n{\"c\": \"b\"}\n", []string{"a", "byte 8 is not of UTF-8", "b"}},
		{"zeros", "{\"c\": \"a\"}\n\x00\x00\n{\"c\": \"b\"}\n", []string{"a", "want an object from parameters to texts and numbers: invalid character", "b"}},
		{"no objects", "{\"c\": \"a\"}\n[1]\n{\"c\": true}\n{\"c\": {}}\n", []string{"a", "numbers: a JSON array is", "a JSON bool is", "a JSON object is"}},
		{"binary", "{\x00\x01" + long + "\xff", []string{"it has more than 1048576 bytes"}},
		{"CSV: long line", "c\na\n" + long + "\nb\n", []string{"a", "it has more than 1048576 bytes", "b"}},
		{"CSV: unclosed", "c\na\n\"x\nb\n", []string{"a", "column 3: extraneous or missing \"", "b"}},
		{"CSV: on two lines", "c\n\"x\ny\"\nb\n", []string{"column 3: extraneous or missing \"", "column 2: bare", "b"}},
		{"CSV: bare quote", "c\nx\"y\nb\n", []string{"column 2: bare", "b"}},
		{"CSV: quoted", "c,d\n\"a\"\"\"\"\",\"\"\n\"b,\",\"\"\"\"\r\n", []string{"a\"\"", "b,"}},
		{"CSV: not UTF-8", "c\na\n\xff\nb\n", []string{"a", "byte 1 is not of UTF-8", "b"}},
	} {
		rows, err := rowsOf(t, one(), x.text)
		if err != nil || len(rows) != len(x.want) {
			t.Errorf("%s: %d rows and %v, want %d", x.name, len(rows), err, len(x.want))
			continue
		}
		for i, r := range rows {
			if r.number != i+1 || r.err == nil && r.named["c"] != x.want[i] || r.err != nil && !strings.Contains(r.err.Error(), x.want[i]) {
				t.Errorf("%s: row %d is %q with error %v, want %q", x.name, r.number, r.named["c"], r.err, x.want[i])
			}
		}
	}
}

func TestReadErrors(t *testing.T) {
	long := strings.Repeat("a", maxLine)
	cable := errors.New("no cable")
	for _, x := range []struct {
		text, want string
		before     int // rows
	}{
		{`[{"c": "a"}]`, "an array of JSON", 0},
		{"c,c\na,b\n", `has "c" twice`, 0},
		{"c" + long + long, "the line of names: it has more than", 0},
		{"\"c\na\n", "the line of names: column 3: extraneous", 0},
		{"\x7fELF\x01\x00\x00", "the line of names: it has a zero byte", 0},
		{"\x89PNG\xff", "the line of names: byte 1 is not of UTF-8", 0},
		{"c\na\nb", cable.Error(), 1},
		{"{\"c\": \"a\"}\n{", cable.Error(), 1},
	} {
		var in io.Reader = strings.NewReader(x.text)
		if x.want == cable.Error() {
			in = io.MultiReader(in, iotest.ErrReader(cable))
		}
		rows, err := rowsFrom(t, one(), in)
		if err == nil || !strings.Contains(err.Error(), x.want) || len(rows) != x.before {
			t.Errorf("%.30q: %d rows and %v, want %d and %q", x.text, len(rows), err, x.before, x.want)
		}
	}
}

// Every line of output is JSON in UTF-8, whatever the rows are.
func TestRunOutput(t *testing.T) {
	for _, text := range []string{
		"{\"c\": \"\xff\"}\n\xff{\n{\"\xc3\": 1}\n{\"c\": \"a\"}\n",
		"c\n\xff\n\"\xff\n\x00\na,b,\xc3\n",
	} {
		var out bytes.Buffer
		s := &Stream{Templates: map[string]*compiler.Prepared{"Q": {}, "R": {}}}
		n, err := s.Run(t.Context(), strings.NewReader(text), &out)
		if err != nil || n.Answered != 0 || n.Refused != strings.Count(out.String(), "\n") || n.Refused < 3 || !utf8.Valid(out.Bytes()) {
			t.Errorf("%q: %+v, error %v:\n%s", text, n, err, out.String())
		}
		for line := range strings.Lines(out.String()) {
			var x Line
			if err := json.Unmarshal([]byte(line), &x); err != nil || x.Error == "" {
				t.Errorf("%q: %v", line, err)
			}
		}
	}
}

// A pipe that is silent does not hold up the end of a run.
func TestRunEnds(t *testing.T) {
	in, silent := io.Pipe()
	defer silent.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := one().Run(ctx, in, io.Discard); !errors.Is(err, context.Canceled) || n != (Counts{}) {
		t.Errorf("%+v and %v, want no rows, and that it was cancelled", n, err)
	}
}

// Whatever comes, each row has its number, with and without an earlier run.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"{\"c\":\"a\"}\n{}\nnull\n[", "c,d\na,b\n\"a\"\"\nb\",c\n", "\ufeff\n{\"query\":\"R\"}", "[", "\"", "c,c\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := rowsOf(t, one(), text)
		resumed := one()
		if len(all) > 0 {
			resumed.Earlier = func(yield func(Line, error) bool) { yield(Line{Row: 1, Input: all[0].input}, nil) }
		}
		some, again := rowsOf(t, resumed, text)
		if (err == nil) != (again == nil) {
			t.Fatalf("%q: %v, after an earlier run %v", text, err, again)
		}
		for i, r := range all {
			switch {
			case r.number != i+1:
				t.Errorf("%q: row %d has number %d", text, i+1, r.number)
			case (r.err == nil) != (r.template != nil):
				t.Errorf("%q: row %d has template %v and error %v", text, i+1, r.template, r.err)
			}
		}
		for i, r := range some {
			if r.number != i+2 || string(r.input) != string(all[r.number-1].input) {
				t.Errorf("%q: row %d after an earlier run is row %d", text, i+1, r.number)
			}
		}
		if want := max(0, len(all)-1); len(some) != want {
			t.Errorf("%q: %d rows of %d after an earlier run, want %d", text, len(some), len(all), want)
		}
	})
}
