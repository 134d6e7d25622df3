package product

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A unit is an implementation of products.
type unit int32

const (
	float32s unit = iota
	avx512bf16
	amx
	emulated // amx in Go
)

var unitNames = [...]string{float32s: "float32", avx512bf16: "avx512bf16", amx: "amx", emulated: "emulated"}

// paneledTerms is the maximum number of terms that a unit multiplies in panels: with two, which take three
// products, VDPBF16PS is slower than float32.
var paneledTerms = [...]Terms{float32s: 0, avx512bf16: One, amx: Three, emulated: Three}

// units are the units that machine, system and environment permit, best last. They are determined at the first
// product, because a process that may use tiles has larger signal frames.
var units = sync.OnceValue(func() []unit {
	if os.Getenv("EFOC_EMULATEAMX") == "1" {
		return []unit{float32s, emulated}
	}
	return detect()
})

// chosen is one more than the unit set by Use, 0 for the best one.
var chosen atomic.Int32

// inUse returns the current unit.
func inUse() unit {
	if c := chosen.Load(); c > 0 {
		return unit(c - 1)
	}
	list := units()
	return list[len(list)-1]
}

// Units names the units of this machine, float32 first.
func Units() []string {
	var names []string
	for _, u := range units() {
		names = append(names, unitNames[u])
	}
	return names
}

// Use selects one of Units, so that tests can compare them. Operands packed before are invalid for the new
// unit.
func Use(name string) error {
	i := slices.Index(Units(), name)
	if i < 0 {
		return fmt.Errorf("unit %q is not among those of this machine: %s", name, strings.Join(Units(), ", "))
	}
	chosen.Store(int32(units()[i]) + 1)
	return nil
}

// Unit names the current unit: float32, avx512bf16, amx or emulated.
func Unit() string { return unitNames[inUse()] }
