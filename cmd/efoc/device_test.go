//go:build !cuda

package main

import (
	"path/filepath"
	"testing"
)

// TestDeviceFlag checks that every command that answers questions takes a device, and says what
// is missing in a build without the tag; and that what a device cannot do is refused before.
func TestDeviceFlag(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "a.efo"), "package a\n\nquery Near(country entity) y = borders($country, y)\n")
	const missing = "this program was built without CUDA: build it with go build -tags cuda"
	for _, args := range [][]string{
		{"ask", `borders("Peru", y)`}, {"answer", file}, {"bench", `borders("Peru", y)`}, {"serve", "--listen", "127.0.0.1:0"}, {"mcp"},
	} {
		efoc(t, append(args, "--device", "cuda")...).want(t, statusFailure, "", missing)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"serve", "--model", t.TempDir()}, "--device cuda: only processors answer a split model"},
		{[]string{"serve", "--model", "x.efoc", "--facts-token-file", write(t, filepath.Join(t.TempDir(), "token"), "secret-of-the-facts")}, "--facts-token-file: with --device cuda facts cannot be changed by clients"},
		{[]string{"mcp", "--model", "x.efoc", "--write"}, "--write: with --device cuda facts cannot be changed by clients"},
	} {
		efoc(t, append(c.args, "--device", "cuda")...).want(t, statusUsage, "", c.want)
	}
}
