package lsp

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"github.com/creachadair/jrpc2"
)

// publisher publishes the mistakes of open documents to the editor.
type publisher struct {
	*session
	rpc *jrpc2.Server
	// told maps URIs to the mistakes published last.
	told map[string]told
}

// told holds the mistakes in a version of a document.
type told struct {
	version  int
	mistakes []diagnostic
}

// publish publishes the mistakes in the latest text of changed documents until the context ends.
func (s *session) publish(ctx context.Context, rpc *jrpc2.Server) {
	p := &publisher{s, rpc, map[string]told{}}
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

// round publishes changes.
func (p *publisher) round(ctx context.Context) (err error) {
	var fault error
	defer p.recovered("diagnostics", &fault)

	for _, uri := range p.take() {
		d := p.open(uri)
		if d == nil {
			delete(p.told, uri)
			if err := p.notify(ctx, newDocument(uri, 0, ""), []diagnostic{}); err != nil {
				return err
			}
			continue
		}
		now := told{d.version, p.diagnose(ctx, read(d))}
		if reflect.DeepEqual(now, p.told[uri]) {
			continue
		}
		if err := p.notify(ctx, d, now.mistakes); err != nil {
			return err
		}
		p.told[uri] = now
	}
	return nil
}

// take returns the URIs of the documents opened, changed or closed since the last call.
func (p *publisher) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	dirty := slices.Sorted(maps.Keys(p.dirty))
	clear(p.dirty)
	return dirty
}

// open returns the document of a URI, nil if it is closed.
func (p *publisher) open(uri string) *document {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.documents[uri]
}

// notify publishes the mistakes of a document.
func (p *publisher) notify(ctx context.Context, d *document, mistakes []diagnostic) error {
	m := map[string]any{"uri": d.uri, "diagnostics": mistakes}
	if d.version > 0 {
		m["version"] = d.version
	}
	return p.rpc.Notify(ctx, "textDocument/publishDiagnostics", m)
}
