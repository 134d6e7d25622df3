package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/transport"
	"github.com/efoc/efoc/testdata/require"
)

// TestServeEnd has servers end while clients open a connection for each request: every request that has
// a connection is answered.
func TestServeEnd(t *testing.T) {
	for range 2 {
		s, err := New(t.Context(), Config{Options: host.Options{Open: openWorld}})
		require.NoError(t, err)
		l, err := transport.Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		ctx, end := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- s.Serve(ctx, l, patience) }()
		var clients sync.WaitGroup
		var answered, lost atomic.Int64
		for range 64 {
			clients.Go(func() {
				client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: (&net.Dialer{Timeout: patience}).DialContext}}
				for {
					resp, err := client.Get("http://" + l.Addr().String() + "/healthz")
					if dial := (*net.OpError)(nil); errors.As(err, &dial) && dial.Op == "dial" {
						return
					}
					if err != nil {
						t.Log(err)
						lost.Add(1)
						return
					}
					resp.Body.Close()
					answered.Add(1)
				}
			})
		}
		until(t, "requests are answered", func() bool { return answered.Load() > 500 })
		end()
		require.NoError(t, <-served)
		clients.Wait()
		s.Close()
		if n := lost.Load(); n > 0 {
			t.Errorf("%d requests of %d were lost", n, n+answered.Load())
		}
	}
}
