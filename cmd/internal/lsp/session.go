package lsp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"runtime/debug"
	"sync"

	"github.com/creachadair/jrpc2"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
)

// Codes of errors that the protocol adds to those of JSON-RPC.
const (
	notInitialized = jrpc2.Code(-32002)
	requestFailed  = jrpc2.Code(-32803)
)

// Config says what an editor is served with.
type Config struct {
	// Model has the names, and the table that passes read.
	Model *runtime.Model
	// Version is that of the program.
	Version string
	// Log takes reports of faults of this package.
	Log io.Writer
}

// Serve serves an editor until it asks to exit, or the context ends. The error says what the
// editor did against the protocol, such as to go without asking.
func Serve(ctx context.Context, c Config, in io.Reader, out io.Writer) error {
	s := &session{Config: c, documents: map[string]*document{}, changed: make(chan struct{}, 1), exit: make(chan error, 2)}
	rpc := jrpc2.NewServer(s, &jrpc2.ServerOptions{AllowPush: true, DisableBuiltin: true})
	rpc.Start(&stream{bufio.NewReader(in), out})
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go s.publish(ctx, rpc)
	go func() {
		if err := rpc.Wait(); err != nil {
			s.exit <- err
		} else {
			s.exit <- errors.New("the editor closed the connection without a request to shut down and exit")
		}
	}()
	select {
	case err := <-s.exit: // reading may go on: nothing ends that on standard input
		rpc.Stop()
		return err
	case <-ctx.Done():
		rpc.Stop()
		return ctx.Err()
	}
}

// phase is where a session stands.
type phase int

const (
	starting phase = iota
	running
	ending
)

// session is a session with an editor.
type session struct {
	Config
	plans compiler.Cache

	mu        sync.Mutex // of what follows
	phase     phase
	documents map[string]*document // that are open, by URI
	dirty     []*document          // whose mistakes are to be published

	changed chan struct{} // says that some are dirty
	exit    chan error
}

// params are the parameters of all methods, as far as they are read.
type params struct {
	TextDocument struct {
		URI     string
		Version int
		Text    string
	}
	ContentChanges []struct{ Text string }
	Position       position
	NewName        string
	ID             any
}

// methods are the requests and notifications that are understood.
var methods = map[string]func(*session, context.Context, *params) (any, error){
	"initialize":                 (*session).initialize,
	"initialized":                (*session).ignore,
	"shutdown":                   (*session).shutdown,
	"exit":                       (*session).end,
	"$/cancelRequest":            (*session).cancel,
	"$/setTrace":                 (*session).ignore,
	"textDocument/didOpen":       (*session).open,
	"textDocument/didChange":     (*session).change,
	"textDocument/didClose":      (*session).close,
	"textDocument/didSave":       (*session).ignore,
	"textDocument/completion":    (*session).complete,
	"textDocument/hover":         (*session).hover,
	"textDocument/definition":    (*session).definition,
	"textDocument/formatting":    (*session).format,
	"textDocument/prepareRename": (*session).prepareRename,
	"textDocument/rename":        (*session).rename,
}

// Assign implements jrpc2.Assigner. A method that panics fails alone.
func (s *session) Assign(_ context.Context, name string) jrpc2.Handler {
	method, known := methods[name]
	if !known {
		return nil
	}
	return func(ctx context.Context, r *jrpc2.Request) (result any, err error) {
		defer s.recovered(name, &err)
		if err := s.admit(name); err != nil {
			return nil, err
		}
		var p params
		if err := r.UnmarshalParams(&p); err != nil {
			return nil, err
		}
		return method(s, ctx, &p)
	}
}

// recovered turns a panic into an error, and reports it.
func (s *session) recovered(doing string, err *error) {
	if fault := recover(); fault != nil {
		fmt.Fprintf(s.Log, "internal error: %s: %v\n%s", doing, fault, debug.Stack())
		*err = jrpc2.Errorf(jrpc2.InternalError, "internal error: %v", fault)
	}
}

