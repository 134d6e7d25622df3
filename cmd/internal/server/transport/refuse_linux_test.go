package transport

import (
	"net"
	"testing"
	"time"

	"github.com/efoc/efoc/testdata/require"
)

// TestRefuseNew checks that the listener of a server with certificates refuses connections too.
func TestRefuseNew(t *testing.T) {
	l, err := Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	require.NoError(t, refuseNew(tlsListener{nil, l}))
	if conn, err := net.DialTimeout("tcp", l.Addr().String(), 20*time.Millisecond); err == nil {
		conn.Close()
		t.Error("it takes a connection")
	}
}
