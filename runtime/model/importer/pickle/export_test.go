package pickle

// Length returns the bytes of the pickle that Load read.
func (d *Decoder) Length() int { return int(d.offset) }

// Bool returns a truth value.
func (d *Decoder) Bool(v Value) (truth, ok bool) { return v.n == 1, v.kind == Bool }
