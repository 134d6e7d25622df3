package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/require"
)

// TestManual checks that the manual page has every command and flag, and that groff reads it without
// a warning.
func TestManual(t *testing.T) {
	page := efoc(t, "--man")
	page.want(t, statusOK, ".TH EFOC 1", "")
	k, err := kong.New(&commands{})
	require.NoError(t, err)
	sections := strings.Split(page.stdout, "\n.SH ")
	for _, command := range k.Model.Leaves(false) {
		var section string
		for _, s := range sections {
			if strings.HasPrefix(s, fmt.Sprintf("\"EFOC %s\"\n", strings.ToUpper(command.Name))) {
				section = s
			}
		}
		for _, f := range command.Flags {
			if name := `\-\-` + strings.ReplaceAll(f.Name, "-", `\-`); !f.Hidden && !lacking(f) && !strings.Contains(section, name) {
				t.Errorf("the section of %s has no flag %s", command.Name, name)
			}
		}
		if line, _, _ := strings.Cut(helpText(command.Name), "\n"); !strings.Contains(section, cli.Roff(line)) {
			t.Errorf("the section of %s lacks what its help begins with: %s", command.Name, line)
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("needs groff")
	}
	cmd := exec.Command(groff, "-k", "-man", "-ww", "-Tutf8")
	cmd.Stdin = strings.NewReader(page.stdout)
	var warnings strings.Builder
	cmd.Stderr = &warnings
	if text, err := cmd.Output(); err != nil || warnings.Len() > 0 || !strings.Contains(string(text), "curl -G http://127.0.0.1:8080/v1/ask") {
		t.Errorf("groff: %v\n%s", err, warnings.String())
	}
}

// TestCompatibilityPage checks that the page on compatibility has the numbers of the formats.
func TestCompatibilityPage(t *testing.T) {
	page := readText(t, "docs/releases.md")
	for _, number := range []string{fmt.Sprintf("| bundle format %d |", model.BundleVersion), fmt.Sprintf("| runtime version %d |", plan.ABI)} {
		if !strings.Contains(page, number) {
			t.Errorf("docs/releases.md has no %s: say in the changelog, too, that the number changed", number)
		}
	}
}
