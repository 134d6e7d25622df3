package importer

import "fmt"

// BlankNodes says what becomes of statements about the blank nodes of RDF.
type BlankNodes string

// The ways to treat blank nodes.
const (
	// SkipDeadEnds leaves out statements that lead to a blank node from which no fact leads on. It is the
	// default.
	SkipDeadEnds BlankNodes = ""
	// SkipBlank leaves out all statements about blank nodes.
	SkipBlank BlankNodes = "skip"
	// KeepBlank keeps all.
	KeepBlank BlankNodes = "keep"
)

// Check reports a value that is none of the constants.
func (b BlankNodes) Check() error {
	switch b {
	case SkipDeadEnds, SkipBlank, KeepBlank:
		return nil
	}
	return fmt.Errorf("blank is %q, want skip or keep", string(b))
}

// statement is a statement of a file, as names.
type statement struct {
	names [3]string
	at    int // its line
}

// fields returns the names as fields of a file.
func (s statement) fields() [3][]byte {
	return [3][]byte{[]byte(s.names[0]), []byte(s.names[1]), []byte(s.names[2])}
}

// deadEnds holds statements back that lead to a blank node until a fact leads on from there.
type deadEnds struct {
	// leadsOn are the blank nodes from which a fact leads on.
	leadsOn map[string]bool
	// waiting are the statements that lead to other blank nodes, by these.
	waiting map[string][]statement
}

// pass returns the statements that are facts once s has been read: none yet if s leads to a blank node
// from which nothing leads on so far.
func (d *deadEnds) pass(s statement, subject, object bool) (facts []statement) {
	if object && !d.leadsOn[s.names[2]] {
		if d.waiting == nil {
			d.waiting = map[string][]statement{}
		}
		d.waiting[s.names[2]] = append(d.waiting[s.names[2]], s)
		return nil
	}
	facts = append(facts, s)
	if subject {
		facts = d.open(s.names[0], facts)
	}
	return facts
}

// open notes that a fact leads on from a blank node, and appends the statements that lead there, and so
// on from their subjects.
func (d *deadEnds) open(node string, facts []statement) []statement {
	nodes := []string{node}
	for len(nodes) > 0 {
		node := nodes[len(nodes)-1]
		nodes = nodes[:len(nodes)-1]
		if d.leadsOn[node] {
			continue
		}
		if d.leadsOn == nil {
			d.leadsOn = map[string]bool{}
		}
		d.leadsOn[node] = true
		for _, s := range d.waiting[node] {
			facts = append(facts, s)
			if isBlank(s.names[0]) {
				nodes = append(nodes, s.names[0])
			}
		}
		delete(d.waiting, node)
	}
	return facts
}

// drop forgets the statements that still wait, and returns how many there were.
func (d *deadEnds) drop() (count int) {
	for _, list := range d.waiting {
		count += len(list)
	}
	d.waiting = nil
	return count
}

// isBlank reports whether a name is a blank node's.
func isBlank(name string) bool { return len(name) > 1 && name[:2] == "_:" }
