package server

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"time"
)

// Watch looks at a file every so often and reloads the model when the file has changed
// since it was opened, and not any more since the last look: a file that is being written
// is left alone until it is complete. A file that cannot be opened as a model is tried
// again when it has changed once more. It returns when ctx is done.
func (s *Server) Watch(ctx context.Context, path string, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	opened, _ := os.Stat(path)
	last := opened
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, err := os.Stat(path)
		if err != nil {
			continue // between two files there may be none
		}
		settled := same(last, now)
		if last = now; settled && !same(opened, now) {
			opened = now
			s.Reload(ctx) // logs what came of it
		}
	}
}

// same reports whether a file was not changed.
func same(a, b os.FileInfo) bool {
	return a != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// TLS returns a listener that speaks TLS with the certificate and key in two PEM
// files.
func TLS(l net.Listener, certificate, key string) (net.Listener, error) {
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("certificate %s with key %s: %w", certificate, key, err)
	}
	return tls.NewListener(l, &tls.Config{
		Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
	}), nil
}
