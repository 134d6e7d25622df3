package lsp

import (
	"context"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/creachadair/jrpc2"
)

// slice is for how long mistakes of documents are sought before a document that was changed
// meanwhile goes first.
const slice = 100 * time.Millisecond

// publisher tells the editor the mistakes of its open documents.
type publisher struct {
	*session
	rpc *jrpc2.Server
	// shown are the readings whose mistakes the editor has, by URI.
	shown map[string]*reading
	// folders are those in which other documents may be shown.
	folders map[string]bool
}

// publish publishes mistakes until the context ends: first the mistakes in the latest text of a changed
// document, then the mistakes of others that it affects.
func (s *session) publish(ctx context.Context, rpc *jrpc2.Server) {
	p := &publisher{s, rpc, map[string]*reading{}, map[string]bool{}}
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

// round publishes what has changed. It ends early if that takes long and more has changed; the next one goes on.
func (p *publisher) round(ctx context.Context) (err error) {
	var fault error
	defer p.recovered("diagnostics", &fault)

	start := time.Now()
	dirty, closed := p.take()
	for _, uri := range closed {
		delete(p.shown, uri)
		if err := p.notify(ctx, newDocument(uri, 0, ""), []diagnostic{}); err != nil {
			return err
		}
	}

	for _, r := range p.unshown(dirty) {
		if len(p.changed) > 0 && time.Since(start) > slice {
			return nil
		}
		if err := p.notify(ctx, r.document, p.diagnose(ctx, r)); err != nil {
			return err
		}
		p.shown[r.uri] = r
	}
	clear(p.folders)
	return nil
}

// take returns the documents that were changed since it was called, and the URIs of closed ones.
func (p *publisher) take() (dirty map[*document]bool, closed []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	dirty = map[*document]bool{}
	for _, uri := range slices.Sorted(maps.Keys(p.dirty)) {
		folder, _ := path.Split(uri)
		p.folders[folder] = true
		if d := p.documents[uri]; d != nil {
			dirty[d] = true
		} else {
			closed = append(closed, uri)
		}
	}
	clear(p.dirty)
	return dirty, closed
}

// unshown returns the documents in the folders that read otherwise than the editor was told, changed ones first.
func (p *publisher) unshown(dirty map[*document]bool) (list []*reading) {
	for _, folder := range slices.Sorted(maps.Keys(p.folders)) {
		packages := packagesOf(p.files(folder))
		for _, d := range p.opened(folder) {
			files := packages[d.outline().file.Package]
			if files == nil {
				files = &packageFiles{}
			}
			if r := d.read(files.used(d)); r != p.shown[d.uri] {
				list = append(list, r)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *reading) int {
		switch {
		case dirty[a.document] == dirty[b.document]:
			return 0
		case dirty[a.document]:
			return -1
		}
		return 1
	})
	return list
}

// opened returns the open documents of a folder, by their URIs.
func (s *session) opened(folder string) (list []*document) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, uri := range slices.Sorted(maps.Keys(s.documents)) {
		if d := s.documents[uri]; d.folder == folder {
			list = append(list, d)
		}
	}
	return list
}

// notify publishes the mistakes of a document.
func (p *publisher) notify(ctx context.Context, d *document, mistakes []diagnostic) error {
	m := map[string]any{"uri": d.uri, "diagnostics": mistakes}
	if d.version > 0 {
		m["version"] = d.version
	}
	return p.rpc.Notify(ctx, "textDocument/publishDiagnostics", m)
}
