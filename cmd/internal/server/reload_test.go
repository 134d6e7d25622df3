package server

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	goruntime "runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/transport"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// bundles returns the files of two models that differ in name.
func bundles(t *testing.T) (first, second []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.efoc")
	write := func(name string) []byte {
		m, err := openWorld(t.Context())
		require.NoError(t, err)
		defer m.Close()
		m.Bundle().Manifest.Name = name
		require.NoError(t, model.Save(t.Context(), path, m.Bundle(), nil))
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		return data
	}
	return write("first"), write("second")
}

// overwrite writes into a file as cp does: it is truncated, and comes piece by piece.
func overwrite(t *testing.T, path string, data []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	require.NoError(t, err)
	for len(data) > 0 {
		n := min(len(data), 256<<10)
		if _, err := f.Write(data[:n]); err != nil {
			t.Fatal(err)
		}
		data = data[n:]
		time.Sleep(time.Millisecond)
	}
	require.NoError(t, f.Close())
}

// replace puts a file in the place of another.
func replace(t *testing.T, path string, data []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path+".new", data, 0o600))
	require.NoError(t, os.Rename(path+".new", path))
}

// flip returns a copy with a bit in the middle turned over.
func flip(data []byte) []byte {
	damaged := bytes.Clone(data)
	damaged[len(damaged)/2] ^= 4
	return damaged
}

// TestDeploy puts other models in the place of the one that is served, whole and damaged
// ones, by rename and by cp, while clients ask: no request is lost, each is answered by a
// whole model, the new one is used as soon as it is there, and the old ones are gone.
func TestDeploy(t *testing.T) {
	t.Run("plain", func(t *testing.T) { deploy(t, long.Or(4, 1), "", false) })
	t.Run("token", func(t *testing.T) { deploy(t, 1, "secret", false) })
	t.Run("TLS", func(t *testing.T) { deploy(t, 1, "", true) })
	t.Run("token and TLS", func(t *testing.T) { deploy(t, 1, "secret", true) })
}

func deploy(t *testing.T, rounds int, token string, encrypted bool) {
	first, second := bundles(t)
	path := filepath.Join(t.TempDir(), "model.efoc")
	require.NoError(t, os.WriteFile(path, first, 0o600))
	goruntime.GC()
	goroutines, descriptors := goruntime.NumGoroutine(), openFiles()
	log := &safeBuffer{}
	var mu sync.Mutex
	var opened []weak.Pointer[runtime.Model]
	s, err := New(t.Context(), Config{
		Options: host.Options{
			Open: func(context.Context) (*runtime.Model, error) {
				m, err := runtime.Open(path)
				if err == nil {
					mu.Lock()
					defer mu.Unlock()
					opened = append(opened, weak.Make(m))
				}
				return m, err
			},
			File:   path,
			Plans:  plans,
			Log:    slog.New(slog.NewTextHandler(log, nil)),
			Limits: Limits{Deadline: patience},
		},
		Token: token,
	})
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	base, client := "http://"+l.Addr().String(), &http.Client{Transport: &http.Transport{}}
	if encrypted {
		base, client = "https://"+l.Addr().String(), &http.Client{Transport: &http.Transport{}}
		l = withTLS(t, l, client)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l, patience) }()

	// ask returns the name of the model that answered.
	ask := func() string {
		req, err := http.NewRequestWithContext(t.Context(), "GET", base+"/v1/ask?k=2&formula="+url.QueryEscape(spanish), nil)
		if err != nil {
			t.Error(err)
			return ""
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := client.Do(req)
		if err != nil {
			t.Errorf("a request was lost: %v", err)
			return ""
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK || !bytes.Contains(text, []byte(`"Venezuela"`)) {
			t.Errorf("status %d, %v: %s", resp.StatusCode, err, text)
			return ""
		}
		return unmarshal[answersOf](t, string(text)).Model
	}
	var asked atomic.Int64
	var clients sync.WaitGroup
	load, enough := context.WithCancel(ctx)
	for range 4 {
		clients.Go(func() {
			for load.Err() == nil && !t.Failed() {
				if name := ask(); name != "first" && name != "second" {
					t.Errorf("model %q answered", name)
				}
				asked.Add(1)
			}
		})
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		s.Watch(ctx, 5*time.Millisecond)
	}()

	refusals := func() int { return strings.Count(log.String(), "reload refused, the model in use stays") }
	uses := func(name string) func() bool { return func() bool { return ask() == name } }
	defer func() {
		if t.Failed() {
			var lines []string
			for line := range strings.Lines(log.String()) {
				if !strings.Contains(line, "msg=request") {
					lines = append(lines, line)
				}
			}
			t.Logf("end of the log:\n%s", strings.Join(lines[max(0, len(lines)-10):], ""))
		}
	}()
	round := func() {
		for _, put := range []func(*testing.T, string, []byte){replace, overwrite} {
			put(t, path, second)
			until(t, "the new model answers", uses("second"))
			for _, damaged := range [][]byte{second[:len(second)/2], flip(first), nil} {
				before := refusals()
				put(t, path, damaged)
				until(t, "a damaged model is refused", func() bool { return refusals() > before })
				if name := ask(); name != "second" {
					t.Errorf("beside a damaged file model %q answers", name)
				}
			}
			put(t, path, first)
			until(t, "the first model answers", uses("first"))
		}
	}
	round()
	before := resident(t)
	for range rounds - 1 {
		round()
	}
	// Each round takes on four models. Each query of a group is a goroutine, of which the race
	// detector keeps something.
	if grown, most := resident(t)-before, (2*rounds+2)*len(first); grown > most && !require.Racing {
		t.Errorf("memory has grown by %d bytes in %d rounds, want %d at most", grown, rounds-1, most)
	}
	enough()
	clients.Wait()
	client.CloseIdleConnections()
	stop()
	<-watched
	if err := <-served; err != nil {
		t.Error(err)
	}
	s.Close()
	t.Logf("%d requests while %d models were opened and %d refused", asked.Load(), len(opened), refusals())
	until(t, "goroutines end", func() bool { return goruntime.NumGoroutine() <= goroutines })
	until(t, "descriptors are closed", func() bool { return openFiles() <= descriptors })
	until(t, "old models are gone", func() bool {
		goruntime.GC()
		for _, m := range opened[:len(opened)-1] {
			if m.Value() != nil {
				return false
			}
		}
		return true
	})
}

// resident returns the memory of this process, 0 where the system does not tell.
func resident(t *testing.T) int {
	t.Helper()
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	require.NoError(t, err)
	return pages * os.Getpagesize()
}

// withTLS has a listener speak TLS, with a certificate that the client trusts.
func withTLS(t *testing.T, l net.Listener, client *http.Client) net.Listener {
	t.Helper()
	ready := httptest.NewTLSServer(nil)
	defer ready.Close()
	pair := ready.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	require.NoError(t, err)
	dir := t.TempDir()
	file := func(name, kind string, data []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600))
		return path
	}
	roots := x509.NewCertPool()
	roots.AddCert(ready.Certificate())
	client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	l, err = transport.TLS(l, file("cert.pem", "CERTIFICATE", pair.Certificate[0]), file("key.pem", "PRIVATE KEY", key))
	require.NoError(t, err)
	return l
}
