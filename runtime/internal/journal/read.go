package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/internal/jsonfile"
	"github.com/efoc/efoc/runtime/regularfile"
)

// version is the version of the format.
const version = 1

// MaxRecord bounds the bytes of a record.
const MaxRecord = 64 << 20

// Path returns the path of a bundle's journal. It is beside the target of symbolic links, so all paths of a bundle
// have the same journal.
func Path(bundle string) string {
	if real, err := atomicfile.Follow(bundle); err == nil { // otherwise the bundle cannot be opened either
		bundle = real
	}
	return bundle + ".journal"
}

// Fact holds the names of a head, a relation and a tail.
type Fact [3]string

// Batch is an atomic change of facts.
type Batch struct {
	// Key is the client's idempotency key, if any, and Digest the digest of its change.
	Key    string `json:"key,omitempty"`
	Digest string `json:"digest,omitempty"`
	// Entities are new to the model since its training, in order.
	Entities []Entity `json:"entities,omitempty"`
	Add      []Fact   `json:"add,omitempty"`
	Remove   []Fact   `json:"remove,omitempty"`
	// Untrue are facts marked as not true, which also removes them.
	Untrue []Fact `json:"untrue,omitempty"`
	// AddValues and RemoveValues are values of entities.
	AddValues    []Value `json:"add_values,omitempty"`
	RemoveValues []Value `json:"remove_values,omitempty"`
	// Time is the time of the change, By its author if stated.
	Time time.Time `json:"time,omitzero"`
	By   string    `json:"by,omitempty"`
	// Counts are the results: facts and values added, present, removed, and absent. Marked counts facts newly marked as
	// not true, and Unmarked those that lost the mark.
	Counts   [4]int `json:"counts"`
	Marked   int    `json:"marked,omitzero"`
	Unmarked int    `json:"unmarked,omitzero"`
}

// Value is a value of an entity: a number, or a date in seconds since 1970, of an attribute by its name.
type Value struct {
	Entity    string  `json:"entity"`
	Attribute string  `json:"attribute"`
	Kind      string  `json:"kind"`
	Number    float64 `json:"number"`
}

// changes reports whether a batch adds or removes something.
func (b *Batch) changes() bool {
	return len(b.Add)+len(b.Remove)+len(b.Untrue)+len(b.AddValues)+len(b.RemoveValues) > 0
}

// Entity is a new entity with its row in little-endian float32, so that every replay gives the same row.
type Entity struct {
	Name string `json:"name"`
	Row  []byte `json:"row"`
}

// record is a line.
type record struct {
	Version   int     `json:"journal,omitzero"`
	Bundle    string  `json:"bundle,omitempty"`
	Number    int     `json:"n,omitzero"`
	Batches   []Batch `json:"batches,omitempty"`
	Compacted string  `json:"compacted,omitempty"`
	// Through is the last record that the bundle of a mark contains; 0 means all earlier ones.
	Through int `json:"through,omitempty"`
}

// Contents are the contents of a journal.
type Contents struct {
	// Batches are the batches that the bundle lacks, in order; Before are those that it contains.
	Batches, Before []Batch
	// Torn counts the bytes that a crash left after the last complete record.
	Torn int64
	// Ours says that the journal exists and names the bundle. A journal of another bundle is read without an error if
	// it has no facts.
	Ours bool

	size    int64 // of the complete records, in bytes
	open    bool  // the last of them lacks its newline
	next    int   // number of the next one
	numbers []int // the record of each of Batches
}

// ErrOther reports a journal of another bundle.
var ErrOther = errors.New("it belongs to another bundle, and holds facts that were added to that: put that bundle back, or move the journal away")

