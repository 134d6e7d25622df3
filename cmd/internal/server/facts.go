package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/model"
)

// factsRequest changes facts, all or none.
type factsRequest struct {
	Add     [][]any `json:"add,omitempty" jsonschema:"facts to add, each as head, relation, tail, by the names of the graph; or values, as entity, attribute, and a number or a date as text"`
	Remove  [][]any `json:"remove,omitempty" jsonschema:"facts and values to remove"`
	Untrue  [][]any `json:"untrue,omitempty" jsonschema:"facts to mark as not true, which also removes them: they are not offered as missing again"`
	Replace bool    `json:"replace,omitempty" jsonschema:"let the values to add replace all others that their entities have of the same attributes"`
	By      string  `json:"by,omitempty" jsonschema:"who makes the change, which the journal keeps"`
	New     bool    `json:"new,omitempty" jsonschema:"take names that the graph lacks for new entities, and before a value for new attributes; without it they are refused as mistakes"`
}

// factsResponse says what a change came to.
type factsResponse struct {
	facts.Result
	// Facts is how many there are now, Values how many values of entities.
	Facts  int `json:"facts"`
	Values int `json:"values,omitempty"`
}

// keyHeader names the change that a request makes, so that it is made once.
const keyHeader = "Idempotency-Key"

// mayChange lets only clients with the token for facts through, and nobody if there is none.
func (s *Server) mayChange(next http.Handler) http.Handler {
	if s.FactsToken == "" {
		return s.handle(func(http.ResponseWriter, *http.Request) error {
			return refused(http.StatusForbidden, "facts_fixed", "this server does not change facts: start it with --facts-token-file, and send that token")
		})
	}
	return s.bearers(s.FactsToken, "efoc facts", "the server's token for facts, which is another than that for questions", next)
}

// changeFacts adds and removes facts. It answers once they are on the disk.
func (s *Server) changeFacts(r *http.Request, _ *openModel) (any, error) {
	var req factsRequest
	if err := decode(r, &req); err != nil {
		return nil, err
	}
	return s.change(r.Context(), r.Header.Get(keyHeader), &req)
}

// change adds and removes facts, once for a key that is not empty.
func (s *Server) change(ctx context.Context, key string, req *factsRequest) (*factsResponse, error) {
	n := len(req.Add) + len(req.Remove) + len(req.Untrue)
	switch {
	case n == 0:
		return nil, badRequest("want facts or values to add or to remove, or facts to mark as not true")
	case n > s.Limits.Facts:
		return nil, refused(http.StatusRequestEntityTooLarge, "too_large", "the request has %d facts, over the limit of %d", n, s.Limits.Facts)
	}
	if err := facts.CheckKey(key); err != nil {
		return nil, badRequest("%s: %w", keyHeader, err)
	}
	add, err := readFacts("add", req.Add)
	if err != nil {
		return nil, err
	}
	remove, err := readFacts("remove", req.Remove)
	if err != nil {
		return nil, err
	}
	untrue, err := readFacts("untrue", req.Untrue)
	if err != nil {
		return nil, err
	}
	var done facts.Result
	var now model.Manifest
	err = s.withStore(ctx, func(h *openModel, store *facts.Store) (err error) {
		done, err = store.Apply(ctx, facts.Change{Key: key, Add: add, Remove: remove, Untrue: untrue, New: req.New, Replace: req.Replace, By: req.By})
		now = h.model.Now().Bundle().Manifest
		return err
	})
	var name *facts.NameError
	switch {
	case err == nil:
	case errors.Is(err, facts.ErrNoNew):
		return nil, badRequest("%w; send \"new\": true if it is new", err)
	case errors.As(err, &name):
		return nil, badRequest("%w", name)
	case errors.Is(err, facts.ErrTooLarge):
		return nil, refused(http.StatusRequestEntityTooLarge, "too_large", "%w", err)
	case errors.Is(err, facts.ErrKey):
		return nil, refused(http.StatusUnprocessableEntity, "key_reused", "%s: %w", keyHeader, err)
	default:
		return nil, err
	}
	if !done.Repeated {
		s.metrics.facts.WithLabelValues("added").Add(float64(done.Added))
		s.metrics.facts.WithLabelValues("removed").Add(float64(done.Removed))
	}
	r := &factsResponse{Result: done, Facts: now.Triples}
	for _, a := range now.Attributes {
		r.Values += a.Values
	}
	return r, nil
}

