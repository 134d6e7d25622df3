//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// A client library of the protocol's drives this program as an editor does.
func TestLSP(t *testing.T) {
	clientsPath(t)
	need(t, "python3", "-c", "import pygls.lsp.client")
	if out, err := exec.CommandContext(t.Context(), "python3", "testdata/editor.py").CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "done\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Neovim starts this program by the settings of the page on editors, and shows a mistake, hovers and
// formats.
func TestLSPNeovim(t *testing.T) {
	clientsPath(t)
	need(t, "nvim", "--headless", "-u", "NONE", "+lua os.exit(vim.lsp.config and 0 or 1)")
	settings := regexp.MustCompile("(?s)```lua\n(.*?)```").FindStringSubmatch(readText(t, "docs/editors.md"))
	if settings == nil {
		t.Fatal("the page has no settings")
	}
	folder := t.TempDir()
	t.Setenv("XDG_STATE_HOME", folder)
	init, file := filepath.Join(folder, "init.lua"), filepath.Join(folder, "my.efo")
	require.NoError(t, os.WriteFile(init, []byte(settings[1]), 0o644))
	require.NoError(t, os.WriteFile(file, []byte("query Q(c entity) y = borders($c, y)  &  in_continent(y, \"Euurope\")\n"), 0o644))
	const drive = `
		vim.wait(30000, function() return #vim.diagnostic.get(0) > 0 end)
		print(vim.diagnostic.get(0)[1].message)
		local client = vim.lsp.get_clients({bufnr = 0})[1]
		local at = {textDocument = vim.lsp.util.make_text_document_params(0), position = {line = 0, character = 24}}
		print(client:request_sync('textDocument/hover', at, 30000, 0).result.contents.value)
		vim.cmd('%s/Euu/Eu/')
		vim.wait(30000, function() return #vim.diagnostic.get(0) == 0 end)
		vim.lsp.buf.format({timeout_ms = 30000})
		print(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'))
		vim.cmd('qa!')`
	script := filepath.Join(folder, "drive.lua")
	require.NoError(t, os.WriteFile(script, []byte(drive), 0o644))
	out, err := exec.CommandContext(t.Context(), "nvim", "--headless", "-u", init, file, "-c", "luafile "+script).CombinedOutput()
	for _, want := range []string{`unknown entity "Euurope"`, `did you mean "Europe"`, "relation borders, ", "    borders($c, y) & in_continent(y, \"Europe\")"} {
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: without %s:\n%s", err, want, out)
		}
	}
}
