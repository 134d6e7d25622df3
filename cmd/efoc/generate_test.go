package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// TestGenerateBuilds builds packages of which the names once met: words of file names,
// templates named like what is printed beside them, and kernels of files of which one
// name begins with the other.
func TestGenerateBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	query := func(names ...string) string {
		text := "package towns\n"
		for i, name := range names {
			text += fmt.Sprintf("\nquery %s(a entity) y = %sroad($a, y)\n", name, strings.Repeat("twin($a, y) & ", i))
		}
		return text
	}
	files := map[string]string{
		"atlas.efo": query("One"), "atlas_more.efo": query("Two", "Three"), "a-b.efo": query("Four"), "ab.efo": query("Five"),
		"my queries.efo": query("Six"), "größe.efo": query("größe"), "3p.efo": query("Run", "runRun", "PlanRun", "planPlan"),
		"c.efo": query("CDevicePlan", "Kernels", "kernelsC", "whyC", "degreesC"),
	}
	args := []string{"generate", "--cuda"}
	for name, text := range files {
		args = append(args, write(t, filepath.Join(dir, name), text))
	}
	write(t, filepath.Join(dir, "go.mod"), fmt.Sprintf("module example.com/towns\n\ngo 1.26.0\n\nrequire github.com/efoc/efoc v0.0.0\n\nreplace github.com/efoc/efoc => %q\n", filepath.ToSlash(root)))
	write(t, filepath.Join(dir, "go.sum"), readText(t, filepath.Join(root, "go.sum")))
	efoc(t, args...).want(t, statusOK, "", "wrote ")
	cmd := exec.Command("go", "build", "./...")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod -buildvcs=false", "GOPROXY=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	// What a file embeds is its own kernels and no other's.
	embeds := regexp.MustCompile(`(?m)^//go:embed (.*)$`)
	for file, want := range map[string]string{"atlas_cuda_efo.go": "atlas_1p.cu", "atlas_compiled_efo.go": "atlas_compiled*"} {
		found := embeds.FindAllStringSubmatch(readText(t, filepath.Join(dir, file)), -1)
		if len(found) != 1 || found[0][1] != want {
			t.Errorf("%s embeds %q, want %s", file, found, want)
		}
	}
}
