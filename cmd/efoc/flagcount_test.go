package main

import (
	"testing"

	"github.com/alecthomas/kong"
)

func TestFlagCount(t *testing.T) {
	parser, err := kong.New(&cli{}, kong.Vars{"version": ""})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, command := range parser.Model.Leaves(false) {
		k := 0
		names := ""
		for _, f := range command.Flags {
			if !f.Hidden {
				k++
				names += " " + f.Name
			}
		}
		n += k
		t.Log(command.Name, k, names)
	}
	t.Log(n)
}
