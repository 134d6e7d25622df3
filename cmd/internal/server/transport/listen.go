package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"syscall"

	"github.com/efoc/efoc/runtime/regularfile"
)

// Listen listens on an address. Serve can end without losing a connection on it: see refuseNew.
func Listen(ctx context.Context, network, address string) (net.Listener, error) {
	var c net.ListenConfig
	c.SetMultipathTCP(false) // its sockets take no filter
	return c.Listen(ctx, network, address)
}

// maxPEM bounds the bytes of a certificate with its chain, and of a key.
const maxPEM = 1 << 20

// TLS returns a TLS listener with the certificate and key in two PEM files.
func TLS(l net.Listener, certificate, key string) (net.Listener, error) {
	chain, err := regularfile.Read(certificate, maxPEM)
	if err != nil {
		return nil, err
	}
	secret, err := regularfile.Read(key, maxPEM)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(chain, secret)
	if err != nil {
		return nil, fmt.Errorf("certificate %s with key %s: %w", certificate, key, err)
	}
	encrypted := tls.NewListener(l, &tls.Config{
		Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
	})
	return tlsListener{encrypted, l}, nil
}

// tlsListener exposes the socket, unlike the listener of package tls.
type tlsListener struct {
	net.Listener
	plain net.Listener
}

// Addr returns the address of the socket.
func (l tlsListener) Addr() net.Addr { return l.plain.Addr() }

// SyscallConn returns the socket.
func (l tlsListener) SyscallConn() (syscall.RawConn, error) {
	socket, ok := l.plain.(syscall.Conn)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return socket.SyscallConn()
}
