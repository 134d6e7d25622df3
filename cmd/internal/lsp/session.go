package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"sync"

	"github.com/creachadair/jrpc2"

	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime"
)

// notInitialized is a code of errors that the protocol adds to the codes of JSON-RPC.
const notInitialized = jrpc2.Code(-32002)

// Config says what an editor is served with.
type Config struct {
	// Model has the names, and the table that sweeps read.
	Model *runtime.Model
	// Version is the version of the program.
	Version string
	// Log takes reports of faults of this package.
	Log io.Writer
}

// Serve serves an editor until it asks to exit, or the context ends. The error says what the
// editor did against the protocol, such as to go without asking.
//
// When it returns, nothing reads the model any more.
func Serve(ctx context.Context, c Config, in io.Reader, out io.Writer) error {
	s := newSession(c)
	rpc := jrpc2.NewServer(s, &jrpc2.ServerOptions{AllowPush: true, DisableBuiltin: true})
	messages := &stream{in: bufio.NewReader(in), out: out, end: make(chan error, 1)}
	rpc.Start(messages)

	publishing, stop := context.WithCancel(ctx)
	s.working.Go(func() { s.publish(publishing, rpc) })

	var err error
	select {
	case err = <-messages.end:
		_ = rpc.Wait() // for the answers to requests
	case <-ctx.Done(): // reading goes on: nothing ends that on standard input
		err = ctx.Err()
	}

	stop()
	s.leave()
	s.working.Wait()
	messages.Close()
	return err
}

func newSession(c Config) *session {
	c.Model = c.Model.Now()
	return &session{
		Config:    c,
		documents: map[string]*document{},
		dirty:     map[string]bool{},
		changed:   make(chan struct{}, 1),
	}
}

// phase is where a session stands.
type phase int

const (
	starting phase = iota
	running
	ending
	left
)

// session is a session with an editor.
type session struct {
	Config
	plans stages.Cache

	mu        sync.Mutex // of what follows
	phase     phase
	documents map[string]*document // that are open, by URI
	dirty     map[string]bool      // the URIs that were opened, changed or closed

	changed chan struct{}  // says that some are dirty
	working sync.WaitGroup // methods, and publish
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
	Context        struct{ Diagnostics []json.RawMessage }
	ID             json.RawMessage
}

// methods are the requests and notifications that are understood.
var methods = map[string]func(*session, context.Context, *params) (any, error){
	"initialize":              (*session).initialize,
	"initialized":             (*session).ignore,
	"shutdown":                (*session).shutdown,
	"$/cancelRequest":         (*session).cancel,
	"$/setTrace":              (*session).ignore,
	"textDocument/didOpen":    (*session).open,
	"textDocument/didChange":  (*session).change,
	"textDocument/didClose":   (*session).close,
	"textDocument/didSave":    (*session).ignore,
	"textDocument/completion": (*session).complete,
	"textDocument/hover":      (*session).hover,
	"textDocument/definition": (*session).definition,
	"textDocument/formatting": (*session).format,
	"textDocument/codeAction": (*session).codeAction,
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
		defer s.working.Done()

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

// admit refuses what the phase of the session does not allow, and counts what it does.
func (s *session) admit(method string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.phase >= ending:
		return jrpc2.Errorf(jrpc2.InvalidRequest, "the server was asked to shut down")
	case s.phase == starting && method != "initialize":
		return jrpc2.Errorf(notInitialized, "the server is not initialized")
	case s.phase == running && method == "initialize":
		return jrpc2.Errorf(jrpc2.InvalidRequest, "the server is initialized")
	}
	s.working.Add(1)
	return nil
}

// leave admits nothing any more.
func (s *session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = left
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
			"codeActionProvider":         map[string]any{"codeActionKinds": []string{"quickfix"}},
		},
	}, nil
}

func (s *session) shutdown(context.Context, *params) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = ending
	return nil, nil
}

func (s *session) cancel(ctx context.Context, p *params) (any, error) {
	jrpc2.ServerFromContext(ctx).CancelRequest(string(p.ID))
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
	d := newDocument(p.TextDocument.URI, p.TextDocument.Version, text)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.documents[d.uri] = d
	s.touch(d.uri)
	return nil, nil
}

func (s *session) close(_ context.Context, p *params) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.documents, p.TextDocument.URI)
	s.touch(p.TextDocument.URI)
	return nil, nil
}

// touch lets publish look for documents with other mistakes.
func (s *session) touch(uri string) {
	s.dirty[uri] = true
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// document returns an open document as it reads now.
func (s *session) document(p *params) (*reading, error) {
	s.mu.Lock()
	d := s.documents[p.TextDocument.URI]
	s.mu.Unlock()
	if d == nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s is not open", p.TextDocument.URI)
	}
	return s.read(d), nil
}
