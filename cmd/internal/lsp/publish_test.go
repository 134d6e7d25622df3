package lsp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDiagnose publishes mistakes of all stages, each at its word.
func TestDiagnose(t *testing.T) {
	e := start(t.Context(), t)
	e.initialize()
	got := e.mistakes("untitled:a", `semantics nsmp
layers 64
query A(c entity) y = bordrs($c, y)
query B(c entity) y = borders(France, y)
query C(c entity) y = borders($c, y) & borders($c, y)
query D(c entity) y = borders($c, y
query E(c entity) y: Citty = borders($c, y)
query C(c entity) y = borders($c, y)
query F(c entity) y: Euro = borders($c, y)
`)
	for i, want := range []string{
		`bordrs: unknown relation "bordrs"`,
		`c: parameter c is never used`,
		`France: undefined variable France`,
		`query: expected`,
		`Citty: unknown type "Citty": the model names no relation of types`,
		`C: query C is already declared`,
		`Euro: unknown type "Euro": the model names no relation of types`,
	} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Fatalf("mistake %d of\n%s\nwant %s", i, strings.Join(got, "\n"), want)
		}
	}
	if len(got) != 7 {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestUnknownShortName reports a relation that the model lacks where its short name is declared, once for all templates
// that use it; a template that names the relation itself has a mistake of its own.
func TestUnknownShortName(t *testing.T) {
	e := start(t.Context(), t)
	e.initialize()
	got := e.mistakes("untitled:a", `package p
relation near = bordrs
query A(c entity) y = near($c, y)
query B(c entity) y = exists x. near($c, x) & near^-1(x, y)
query C(c entity) y = near($c, y) | capital($c, y)
query D(c entity) y = "bordrs"($c, y)
`)
	if len(got) != 2 || !strings.HasPrefix(got[0], `bordrs: unknown relation "bordrs"`) || got[1] != strings.Replace(got[0], "bordrs:", `"bordrs":`, 1) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestPublish changes two files. Mistakes are published of what changed, and of nothing else.
func TestPublish(t *testing.T) {
	e := start(t.Context(), t)
	e.initialize()
	folder := "file://" + filepath.ToSlash(t.TempDir())
	shared, stranger := folder+"/shared.efo", folder+"/stranger.efo"
	const sharedText = "package p\nquery Near(c entity) y = borders($c, y)\n"
	const strangerText = "package p\nquery Other(c entity) y = capital($c, y)\n"

	if got := e.mistakes(stranger, strangerText); got != nil {
		t.Errorf("got %q", got)
	}
	if got := e.mistakes(shared, sharedText); got != nil {
		t.Errorf("got %q", got)
	}
	if got := e.mistakes(shared, strings.Replace(sharedText, "borders", "bordrs", 1)); !slices.Equal(got, []string{`bordrs: unknown relation "bordrs"`}) {
		t.Errorf("got %q", got)
	}
	e.mistakes(stranger, strangerText)

	var uris []string
	for _, p := range e.published {
		uris = append(uris, strings.TrimPrefix(p.URI, folder))
	}
	want := []string{"/stranger.efo", "/shared.efo", "/shared.efo", "/stranger.efo"}
	if !slices.Equal(uris, want) {
		t.Errorf("published are %v, want %v", uris, want)
	}
}

// TestManyFiles opens files of one package: the mistakes of each are published once.
func TestManyFiles(t *testing.T) {
	e := start(t.Context(), t)
	e.initialize()
	folder := "file://" + filepath.ToSlash(t.TempDir())
	const files = 100
	go func() {
		for i := range files {
			e.show(fmt.Sprintf("%s/%03d.efo", folder, i), fmt.Sprintf("package p\nquery Q%d(c entity) y = bordrs($c, y)\n", i))
		}
	}()

	seen := map[string]int{}
	for len(seen) < files {
		m := e.next()
		seen[m.Params.URI]++
		if len(m.Params.Diagnostics) != 1 {
			t.Errorf("%s: got %v", m.Params.URI, m.Params.Diagnostics)
		}
	}
	e.mistakes("untitled:last", "") // after all that was to be published before
	if len(e.published) != files+1 {
		t.Errorf("mistakes of %d files are published %d times", files, len(e.published)-1)
	}
}
