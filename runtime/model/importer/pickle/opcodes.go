package pickle

// opcode is one of the machine's, named as in Python's pickletools.
type opcode struct {
	name string
	// plain says that ReadDict allows it.
	plain bool
	run   func(d *Decoder) error
}

// opcodes has the opcodes of the protocols 2 to 5, which PyTorch writes. A stop is run's; the
// extensions and out-of-band buffers refer to what only the program that wrote them has.
var opcodes = [256]opcode{
	0x80: {"PROTO", true, (*Decoder).protocol},
	0x95: {"FRAME", true, func(d *Decoder) error { _, err := d.number(8); return err }}, // says how much to read ahead
	'.':  {"STOP", true, (*Decoder).stop},

	'N':  {"NONE", false, func(d *Decoder) error { return d.push(Value{kind: None}) }},
	0x88: {"NEWTRUE", false, func(d *Decoder) error { return d.push(Value{Bool, 1}) }},
	0x89: {"NEWFALSE", false, func(d *Decoder) error { return d.push(Value{Bool, 0}) }},
	'K':  {"BININT1", true, func(d *Decoder) error { return d.integer(1) }},
	'M':  {"BININT2", true, func(d *Decoder) error { return d.integer(2) }},
	'J':  {"BININT", true, func(d *Decoder) error { return d.integer(4) }},
	0x8a: {"LONG1", true, func(d *Decoder) error { return d.long(1) }},
	0x8b: {"LONG4", false, func(d *Decoder) error { return d.long(4) }},
	'G':  {"BINFLOAT", false, func(d *Decoder) error { return d.opaque(8, nil) }},
	'X':  {"BINUNICODE", true, func(d *Decoder) error { return d.text(4) }},
	0x8c: {"SHORT_BINUNICODE", true, func(d *Decoder) error { return d.text(1) }},
	0x8d: {"BINUNICODE8", false, func(d *Decoder) error { return d.text(8) }},
	'T':  {"BINSTRING", false, func(d *Decoder) error { return d.text(4) }},
	'U':  {"SHORT_BINSTRING", false, func(d *Decoder) error { return d.text(1) }},
	'C':  {"SHORT_BINBYTES", false, func(d *Decoder) error { return d.opaque(d.number(1)) }},
	'B':  {"BINBYTES", false, func(d *Decoder) error { return d.opaque(d.number(4)) }},
	0x8e: {"BINBYTES8", false, func(d *Decoder) error { return d.opaque(d.number(8)) }},
	0x96: {"BYTEARRAY8", false, func(d *Decoder) error { return d.opaque(d.number(8)) }},

	'(':  {"MARK", true, (*Decoder).setMark},
	'0':  {"POP", false, (*Decoder).popOne},
	'1':  {"POP_MARK", false, func(d *Decoder) error { return d.fromMark(d.pop) }},
	'q':  {"BINPUT", true, func(d *Decoder) error { return d.put(d.number(1)) }},
	'r':  {"LONG_BINPUT", true, func(d *Decoder) error { return d.put(d.number(4)) }},
	0x94: {"MEMOIZE", true, func(d *Decoder) error { return d.put(uint64(len(d.memo)), nil) }},
	'h':  {"BINGET", true, func(d *Decoder) error { return d.get(d.number(1)) }},
	'j':  {"LONG_BINGET", true, func(d *Decoder) error { return d.get(d.number(4)) }},

	')':  {"EMPTY_TUPLE", true, func(d *Decoder) error { return d.record(len(d.stack), Tuple) }},
	0x85: {"TUPLE1", true, func(d *Decoder) error { return d.record(len(d.stack)-1, Tuple) }},
	0x86: {"TUPLE2", true, func(d *Decoder) error { return d.record(len(d.stack)-2, Tuple) }},
	0x87: {"TUPLE3", true, func(d *Decoder) error { return d.record(len(d.stack)-3, Tuple) }},
	't':  {"TUPLE", true, marked((*Decoder).record, Tuple)},
	']':  {"EMPTY_LIST", true, func(d *Decoder) error { return d.newSequence(List) }},
	0x8f: {"EMPTY_SET", true, func(d *Decoder) error { return d.newSequence(Set) }},
	'}':  {"EMPTY_DICT", true, (*Decoder).newDict},
	0x91: {"FROZENSET", false, marked((*Decoder).collect, List)},
	'a':  {"APPEND", true, func(d *Decoder) error { return d.extend(len(d.stack)-1, List) }},
	'e':  {"APPENDS", true, marked((*Decoder).extend, List)},
	0x90: {"ADDITEMS", true, marked((*Decoder).extend, Set)},
	's':  {"SETITEM", true, func(d *Decoder) error { return d.setItems(len(d.stack) - 2) }},
	'u':  {"SETITEMS", true, func(d *Decoder) error { return d.fromMark(d.setItems) }},

	'c':  {"GLOBAL", true, (*Decoder).classLines},
	0x93: {"STACK_GLOBAL", true, (*Decoder).class},
	'R':  {"REDUCE", true, (*Decoder).call},
	0x81: {"NEWOBJ", false, (*Decoder).call},
	0x92: {"NEWOBJ_EX", false, (*Decoder).callNamed},
	'b':  {"BUILD", false, func(d *Decoder) error { return d.extend(len(d.stack)-1, Object) }},
	'Q':  {"BINPERSID", false, (*Decoder).refer},
}

// marked runs what makes or extends a value of a kind by the values above the last mark.
func marked(run func(d *Decoder, from int, kind Kind) error, kind Kind) func(d *Decoder) error {
	return func(d *Decoder) error { return d.fromMark(func(from int) error { return run(d, from, kind) }) }
}