// withStore does work with the facts.Store of the model in use. If a reload closes the store first, it
// does the work with the next model's store.
func (s *Server) withStore(ctx context.Context, work func(*openModel, *facts.Store) error) error {
	for {
		err := s.withModel(func(h *openModel) error { return work(h, s.store(h)) })
		if !errors.Is(err, facts.ErrClosed) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

// compactResponse says what a compaction came to.
type compactResponse struct {
	// Changes is how many the journal had that the model's file lacked.
	Changes int `json:"changes"`
	// Facts is how many there are now.
	Facts int `json:"facts"`
}

// compactFacts writes the model's file anew, with the facts of its journal, and answers by
// that file from then on. Until it has its name, a client that goes away ends it.
func (s *Server) compactFacts(r *http.Request) (any, error) {
	changes, err := s.compact(r.Context())
	if err != nil {
		s.Log.Error("compaction failed", "error", err)
		return nil, err
	}
	done := &compactResponse{Changes: changes}
	return done, s.withModel(func(h *openModel) error {
		done.Facts = h.model.Now().Bundle().Graph.NumTriples()
		return nil
	})
}

// compact merges the journal of the model in use, and then reopens the model to free the memory
// of the changes. If reopening fails, it logs why and keeps the current model.
func (s *Server) compact(ctx context.Context) (changes int, err error) {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	err = s.withStore(ctx, func(_ *openModel, store *facts.Store) error {
		changes, err = store.Compact(ctx, nil)
		return err
	})
	if err == nil && changes > 0 {
		s.Log.Info("compacted", "changes", changes)
		_ = s.reopen(ctx)
	}
	return changes, err
}

// readFacts reads facts of three names, or of two names and a number.
func readFacts(what string, list [][]any) ([]facts.Fact, error) {
	all := make([]facts.Fact, len(list))
	for i, parts := range list {
		if len(parts) != 3 {
			return nil, badRequest("%s[%d] has %d names, want three: head, relation, tail", what, i, len(parts))
		}
		for k, part := range parts {
			number, isNumber := part.(json.Number)
			name, isName := part.(string)
			switch {
			case isNumber && k == 2:
				name = number.String()
			case !isName:
				return nil, badRequest("%s[%d][%d] is no string; in place of a tail, a number is a value", what, i, k)
			}
			all[i][k] = name
		}
	}
	return all, nil
}

// store returns what changes the facts of a model in use.
func (s *Server) store(h *openModel) *facts.Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return h.facts
}

// journalLock is the right to write to the journal of a bundle.
type journalLock struct {
	path    string // of the bundle, behind symbolic links
	release func() error
}

// lockJournal locks the journal of the bundle at path, unless that is the one that is held.
func lockJournal(path string, held *journalLock) (*journalLock, error) {
	path, err := atomicfile.Follow(path)
	if err != nil {
		return nil, err
	}
	if held != nil && held.path == path {
		return held, nil
	}
	release, err := facts.Lock(path)
	return &journalLock{path, release}, err
}

// openFacts opens the facts of the next model for changes, and closes the facts of the model before, if
// there is one. If that fails, it reopens the facts of the model before. A symbolic link may lead to
// another bundle by now: then it locks that bundle's journal, and releases the other.
func (s *Server) openFacts(next, before *openModel) error {
	if !s.changesFacts() {
		return nil
	}
	lock, err := lockJournal(s.File, s.lock)
	if err != nil {
		return err
	}
	if before != nil {
		err = s.store(before).Close()
	}
	if err == nil {
		next.facts, err = facts.Open(lock.path, next.model)
	}
	if err != nil {
		return errors.Join(err, s.keepFacts(before, lock))
	}
	if lock == s.lock {
		return nil
	}
	s.mu.Lock()
	last := s.lock
	s.lock = lock
	s.mu.Unlock()
	last.release()
	return nil
}

// keepFacts reopens the facts of a model after opening the facts of the next failed, and releases the lock
// taken for the latter.
func (s *Server) keepFacts(before *openModel, lock *journalLock) (err error) {
	if lock != s.lock {
		err = lock.release()
	}
	if before == nil {
		return err
	}
	again, why := facts.Open(s.lock.path, before.model)
	if why != nil {
		return errors.Join(err, why)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before.facts = again
	return err
}
