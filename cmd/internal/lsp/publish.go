package lsp

import (
	"context"
	"maps"
	"path"
	"reflect"
	"slices"
	"time"

	"github.com/creachadair/jrpc2"
)

// slice is the time for checking documents before a document changed meanwhile takes precedence.
const slice = 100 * time.Millisecond

// publisher publishes the mistakes of open documents to the editor.
type publisher struct {
	*session
	rpc *jrpc2.Server
	// told maps URIs to the mistakes that the editor has.
	told map[string]told
	// folders are those whose documents may have other mistakes now.
	folders map[string]bool
}

// told are the mistakes of a version of a document.
type told struct {
	version  int
	mistakes []diagnostic
}

// publish publishes mistakes until the context ends: first those in the latest text of a changed document, then those
// of others in its folder, which may use its templates.
func (s *session) publish(ctx context.Context, rpc *jrpc2.Server) {
	p := &publisher{s, rpc, map[string]told{}, map[string]bool{}}
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
		}
		if p.round(ctx) != nil {
			return // nobody reads them any more
		}
	}
}

// round publishes changes. It ends early if that takes long and more has changed; the next round continues.
func (p *publisher) round(ctx context.Context) (err error) {
	var fault error
	defer p.recovered("diagnostics", &fault)

	start := time.Now()
	dirty := p.take()
	for _, uri := range dirty {
		if p.isOpen(uri) {
			continue
		}
		delete(p.told, uri)
		if err := p.notify(ctx, newDocument(uri, 0, ""), []diagnostic{}); err != nil {
			return err
		}
	}

	for _, d := range p.affected(dirty) {
		if len(p.changed) > 0 && time.Since(start) > slice {
			return nil
		}
		now := told{d.version, p.diagnose(ctx, p.read(d))}
		if reflect.DeepEqual(now, p.told[d.uri]) {
			continue
		}
		if err := p.notify(ctx, d, now.mistakes); err != nil {
			return err
		}
		p.told[d.uri] = now
	}
	clear(p.folders)
	return nil
}

// take returns the URIs of the documents opened, changed or closed since the last call, and records their folders.
func (p *publisher) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	dirty := slices.Sorted(maps.Keys(p.dirty))
	clear(p.dirty)
	for _, uri := range dirty {
		folder, _ := path.Split(uri)
		p.folders[folder] = true
	}
	return dirty
}

// isOpen reports whether the document of a URI is open.
func (p *publisher) isOpen(uri string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.documents[uri] != nil
}

// affected returns the open documents in the folders, starting with the given URIs.
func (p *publisher) affected(dirty []string) (list []*document) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var others []*document
	for _, uri := range slices.Sorted(maps.Keys(p.documents)) {
		switch d := p.documents[uri]; {
		case slices.Contains(dirty, uri):
			list = append(list, d)
		case p.folders[d.folder]:
			others = append(others, d)
		}
	}
	return append(list, others...)
}

// notify publishes the mistakes of a document.
func (p *publisher) notify(ctx context.Context, d *document, mistakes []diagnostic) error {
	m := map[string]any{"uri": d.uri, "diagnostics": mistakes}
	if d.version > 0 {
		m["version"] = d.version
	}
	return p.rpc.Notify(ctx, "textDocument/publishDiagnostics", m)
}
