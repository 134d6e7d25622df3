package pickle

import "iter"

// Kind is the kind of a value.
type Kind uint8

// The kinds of values. Those without a name outside appear on the stack alone.
const (
	Int Kind = iota + 1
	Text
	Tuple
	List
	Set
	dict
	class
)

var kindNames = [...]string{Int: "an integer", Text: "a text", Tuple: "a tuple", List: "a list", Set: "a set", dict: "a dict", class: "a class"}

// String names the kind with its article, as in "a tuple".
func (k Kind) String() string {
	if int(k) < len(kindNames) && k > 0 {
		return kindNames[k]
	}
	return "nothing"
}

// Value is a value of the pickle that is being read. It is good as long as its
// Decoder.
type Value struct {
	kind Kind
	// n is the integer, or the place in the decoder's array of that kind.
	n int32
}

// Kind returns the kind of the value.
func (v Value) Kind() Kind { return v.kind }

// sequence is a list or set. Most hold small integers alone, so those are stored
// without their kind.
type sequence struct {
	ints   []int32
	values []Value
}

// add appends values.
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

// Int returns an integer.
func (d *Decoder) Int(v Value) (n int32, ok bool) { return v.n, v.kind == Int }

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

// Elements yields the elements of a list or set in the order of the file.
func (d *Decoder) Elements(v Value) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.kind != List && v.kind != Set {
			return
		}
		s := &d.sequences[v.n]
		for _, n := range s.ints {
			if !yield(Value{Int, n}) {
				return
			}
		}
		for _, x := range s.values {
			if !yield(x) {
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
