package importer

// statement is a statement of a file, by names.
type statement struct {
	names [3]string
	at    int // its line
}

// fields returns the names as fields of a file.
func (s statement) fields() [3][]byte {
	return [3][]byte{[]byte(s.names[0]), []byte(s.names[1]), []byte(s.names[2])}
}

// deadEnds holds back statements whose tail is a blank node until that node is the head of a fact.
type deadEnds struct {
	// leadsOn are the blank nodes that are heads of facts.
	leadsOn map[string]bool
	// waiting are the statements held back, by their tails.
	waiting map[string][]statement
}

// pass takes a statement, and whether its subject and its object are blank nodes. It returns the statements that are
// now known to be facts: none if the object is a blank node that is the head of no fact yet.
func (d *deadEnds) pass(s statement, subject, object bool) (facts []statement) {
	if object && !d.leadsOn[s.names[2]] {
		d.waiting[s.names[2]] = append(d.waiting[s.names[2]], s)
		return nil
	}
	facts = append(facts, s)
	if subject {
		facts = d.open(s.names[0], facts)
	}
	return facts
}

// open records that a blank node is the head of a fact. It appends the held-back statements that end there, and then
// those that end at their subjects.
func (d *deadEnds) open(node string, facts []statement) []statement {
	nodes := []string{node}
	for len(nodes) > 0 {
		node := nodes[len(nodes)-1]
		nodes = nodes[:len(nodes)-1]
		if d.leadsOn[node] {
			continue
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

// drop discards the remaining held-back statements, and returns their number.
func (d *deadEnds) drop() (count int) {
	for _, list := range d.waiting {
		count += len(list)
	}
	clear(d.waiting)
	return count
}

// isBlank reports whether a name denotes a blank node.
func isBlank(name string) bool { return len(name) > 1 && name[:2] == "_:" }
