package host

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// TestFollowAgain follows a journal again as long as that fails, and reports each failure once.
func TestFollowAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	var f followedJournal
	calls := 0
	fails := func(with error) error {
		return f.follow(look(path), func() error { calls++; return with })
	}
	broken := errors.New("too many open files")
	other := errors.New("input/output error")
	require.NoError(t, fails(broken)) // there is no journal
	require.NoError(t, os.WriteFile(path, []byte("1"), 0o600))
	for i, c := range []struct {
		with, want error
		calls      int
	}{{broken, broken, 1}, {broken, nil, 2}, {other, other, 3}, {nil, nil, 4}, {broken, nil, 4}} {
		if got := fails(c.with); got != c.want || calls != c.calls {
			t.Errorf("attempt %d: error %v after %d calls, want %v and %d", i, got, calls, c.want, c.calls)
		}
	}
	require.NoError(t, os.WriteFile(path, []byte("12"), 0o600))
	if err := fails(broken); err != broken {
		t.Errorf("a new state: error %v", err)
	}
}
