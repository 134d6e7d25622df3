package web_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/require"
)

// reviewFacts adds a predicted fact of an entity and marks another as not true, and finds the likeliest ones of a
// relation.
func reviewFacts(t *testing.T, ctx context.Context) {
	text, err := os.ReadFile("../../../efoc/world/world.efoc")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "world.efoc")
	require.NoError(t, os.WriteFile(file, text, 0o644))
	c := server.Config{Options: host.Options{File: file, Open: func(context.Context) (*runtime.Model, error) { return runtime.Open(file) }}, FactsToken: "secret"}
	p := open(t, ctx, c, 1280, 900, "light")
	p.js(`sessionStorage.setItem("efoc-facts-token", "secret")`)
	p.browse("Venezuela")

	const button = `[...document.querySelectorAll('#browse .missing .review button')].find(b => b.innerText === %)`
	for label, told := range map[string]string{"Add": "added", "Not true": "marked as not true"} {
		at := strings.ReplaceAll(button, "%", "'"+label+"'")
		fact := strings.TrimPrefix(p.eval(at+`.getAttribute('aria-label')`), label+": ")
		p.js(at + `.click()`)
		p.until(`[...document.querySelectorAll('#browse .missing .review')].some(x => x.innerText === '` + told + `')`)
		p.reload()
		p.until(predicted)
		if strings.Contains(p.eval(`[...document.querySelectorAll('#browse .missing .review button')].map(b => b.getAttribute('aria-label')).join('\n')`), fact) {
			t.Errorf("%s is offered again after %s", fact, label)
		}
	}

	p.js(`document.querySelector('#browse [data-relation="capital"]').click()`)
	p.until(`[...document.querySelectorAll('#browse .likeliest button')].some(b => b.innerText === 'Facts of capital')`)
	p.js(`[...document.querySelectorAll('#browse .likeliest button')].find(b => b.innerText === 'Facts of capital').click()`)
	p.until(`document.querySelectorAll('#browse .likeliest tr').length === 25`)
	p.picture("missing")
}
