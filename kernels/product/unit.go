package product

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A unit is an engine that multiplies.
type unit int32

const (
	float32s unit = iota
	avx512bf16
	amx
)

var unitNames = [...]string{float32s: "float32", avx512bf16: "avx512bf16", amx: "amx"}

// paneledTerms are the most terms that a unit multiplies in panels: with two, which take three
// products, VDPBF16PS is slower than float32.
var paneledTerms = [...]Terms{float32s: 0, avx512bf16: One, amx: Three}

// best is the best unit that machine, system and environment allow, which have those before it too.
// It asks once, at the first product, since a process that may use tiles has larger signal frames.
var best = sync.OnceValue(detect)

// chosen is one more than the unit that Use has set, 0 for the best one.
var chosen atomic.Int32

// inUse returns the unit that multiplies.
func inUse() unit {
	if c := chosen.Load(); c > 0 {
		return unit(c - 1)
	}
	return best()
}

// Units names the units that this machine has, float32 first.
func Units() []string { return unitNames[:best()+1] }

// Use makes a unit of Units multiply from now on: tests compare units with it. What is
// packed already is not for the new one.
func Use(name string) error {
	u := slices.Index(Units(), name)
	if u < 0 {
		return fmt.Errorf("unit %q is not among those of this machine: %s", name, strings.Join(Units(), ", "))
	}
	chosen.Store(int32(u) + 1)
	return nil
}

// Unit names what multiplies: float32, avx512bf16 or amx.
func Unit() string { return unitNames[inUse()] }
