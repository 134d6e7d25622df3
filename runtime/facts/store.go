package facts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/journal"
	"github.com/efoc/efoc/runtime/query"
)

// Fact is the names of a head, a relation and a tail. A relation may end in ^-1.
type Fact = journal.Fact

// Result says what a change came to.
type Result struct {
	model.Changed
	// Repeated says that the change was made before, under the same key.
	Repeated bool `json:"repeated,omitempty"`
	// Entities are the names of those that are new to the model; not of a repeated change.
	Entities []string `json:"entities,omitempty"`
}

// ErrKey refuses a key that another change had.
var ErrKey = errors.New("the key was used for another change: take a new one")

// MaxKey bounds the bytes of a key.
const MaxKey = 255

// rememberedKeys is how many keys are remembered, the latest.
const rememberedKeys = journal.Keys

// Store changes the facts of a bundle. It is safe for concurrent use.
type Store struct {
	model *query.Model
	path  string // of the bundle

	mu      sync.Mutex
	waiting []*request
	leading bool
	closed  bool

	compacting sync.Mutex // before writing

	writing sync.Mutex // of what is below
	shut    bool
	journal *journal.Writer
	changes int // in the journal that the bundle lacks
	keys    map[string]outcome
	order   []string // of keys
}

// outcome is what a change with a key came to.
type outcome struct {
	digest string
	done   model.Changed
}

// request is a change that waits.
type request struct {
	batch  journal.Batch
	enter  bool // unknown entities of facts to be added are new ones
	result Result
	err    error
	done   chan struct{}
}

// Lock returns once nobody else writes to the journal of the bundle at path, or with an
// error that somebody does.
func Lock(path string) (release func() error, err error) { return journal.Lock(journal.Path(path)) }

// Open opens the journal of the bundle at path, for a model that was opened from there. The
// caller holds the lock. The model gets the facts that were added since.
func Open(path string, m *query.Model) (*Store, error) {
	identity := m.Now().Identity()
	if identity == "" {
		return nil, fmt.Errorf("%s: the model was not opened from a file, so that no facts can be kept beside it", path)
	}
	w, c, err := journal.Open(journal.Path(path), identity)
	if err != nil {
		return nil, err
	}
	if err := replay(m, c); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", journal.Path(path), err), w.Close())
	}
	s := &Store{model: m, path: path, journal: w, changes: len(c.Batches), keys: map[string]outcome{}}
	for _, list := range [][]journal.Batch{c.Before, c.Batches} {
		for _, b := range list {
			s.remember(b)
		}
	}
	return s, nil
}

// replay gives a model the facts of a journal.
func replay(m *query.Model, c *journal.Contents) error {
	return m.Update(func(now *model.Model) (*model.Model, error) { return now.Replay(c.Batches) })
}

// Follow gives a model the facts that others have put into the journal of its bundle.
func Follow(path string, m *query.Model) error {
	c, err := journal.Read(journal.Path(path), m.Now().Identity())
	if err == nil {
		err = replay(m, c)
	}
	return err
}

// Close closes the journal once the changes under way are made; further ones are refused.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.writing.Lock()
	defer s.writing.Unlock()
	s.shut = true
	return s.journal.Close()
}

// ErrClosed says that the store has been closed.
var ErrClosed = errors.New("the journal has been closed")

// Change removes facts and adds facts, all or none, and returns when they are on the disk.
// A fact in both lists is added. Under a key that is not empty a change is made once: to
// make it again returns what it came to, unless it is another one. Names that the model
// lacks are a *NameError.
func (s *Store) Change(ctx context.Context, key string, add, remove []Fact) (Result, error) {
	return s.change(ctx, key, add, remove, false)
}

// Enter is Change, but names of entities that the model lacks become those of new ones in
// facts to be added. Their rows are made from these facts alone (package newrow), take some
// milliseconds each and are kept for good. The first new entity copies the entity table:
// model.Model.Grown says what that costs. Other new names are a *NameError as before: those of
// relations, and of entities in facts to be removed.
func (s *Store) Enter(ctx context.Context, key string, add, remove []Fact) (Result, error) {
	return s.change(ctx, key, add, remove, true)
}

