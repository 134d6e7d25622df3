// Package long says how much work tests do. By default a test that takes long runs a
// representative part of itself, or is skipped; the environment variable EFOC_LONG has all of
// it run, which takes an hour for the whole module:
//
//	EFOC_LONG=1 go test ./... -timeout 2h
//
// The flag -short leaves out more than a default run does, and overrides the variable.
package long

import (
	"os"
	"testing"
)

// Env names the environment variable. Any value but the empty one asks for long tests.
const Env = "EFOC_LONG"

// Tests reports whether long tests run at full length.
func Tests() bool { return os.Getenv(Env) != "" && !testing.Short() }

// Or returns full if long tests run at full length, and part otherwise.
func Or[T any](full, part T) T {
	if Tests() {
		return full
	}
	return part
}

// Need skips the test unless long tests run. The reason says what takes long.
func Need(tb testing.TB, reason string) {
	tb.Helper()
	if !Tests() {
		tb.Skipf("long: %s; set %s=1", reason, Env)
	}
}
