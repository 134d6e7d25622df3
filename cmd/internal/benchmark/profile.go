package benchmark

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"io"
	"runtime/pprof"
	"time"
)

// sampled is the time for which a cell is profiled, for each run; a second has a hundred samples.
const sampled = 50 * time.Millisecond

// profile asks for the best answers again for a time, and samples how much of it kernels take.
func (c *Cell) profile(ctx context.Context, span time.Duration, now clock) error {
	var packed bytes.Buffer
	err := pprof.StartCPUProfile(&packed)
	for start := now(); err == nil && now()-start < span; {
		err = c.pass(ctx, false)
	}
	pprof.StopCPUProfile()
	if err != nil {
		return err
	}
	r, err := gzip.NewReader(&packed)
	if err != nil {
		return err
	}
	profile, err := io.ReadAll(r)
	c.Kernels = innermost(profile, "github.com/efoc/efoc/kernels")
	return err
}

// innermost returns the share of a profile's samples that were taken in functions whose names begin with prefix, not in
// their callees; 0 without samples. The profile is a message of profile.proto of github.com/google/pprof.
func innermost(profile []byte, prefix string) float64 {
	const sample, location, function, text = 2, 4, 5, 6 // fields of the profile
	const line = 4                                      // field of a location; the first is of the innermost function
	p := decode(profile)
	functions := map[uint64]bool{} // whether the name begins with prefix
	for _, f := range p[function] {
		m := decode(f)
		functions[m.number(1)] = bytes.HasPrefix(p[text][m.number(2)], []byte(prefix))
	}
	locations := map[uint64]bool{}
	for _, l := range p[location] {
		m := decode(l)
		locations[m.number(1)] = functions[decode(m.first(line)).number(1)]
	}
	all, inside := 0.0, 0.0
	for _, s := range p[sample] {
		m := decode(s)
		n := float64(m.number(2))
		all += n
		if locations[m.number(1)] {
			inside += n
		}
	}
	return inside / max(all, 1)
}

// message holds the values of the fields of a protocol buffer: texts, messages, and numbers as varints, packed or not.
type message map[uint64][][]byte

// first returns the first value of a field, nil without any.
func (m message) first(field uint64) []byte { return append(m[field], nil)[0] }

// number returns the first number of a field, 0 without any.
func (m message) number(field uint64) uint64 {
	n, _ := binary.Uvarint(m.first(field))
	return n
}

// decode decodes a message without numbers of fixed size.
func decode(text []byte) message {
	const delimited = 2
	m := message{}
	for len(text) > 0 {
		key, n := binary.Uvarint(text)
		text = text[n:]
		size, n := binary.Uvarint(text)
		if key%8 == delimited {
			text = text[n:]
			n = int(size)
		}
		m[key/8] = append(m[key/8], text[:n])
		text = text[n:]
	}
	return m
}