// admit refuses what the phase of the session does not allow.
func (s *session) admit(method string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case method == "exit":
	case s.phase == ending:
		return jrpc2.Errorf(jrpc2.InvalidRequest, "the server was asked to shut down")
	case s.phase == starting && method != "initialize":
		return jrpc2.Errorf(notInitialized, "the server is not initialized")
	case s.phase == running && method == "initialize":
		return jrpc2.Errorf(jrpc2.InvalidRequest, "the server is initialized")
	}
	return nil
}

func (s *session) ignore(context.Context, *params) (any, error) { return nil, nil }

func (s *session) initialize(context.Context, *params) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = running
	return map[string]any{
		"serverInfo": map[string]any{"name": "efoc", "version": s.Version},
		"capabilities": map[string]any{
			"positionEncoding":           "utf-16",
			"textDocumentSync":           map[string]any{"openClose": true, "change": 1}, // whole texts
			"completionProvider":         map[string]any{"triggerCharacters": []string{`"`, "'", "`", "$", "(", ":"}},
			"hoverProvider":              true,
			"definitionProvider":         true,
			"documentFormattingProvider": true,
			"renameProvider":             map[string]any{"prepareProvider": true},
		},
	}, nil
}

func (s *session) shutdown(context.Context, *params) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = ending
	return nil, nil
}

func (s *session) end(context.Context, *params) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if s.phase != ending {
		err = errors.New("the editor sent exit without shutdown")
	}
	s.exit <- err
	return nil, nil
}

func (s *session) cancel(ctx context.Context, p *params) (any, error) {
	id := fmt.Sprint(p.ID)
	if text, ok := p.ID.(string); ok {
		id = fmt.Sprintf("%q", text)
	}
	jrpc2.ServerFromContext(ctx).CancelRequest(id)
	return nil, nil
}

func (s *session) open(_ context.Context, p *params) (any, error) {
	return s.set(p, p.TextDocument.Text)
}

func (s *session) change(_ context.Context, p *params) (any, error) {
	if n := len(p.ContentChanges); n > 0 {
		return s.set(p, p.ContentChanges[n-1].Text)
	}
	return nil, nil
}

// set gives a document another text.
func (s *session) set(p *params, text string) (any, error) {
	d := s.newDocument(p.TextDocument.URI, p.TextDocument.Version, text)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.documents[d.uri] = d
	s.dirty = append(s.dirty, d)
	s.touch(d.uri)
	return nil, nil
}

func (s *session) close(_ context.Context, p *params) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.documents, p.TextDocument.URI)
	s.dirty = append(s.dirty, s.newDocument(p.TextDocument.URI, 0, "")) // without mistakes
	s.touch(p.TextDocument.URI)
	return nil, nil
}

// touch reads the open documents of the folder of one that has changed anew, and lets publish look for
// dirty ones.
func (s *session) touch(changed string) {
	for uri, d := range s.documents {
		if uri != changed && path.Dir(uri) == path.Dir(changed) {
			s.documents[uri] = s.newDocument(uri, d.version, d.text)
			s.dirty = append(s.dirty, s.documents[uri])
		}
	}
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// document returns an open document.
func (s *session) document(p *params) (*document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.documents[p.TextDocument.URI]
	if d == nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s is not open", p.TextDocument.URI)
	}
	return d, nil
}

// publish tells the editor the mistakes of documents that have changed, the last text of each:
// those before it are passed over if it falls behind.
func (s *session) publish(ctx context.Context, rpc *jrpc2.Server) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
		}
		s.mu.Lock()
		last := map[string]*document{}
		for _, d := range s.dirty {
			last[d.uri] = d
		}
		s.dirty = nil
		s.mu.Unlock()
		for _, d := range last {
			m := map[string]any{"uri": d.uri, "diagnostics": s.diagnose(d)}
			if d.version > 0 {
				m["version"] = d.version
			}
			if rpc.Notify(ctx, "textDocument/publishDiagnostics", m) != nil {
				return // nobody reads them any more
			}
		}
	}
}
