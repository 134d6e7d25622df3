// Package seed makes tests that draw their inputs at random draw the same ones at each run. The
// environment variable EFOC_SEED has them draw others:
//
//	EFOC_SEED=2 go test ./lang -run TestUses
//
// A test that fails prints its seed.
package seed

import (
	"flag"
	"os"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/testdata/long"
)

// variable names the environment variable that holds the seed, a positive number.
const variable = "EFOC_SEED"

const (
	// standard is the seed without EFOC_SEED.
	standard = 1
	// checks and longChecks are how often a property is checked: by default, and by long tests.
	checks, longChecks = 25, 100
)

// Of returns the seed of a test, which prints it if it fails.
func Of(tb testing.TB) uint64 {
	tb.Helper()
	seed := fromEnv(tb)
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("drawn with %s=%d", variable, seed)
		}
	})
	return seed
}

// Check checks a property as [rapid.Check] does. A test that fails prints the seed.
func Check(tb testing.TB, property func(*rapid.T)) {
	tb.Helper()
	seed := fromEnv(tb) // each test reads it, so that the go command keeps no result of another seed
	configure(seed)
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("drawn with %s=%v and -rapid.checks=%v", variable, value("seed"), value("checks"))
		}
	})
	rapid.Check(tb, property)
}

// Enough reports whether properties are checked often enough, 100 times, for rare draws to occur.
func Enough() bool {
	n, err := strconv.Atoi(value("checks"))
	if testing.Short() {
		n /= 5 // as rapid has it
	}
	return err == nil && n >= longChecks
}

// fromEnv returns the seed that the environment asks for.
func fromEnv(tb testing.TB) uint64 {
	tb.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return standard
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil || seed == 0 {
		tb.Fatalf("%s is %q: it takes a positive number", variable, text)
	}
	return seed
}

var once sync.Once

// configure sets those flags of package rapid that the command line leaves out.
func configure(seed uint64) {
	once.Do(func() {
		given := map[string]bool{}
		flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
		for name, value := range map[string]string{
			"rapid.seed":   strconv.FormatUint(seed, 10),
			"rapid.checks": strconv.Itoa(long.Or(longChecks, checks)),
			// A file that an earlier failure left behind would be checked too.
			"rapid.nofailfile": "true",
		} {
			if given[name] {
				continue
			}
			err := flag.Set(name, value)
			if err != nil {
				panic(err)
			}
		}
	})
}

// value returns a flag of package rapid.
func value(name string) string { return flag.Lookup("rapid." + name).Value.String() }