func (s *Store) change(ctx context.Context, key string, add, remove []Fact, enter bool) (Result, error) {
	if len(key) > MaxKey {
		return Result{}, fmt.Errorf("key of %d bytes, want at most %d", len(key), MaxKey)
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	r := &request{enter: enter, batch: journal.Batch{Key: key, Add: add, Remove: remove}, done: make(chan struct{})}
	if key != "" {
		r.batch.Digest = digest(add, remove)
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return Result{}, ErrClosed
	}
	s.waiting = append(s.waiting, r)
	if !s.leading {
		s.leading = true
		go s.lead()
	}
	s.mu.Unlock()
	<-r.done // a change that waits for the disk is not taken back
	return r.result, r.err
}

func digest(add, remove []Fact) string {
	text, _ := json.Marshal([2][]Fact{add, remove}) // strings alone
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// mostFacts bounds the facts of changes that are written together, unless one has more.
const mostFacts = 100_000

// lead makes the changes that wait, as many at a time as have come.
func (s *Store) lead() {
	for {
		s.mu.Lock()
		n, facts := 0, 0
		for n < len(s.waiting) && (n == 0 || facts < mostFacts) {
			facts += len(s.waiting[n].batch.Add) + len(s.waiting[n].batch.Remove)
			n++
		}
		if n == 0 {
			s.leading = false
			s.mu.Unlock()
			return
		}
		group := s.waiting[:n:n]
		s.waiting = s.waiting[n:]
		s.mu.Unlock()
		s.commit(group)
	}
}

// commit makes changes in order. Those that are refused leave no trace; the others are
// written together, and then seen.
func (s *Store) commit(group []*request) {
	s.writing.Lock()
	defer s.writing.Unlock()
	var made []*request // that are to be remembered
	var repeated []func()
	err := s.model.Update(func(now *model.Model) (*model.Model, error) {
		if s.shut {
			return nil, ErrClosed
		}
		next, inGroup := now, map[string]*request{}
		var batches []journal.Batch
		for _, r := range group {
			if old, ok := s.keys[r.batch.Key]; ok {
				r.repeat(old)
				continue
			}
			if first := inGroup[r.batch.Key]; first != nil && r.batch.Key != "" {
				repeated = append(repeated, func() { r.repeat(outcome{first.batch.Digest, first.result.Changed}) })
				continue
			}
			var changed *model.Model
			if changed, r.err = r.apply(next); r.err != nil {
				continue
			}
			if changed != next || r.batch.Key != "" {
				made, batches = append(made, r), append(batches, r.batch)
				inGroup[r.batch.Key] = r
			}
			next = changed
		}
		if len(batches) == 0 {
			return now, nil
		}
		return next, s.journal.Append(batches)
	})
	if err == nil {
		for _, again := range repeated {
			again()
		}
		s.changes += len(made)
		for _, r := range made {
			s.remember(r.batch)
		}
	}
	for _, r := range group {
		if err != nil && r.err == nil && !r.result.Repeated {
			r.result, r.err = Result{}, err
		}
		close(r.done)
	}
}

// repeat answers a change by what one with its key came to.
func (r *request) repeat(old outcome) {
	if r.err = nil; old.digest != r.batch.Digest {
		r.err = ErrKey
		return
	}
	r.result = Result{Changed: old.done, Repeated: true}
}

// apply makes the change on a model, and puts the names of its facts into the form of the
// journal.
func (r *request) apply(m *model.Model) (*model.Model, error) {
	m, c, fresh, err := resolve(m, r.batch.Add, r.batch.Remove, r.enter)
	if err != nil {
		return nil, err
	}
	next, done, err := m.With(c)
	if err != nil {
		return nil, err
	}
	names := func(list []model.Triple) (facts []Fact) {
		for _, t := range list {
			facts = append(facts, m.NamesOf(t))
		}
		return facts
	}
	r.result = Result{Changed: done}
	for _, e := range fresh {
		r.result.Entities = append(r.result.Entities, e.Name)
	}
	r.batch.Entities = fresh
	r.batch.Add, r.batch.Remove = names(c.Add), names(c.Remove)
	r.batch.Counts = [4]int{done.Added, done.Present, done.Removed, done.Absent}
	return next, nil
}

// remember keeps what a change with a key came to.
func (s *Store) remember(b journal.Batch) {
	if b.Key == "" {
		return
	}
	if _, known := s.keys[b.Key]; !known {
		s.order = append(s.order, b.Key)
	}
	s.keys[b.Key] = outcome{b.Digest, model.Changed{Added: b.Counts[0], Present: b.Counts[1], Removed: b.Counts[2], Absent: b.Counts[3]}}
	if len(s.order) > rememberedKeys {
		delete(s.keys, s.order[0])
		s.order = s.order[1:]
	}
}
