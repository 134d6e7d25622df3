package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/cli"
)

// TestOptions sets values of a flag that takes names.
func TestOptionList(t *testing.T) {
	for _, c := range []struct {
		given []string
		want  string
	}{
		{[]string{"a=1,b=x", "c=p,q,r"}, "a: 1; b: x; c: p,q,r"},
		{[]string{"c=,"}, "c: ,"},
		{[]string{"alph=1"}, `--with alph=1: unknown name "alph"; there is alpha`},
		{[]string{"zzz=1"}, `--with zzz=1: unknown name "zzz"; there is a, b, c, alpha, edge`},
		{[]string{"a"}, "--with a: want NAME=VALUE"},
		{[]string{"a="}, "--with a=: want NAME=VALUE"},
		{[]string{"a=1", "a=2"}, "--with gives a twice"},
		{[]string{"b=wrong"}, "--with b=wrong: no"},
		{[]string{"x -r-> y", "edge=y -s-> z", "a=1"}, "edge: x -r-> y; edge: y -s-> z; a: 1"},
	} {
		var got []string
		var options []cli.Option
		for _, name := range []string{"a", "b", "c", "alpha"} {
			options = append(options, cli.Option{Name: name, Set: func(text string) error {
				if text == "wrong" {
					return errors.New("no")
				}
				got = append(got, name+": "+text)
				return nil
			}})
		}
		options = append(options, cli.Option{Name: "edge", Sign: "->", Set: func(text string) error {
			got = append(got, "edge: "+text)
			return nil
		}})
		err := cli.OptionList(c.given).Set("--with", options)
		text := strings.Join(got, "; ")
		if err != nil {
			text = err.Error()
		}
		if text != c.want {
			t.Errorf("%q gives %q, want %q", c.given, text, c.want)
		}
	}
}

// TestBarWithoutTerminal checks that a bar writes only to terminals.
func TestBarWithoutTerminal(t *testing.T) {
	var b bytes.Buffer
	bar := cli.NewBar(&b)
	bar.Show("read graph", 1, 0)
	bar.Clear()
	if b.Len() > 0 {
		t.Errorf("progress was written to no terminal: %q", b.String())
	}
}
