//go:build unix

package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestCompletionFish has fish complete, which keeps no space at the end of a line.
func TestCompletionFish(t *testing.T) {
	fish, err := exec.LookPath("fish")
	if err != nil {
		t.Skip("needs fish")
	}
	clientsPath(t)
	for line, want := range map[string]string{"efoc ask --format ": "json sparql-csv sparql-json sparql-tsv sparql-xml table tsv", "efoc ask --fo": "--format"} {
		out, err := exec.Command(fish, "-c", "efoc completion fish | source; complete -C '"+line+"'").Output()
		if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != want {
			t.Errorf("%q: %q, want %q: %v", line, got, want, err)
		}
	}
}
