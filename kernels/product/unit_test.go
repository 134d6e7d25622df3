package product

import (
	"cmp"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestUnits reruns this test with each off-switch, and compares the units that it prints. Switches already set
// stay set.
func TestUnits(t *testing.T) {
	if os.Getenv("EFOC_TEST_UNITS") != "" {
		os.Stdout.WriteString("units=" + strings.Join(Units(), ",") + ";unit=" + Unit() + ";")
		return
	}
	all := "units=" + strings.Join(Units(), ",") + ";unit=" + Unit() + ";"
	none := "units=float32;unit=float32;"
	const emulation = "units=float32,emulated;unit=emulated;"
	withoutAMX := all
	switch {
	case slices.Contains(Units(), "amx"):
		withoutAMX = "units=float32,avx512bf16;unit=avx512bf16;"
	case all == emulation:
		none = emulation
	}
	for env, want := range map[string]string{
		"EFOC_NOAMX=" + cmp.Or(os.Getenv("EFOC_NOAMX"), "0"): all, "EFOC_NOAMX=1": withoutAMX, "EFOC_NOBF16=1": none, "EFOC_NOAVX512=1": none,
		"EFOC_NOAVX2=1": none, "EFOC_EMULATEAMX=1": emulation,
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestUnits$")
		cmd.Env = append(os.Environ(), "EFOC_TEST_UNITS=1", env)
		if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %s, %v, want %s", env, out, err, want)
		}
	}
}

// TestUse checks that each available unit can be selected, and no other.
func TestUse(t *testing.T) {
	before := Unit()
	list := Units()
	if list[0] != "float32" || !slices.Contains(list, before) {
		t.Errorf("units are %v, the one in use is %s", list, before)
	}
	for _, name := range list {
		if err := Use(name); err != nil || Unit() != name {
			t.Errorf("Use(%q) leaves %s, error %v", name, Unit(), err)
		}
	}
	if err := Use("abacus"); err == nil || !strings.Contains(err.Error(), "float32") {
		t.Errorf("error is %v, want one that names the units", err)
	}
	if err := Use(before); err != nil || Unit() != before {
		t.Errorf("the unit is %s, error %v, want %s", Unit(), err, before)
	}
}