// Read reads the journal at path, for the bundle with the given identity. Without a file, the contents are empty.
func Read(path, bundle string) (*Contents, error) {
	f, _, err := regularfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Contents{next: 1}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := parse(f, bundle)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// parse parses a journal.
func parse(r io.Reader, bundle string) (*Contents, error) {
	c := &Contents{}
	lines := bufio.NewReaderSize(r, 1<<16)
	facts := false // of another bundle, so far
	for ; ; c.next++ {
		line, err := readLine(lines)
		if err == io.EOF && len(line) == 0 {
			break
		}
		whole := err == nil
		if err != nil && err != io.EOF {
			return nil, c.damaged(err)
		}
		if whole && bytes.IndexByte(line, 0) >= 0 {
			_, err := lines.Peek(1)
			whole = err != io.EOF
		}
		if !whole && bytes.Contains(line, []byte("\x00"+sumStart)) {
			return nil, c.damaged(errors.New("its end is missing"))
		}
		if !whole {
			record := bytes.TrimRight(line, "\x00\n")
			if _, err := decode(record); err != nil {
				c.Torn = int64(len(line))
				break
			}
			// Only its newline is missing.
			c.Torn = int64(len(line) - len(record))
			c.open = true
			line = record
		}
		x, err := decode(line)
		if err == nil {
			err = x.check(c.next)
		}
		if err != nil {
			return nil, c.damaged(err)
		}
		c.size += int64(len(line))
		if bundle != "" && (x.Bundle == bundle || x.Compacted == bundle) {
			c.Ours = true
			c.hold(x.Through)
		}
		for _, b := range x.Batches {
			facts = facts || b.changes()
			c.Batches = append(c.Batches, b)
			c.numbers = append(c.numbers, x.Number)
		}
	}
	if !c.Ours {
		if facts {
			return nil, ErrOther
		}
		c.Before = append(c.Before, c.Batches...)
		c.Batches = nil
	}
	c.next = max(c.next, 1)
	return c, nil
}

// hold records that the bundle contains the batches up to a record, or all if through is 0.
func (c *Contents) hold(through int) {
	n := len(c.Batches)
	if through > 0 {
		n, _ = slices.BinarySearch(c.numbers, through+1)
	}
	c.Before = append(c.Before, c.Batches[:n]...)
	c.Batches = append([]Batch(nil), c.Batches[n:]...)
	c.numbers = append([]int(nil), c.numbers[n:]...)
}

// damaged adds the location in the journal to an error.
func (c *Contents) damaged(err error) error {
	return fmt.Errorf("record %d, at byte %d: %w: the journal is damaged: cut the file there to keep what is above", c.next, c.size, err)
}

// readLine reads a line with its end, or the rest of the file.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
		if len(line) > MaxRecord {
			return nil, fmt.Errorf("it is longer than %d bytes", MaxRecord)
		}
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const sumStart, sumLength = "crc32c:", len("crc32c:01234567 ")

// encode formats a record as a line.
func encode(x record) ([]byte, error) {
	text, err := json.Marshal(x)
	if err != nil {
		return nil, err
	}
	line := fmt.Appendf(nil, "%s%08x %s\n", sumStart, crc32.Checksum(text, castagnoli), text)
	if len(line) > MaxRecord {
		return nil, ErrTooLarge
	}
	return line, nil
}

// ErrTooLarge reports changes too large for one record.
var ErrTooLarge = fmt.Errorf("a record of the journal would have more than %d MiB: change fewer facts at a time", MaxRecord>>20)

// decode parses a line, with or without its newline.
func decode(line []byte) (x record, err error) {
	if len(line) <= sumLength || !bytes.HasPrefix(line, []byte(sumStart)) {
		return x, errors.New("it has no checksum")
	}
	text := bytes.TrimSuffix(line[sumLength:], []byte("\n"))
	sum, err := strconv.ParseUint(string(line[len(sumStart):sumLength-1]), 16, 32)
	if err != nil || line[sumLength-1] != ' ' || uint32(sum) != crc32.Checksum(text, castagnoli) {
		return x, errors.New("its checksum is another")
	}
	return x, jsonfile.Read(text, &x)
}

// check reports a record that cannot have the given number, the first being 0.
func (x *record) check(number int) error {
	switch {
	case number == 0 && x.Version > version:
		return fmt.Errorf("journal format %d is newer than the supported %d: upgrade efoc", x.Version, version)
	case number == 0 && (x.Version != version || x.Bundle == ""):
		return errors.New("it does not say which bundle it belongs to")
	case number > 0 && (x.Version != 0 || x.Bundle != ""):
		return errors.New("it is a first record")
	case x.Number != number:
		return fmt.Errorf("it has number %d: records are missing", x.Number)
	case x.Through < 0 || x.Through > number || x.Through > 0 && x.Compacted == "":
		return fmt.Errorf("it says that a bundle holds the records up to %d", x.Through)
	}
	return nil
}
