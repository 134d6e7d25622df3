package runtime

// Block returns the rows lo to hi as float32, row-major: a view of a float32
// table, otherwise converted into buf, which has room for them.
func (t *Table) Block(lo, hi int, buf []float32) []float32 { return t.block(lo, hi, buf) }
