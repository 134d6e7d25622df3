package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
)

func TestFormat(t *testing.T) {
	for p, want := range map[float32]string{
		0: "0.0000", 1: "1.0000", 0.25: "0.2500", 0.00099: "9.9e-04", 1e-14: "1.0e-14",
	} {
		if got := print.Short(p); got != want {
			t.Errorf("Short(%v) = %q, want %q", p, got, want)
		}
	}
	for seconds, want := range map[float64]string{
		2.34567: "2.35s", 0.0123456: "12.3ms", 0.000456789: "457µs", 0: "0s",
	} {
		if got := tables.Seconds(seconds); got != want {
			t.Errorf("Seconds(%v) = %q, want %q", seconds, got, want)
		}
	}
}

// TestFail checks what is shown of an error, and the exit status.
func TestFail(t *testing.T) {
	placed := &lang.Error{Pos: ast.Pos{File: "a.efo", Line: 2, Col: 3}, Msg: "odd", Hint: "mend it", Line: "query"}
	for _, c := range []struct {
		err  error
		text string
		// usage says that the user can mend it.
		usage bool
	}{
		{errors.New("broken\n"), "efoc: broken\n", false},
		{usagef("flag %s", "x"), "efoc: flag x\n", true},
		{fmt.Errorf("wrapped: %w", lang.ErrorList{placed}), "a.efo:2:3: odd\n\tquery\n\t  ^\n\thint: mend it\n", true},
		{&lang.Error{Msg: "odd", Hint: "mend it"}, "efoc: odd; mend it\n", true},
		{lang.ErrorList{{Msg: "odd", Hint: "mend it"}}, "efoc: odd; mend it\n", true},
		{cli.Mistake(errors.New("layers is 1")), "efoc: layers is 1\n", true},
		{cli.Mistake(errors.New("internal error: pass")), "efoc: internal error: pass\n", false},
	} {
		var shown strings.Builder
		status := (&app{ctx: t.Context(), stderr: &shown}).fail(c.err)
		if shown.String() != c.text || (status == statusUsage) != c.usage {
			t.Errorf("%v shows %q with status %d, want %q", c.err, &shown, status, c.text)
		}
	}
	if cli.Mistake(nil) != nil {
		t.Error("cli.Mistake(nil) is an error")
	}
}
