//go:build unix

package server

import (
	"strings"
	"syscall"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// TestFactsFull lets the journal come to the end of the disk: the client is told so, and once
// there is room the same change is made.
func TestFactsFull(t *testing.T) {
	s, hs := start(t, factsConfig(t))
	const change = `{"add": [["Brazil", "borders", "Kenya"]]}`
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	full := limit
	full.Cur = 100
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full))
	status, text, _ := callWith(t, hs, "POST", "/v1/facts", change, withToken("secret"))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	if status != 507 || !strings.Contains(text, `"disk_full"`) || strings.Contains(text, s.File) {
		t.Errorf("status %d: %s", status, text)
	}
	if status, text, _ := callWith(t, hs, "POST", "/v1/facts", change, withToken("secret")); status != 200 || !strings.Contains(text, `"added":1`) {
		t.Errorf("with room: status %d: %s", status, text)
	}
}
