package facts

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/internal/journal"
	"github.com/efoc/efoc/runtime/model"
)

// Fact holds the names of a head, a relation and a tail. A relation may end in ^-1. With an attribute as the
// relation, the tail is a value: a number or a date as in a formula, without quotes, or a typed literal of RDF, such
// as "12.5"^^xsd:decimal.
type Fact = journal.Fact

// Result is the outcome of a change.
type Result struct {
	model.Changed
	// Repeated says that an earlier change with the same key gave this result.
	Repeated bool `json:"repeated,omitempty"`
	// Entities and Attributes are the names of new ones; empty for a repeated change.
	Entities   []string `json:"entities,omitempty"`
	Attributes []string `json:"attributes,omitempty"`
}

// ErrKey refuses a key that another change has used.
var ErrKey = errors.New("the key was used for another change: take a new one")

// ErrTooLarge refuses a change that is too large for the journal.
var ErrTooLarge = journal.ErrTooLarge

// MaxKey bounds the bytes of a key, and of an author's name.
const MaxKey = 255

// rememberedKeys is the number of latest keys to remember.
const rememberedKeys = journal.Keys

// Store changes the facts of a bundle. It is safe for concurrent use.
type Store struct {
	model *runtime.Model
	path  string // of the bundle

	compacting sync.Mutex // acquired before writing

	writing sync.Mutex // guards the fields below
	shut    bool
	journal *journal.Writer
	changes int // in the journal but not in the bundle
	keys    map[string]outcome
	order   []string // of keys
}

// outcome is the result of a change with a key.
type outcome struct {
	digest string
	done   model.Changed
}

// Lock acquires the right to write to the journal of the bundle at path, and removes the temporary files of
// interrupted compactions. It fails if another program holds the lock, or if the bundle has other names by hard
// links: the next compaction would separate them, without the facts added under the other names.
//
// A symbolic link may point to another bundle later. A caller that also opens the bundle resolves the link first
// (atomicfile.Follow), so that it locks and opens the same one.
func Lock(path string) (release func() error, err error) {
	path, err = atomicfile.Follow(path)
	if err != nil {
		return nil, err
	}
	names, err := atomicfile.Links(path)
	if err != nil {
		return nil, err
	}
	if names > 1 {
		return nil, fmt.Errorf("%s is one of %d hard links to the same file, and facts added under one of the names would be missing under the others: replace it with a copy, or remove the other names", path, names)
	}

	at := journal.Path(path)
	release, err = journal.Lock(at)
	if err != nil {
		return nil, err
	}
	atomicfile.RemoveLeftovers(path)
	atomicfile.RemoveLeftovers(at)
	return release, nil
}

// Open opens the journal of the bundle at path, for a model opened from that path, and adds the journal's facts to
// the model. The caller holds the lock.
func Open(path string, m *runtime.Model) (*Store, error) {
	identity := m.Now().Bundle().Identity()
	if identity == "" {
		return nil, fmt.Errorf("%s: the model was not opened from a file, so no facts can be kept beside it", path)
	}
	path, err := atomicfile.Follow(path)
	if err != nil {
		return nil, err
	}
	switch there, err := model.ReadIdentity(path); {
	case err != nil:
		return nil, err
	case there != identity:
		return nil, fmt.Errorf("%s was replaced by another bundle after the model was opened: open it again", path)
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

// replay applies a journal to a model.
func replay(m *runtime.Model, c *journal.Contents) error {
	return m.Update(func(now *model.Model) (*model.Model, error) { return now.Replay(c.Batches) })
}

// Follow applies to a model the facts that other programs added to the journal of its bundle.
func Follow(path string, m *runtime.Model) error {
	c, err := journal.Read(journal.Path(path), m.Now().Bundle().Identity())
	if err == nil {
		err = replay(m, c)
	}
	return err
}

// Close closes the journal after the changes in progress; later ones are refused.
func (s *Store) Close() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.shut = true
	return s.journal.Close()
}

// ErrClosed reports that the store is closed.
var ErrClosed = errors.New("the journal has been closed")

// Change is a set of facts to add, remove and mark, all or none.
type Change struct {
	// Key, if not empty, makes the change idempotent: repeating it returns its first result. Using the key for
	// another change is an error.
	Key string
	// Add and Remove list facts. Add wins over the other lists.
	Add, Remove []Fact
	// Untrue are facts to mark as not true, which removes them. Calibration counts them as certainly false, and
	// answers that rest on one are unlikely. Adding or removing a fact clears the mark.
	Untrue []Fact
	// New adds unknown entities in facts to be added. Package newrow computes their rows from these facts alone, in
	// some milliseconds each; the rows never change. The first new entity copies the entity table: see
	// model.Model.Grown. New also adds an attribute for an unknown name before a number, a date or a typed literal. A
	// year alone is a number.
	New bool
	// Replace removes the other values of the same attributes from the entities of added values.
	Replace bool
	// By, if not empty, names the author of the change.
	By string
}

// Apply makes a change, all or none, and returns once it is on disk. Unknown names are a *NameError.
func (s *Store) Apply(ctx context.Context, c Change) (Result, error) {
	if err := cmp.Or(ctx.Err(), c.Check()); err != nil {
		return Result{}, err
	}
	result, err := s.write(ctx, c, c.digest())
	if err != nil { // perhaps a panic after the result was stored
		return Result{}, err
	}
	return result, nil
}

// Check reports a key that is too long or has characters other than printable ASCII, and an author's name that is not a
// short line of text.
func (c *Change) Check() error {
	notASCII := func(r rune) bool { return r < ' ' || r > '~' }
	switch {
	case len(c.Key) > MaxKey || strings.ContainsFunc(c.Key, notASCII):
		return fmt.Errorf("the key is %.64q, want at most %d printable ASCII characters", c.Key, MaxKey)
	case len(c.By) > MaxKey || strings.ContainsFunc(c.By, unicode.IsControl):
		return fmt.Errorf("by is %.64q, want a line of at most %d bytes", c.By, MaxKey)
	}
	return nil
}

// lists returns the lists of the change.
func (c *Change) lists() [3][]Fact { return [3][]Fact{c.Add, c.Remove, c.Untrue} }

// digest identifies the content of a change; it is empty without a key.
func (c *Change) digest() string {
	if c.Key == "" {
		return ""
	}
	text, _ := json.Marshal([2][]Fact{c.Add, c.Remove}) // strings only
	if len(c.Untrue) > 0 {
		text, _ = json.Marshal(c.lists())
	}
	if c.Replace {
		text = append(text, "replace"...)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
