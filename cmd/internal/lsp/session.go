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

// notInitialized is an error code of the protocol, beyond JSON-RPC.
const notInitialized = jrpc2.Code(-32002)

// Config configures a session.
type Config struct {
	// Model provides names and the entity table.
	Model *runtime.Model
	// Version is the version of the program.
	Version string
	// Log receives reports of faults of this package.
	Log io.Writer
}

// Serve serves an editor until it asks to exit, or the context ends. The error describes the editor's violation of
// the protocol, such as leaving without asking.
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
	case <-ctx.Done(): // reading continues: nothing ends that on standard input
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

// phase is the phase of a session.
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

	mu        sync.Mutex // guards the fields below
	phase     phase
	documents map[string]*document // open documents by URI
	dirty     map[string]bool      // the URIs opened, changed or closed

	changed chan struct{}  // signals that some are dirty
	working sync.WaitGroup // methods, and publish
}

// params are the parameters of all methods that the session reads.
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

// methods are the supported requests and notifications.
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

// Assign implements jrpc2.Assigner. A panic fails only its method.
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

// recovered converts a panic to an error, and reports it.
func (s *session) recovered(doing string, err *error) {
	if fault := recover(); fault != nil {
		fmt.Fprintf(s.Log, "internal error: %s: %v\n%s", doing, fault, debug.Stack())
		*err = jrpc2.Errorf(jrpc2.InternalError, "internal error: %v", fault)
	}
}

// admit refuses methods that the phase of the session does not allow, and counts the others.
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

// leave refuses all further methods.
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

// set replaces a document's text.
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

// touch makes publish check for documents with other mistakes.
func (s *session) touch(uri string) {
	s.dirty[uri] = true
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// document returns an open document with its current text.
func (s *session) document(p *params) (*reading, error) {
	s.mu.Lock()
	d := s.documents[p.TextDocument.URI]
	s.mu.Unlock()
	if d == nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s is not open", p.TextDocument.URI)
	}
	return read(d), nil
}
