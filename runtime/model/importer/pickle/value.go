package pickle

import "iter"

// Kind is the kind of a value.
type Kind uint8

// The kinds of values. The data that ReadDict allows is of the first five.
const (
	Int  Kind = iota + 1
	Text      // of characters or, in Python 2, bytes
	Tuple
	List
	Set
	Dict
	Class // or function
	None
	Bool
	Long      // an integer over 32 bits
	Opaque    // a float, bytes or an integer over 64 bits, whose value is not kept
	Object    // what a class or function would have made
	Reference // to what lies outside the pickle
)

var kindNames = [...]string{
	Int: "an integer", Text: "a text", Tuple: "a tuple", List: "a list", Set: "a set", Dict: "a dict", Class: "a class",
	None: "None", Bool: "a truth value", Long: "an integer", Opaque: "a number or bytes", Object: "an object", Reference: "a reference",
}

// String names the kind with its article, as in "a tuple".
func (k Kind) String() string {
	if int(k) < len(kindNames) && k > 0 {
		return kindNames[k]
	}
	return "nothing"
}

// Value is a value of the pickle that is being read. It is good as long as its
// Decoder. Values that are equal are the same one.
type Value struct {
	kind Kind
	// n is the integer, or the place in the decoder's array of that kind.
	n int32
}

// Kind returns the kind of the value.
func (v Value) Kind() Kind { return v.kind }

// sequence is a list or set, or a dict as keys and values in turn. Most hold small
// integers alone, so those are stored without their kind.
type sequence struct {
	ints   []int32
	values []Value
}

func (s *sequence) add(values []Value) {
	for i, v := range values {
		if v.kind != Int || s.values != nil {
			for _, x := range s.ints {
				s.values = append(s.values, Value{Int, x})
			}
			s.ints = nil
			s.values = append(s.values, values[i:]...)
			return
		}
		s.ints = append(s.ints, v.n)
	}
}

func (s *sequence) len() int { return len(s.ints) + len(s.values) } // one of them is empty

func (s *sequence) at(i int) Value {
	if s.values != nil {
		return s.values[i]
	}
	return Value{Int, s.ints[i]}
}

// Int returns an integer of up to 32 bits.
func (d *Decoder) Int(v Value) (n int32, ok bool) { return v.n, v.kind == Int }

// Int64 returns an integer of up to 64 bits.
func (d *Decoder) Int64(v Value) (n int64, ok bool) {
	if v.kind == Long {
		return d.longs[v.n], true
	}
	return int64(v.n), v.kind == Int
}

// Text returns a text.
func (d *Decoder) Text(v Value) (text string, ok bool) {
	if v.kind != Text {
		return "", false
	}
	return d.texts[v.n], true
}

// Tuple returns the elements of a tuple.
func (d *Decoder) Tuple(v Value) (elements []Value, ok bool) {
	if v.kind != Tuple {
		return nil, false
	}
	n := int(d.cells[v.n].n)
	return d.cells[v.n+1:][:n:n], true
}

// Elements yields the elements of a tuple, list or set in the order of the file.
func (d *Decoder) Elements(v Value) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		s := &sequence{}
		switch v.kind {
		case Tuple:
			s.values, _ = d.Tuple(v)
		case List, Set:
			s = &d.sequences[v.n]
		}
		for i := range s.len() {
			if !yield(s.at(i)) {
				return
			}
		}
	}
}

// Entries yields the keys and values of a dict in the order of the file. A key
// that was set twice is yielded twice.
func (d *Decoder) Entries(v Value) iter.Seq2[Value, Value] {
	return func(yield func(key, value Value) bool) {
		if v.kind != Dict {
			return
		}
		s := &d.sequences[v.n]
		for i := 0; i < s.len(); i += 2 {
			if !yield(s.at(i), s.at(i+1)) {
				return
			}
		}
	}
}

// Ints returns the elements of a list or set of integers alone, which the caller
// must not change.
func (d *Decoder) Ints(v Value) (ints []int32, ok bool) {
	if v.kind != List && v.kind != Set || len(d.sequences[v.n].values) > 0 {
		return nil, false
	}
	return d.sequences[v.n].ints, true
}
