package stream

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler"
)

// rowsOf reads a text to its end, or to a mistake.
func rowsOf(t testing.TB, s *Stream, text string) (list []*row, err error) {
	t.Helper()
	rows := make(chan *row)
	go func() {
		defer close(rows)
		err = s.read(t.Context(), strings.NewReader(text), rows)
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
		{"c\na\n\"b\nb\"\n", []string{"a", "b\nb"}},
		{"\ufeffc\na\n", []string{"a"}}, // as Excel writes it
		{"\ufeff{\"c\": \"a\"}\r\n", []string{"a"}},
	} {
		rows, err := rowsOf(t, one(), x.text)
		if err != nil {
			t.Errorf("%q: %v", x.text, err)
		}
		var got []string
		for i, r := range rows {
			if r.number != i+1 || r.err != nil {
				t.Errorf("%q: row %d has number %d: %v", x.text, i+1, r.number, r.err)
			}
			got = append(got, r.args["c"])
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("%q: rows %q, want %q", x.text, got, x.want)
		}
	}
}

func TestReadErrors(t *testing.T) {
	long := strings.Repeat("a", maxLine)
	for _, x := range []struct {
		text, want string
		before     int // rows
	}{
		{`[{"c": "a"}]`, "an array of JSON", 0},
		{"c,c\na,b\n", `has "c" twice`, 0},
		{"c\na\n\"b\n" + long + long, "row 2: it has more than 1048576 bytes: is a quotation mark not closed?", 1},
		{"c" + long + long, "the line of names: it has more than", 0},
		{"c\na\n\"b\n", "row 2: ", 1},
		{"{\"c\": \"a\"}\n{\"c\": \"" + long + "\"}\n", "row 2 has more than 1048576 bytes", 1},
	} {
		rows, err := rowsOf(t, one(), x.text)
		if err == nil || !strings.Contains(err.Error(), x.want) || len(rows) != x.before {
			t.Errorf("%.30q: %d rows and %v, want %d and %q", x.text, len(rows), err, x.before, x.want)
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

// Whatever comes, each row has its number, and a shard has its own.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"{\"c\":\"a\"}\n{}\nnull\n[", "c,d\na,b\n\"a\"\"\nb\",c\n", "\ufeff\n{\"query\":\"R\"}", "[", "\"", "c,c\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := rowsOf(t, one(), text)
		shard := one()
		shard.Shard, shard.Skip = Shard{I: 1, N: 3}, 1
		some, again := rowsOf(t, shard, text)
		if (err == nil) != (again == nil) {
			t.Fatalf("%q: %v, in a shard %v", text, err, again)
		}
		for i, r := range all {
			switch {
			case r.number != i+1:
				t.Errorf("%q: row %d has number %d", text, i+1, r.number)
			case (r.err == nil) != (r.template != nil):
				t.Errorf("%q: row %d has template %v and error %v", text, i+1, r.template, r.err)
			}
		}
		for i, r := range some { // rows 5, 8, ...
			if r.number != 5+3*i || string(r.input) != string(all[r.number-1].input) {
				t.Errorf("%q: row %d of the shard is row %d", text, i+1, r.number)
			}
		}
		if want := max(0, (len(all)-2)/3); len(some) != want {
			t.Errorf("%q: %d rows of %d in the shard, want %d", text, len(some), len(all), want)
		}
	})
}
