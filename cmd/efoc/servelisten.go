package main

import (
	"context"
	"net"
	"strings"

	"github.com/efoc/efoc/cmd/internal/server/transport"
)

// listeners are the open sockets of a server.
type listeners struct {
	main     net.Listener
	profiles net.Listener // nil without profiles
	scheme   string
	hosts    []string // the host names in clients' requests
}

// listenFlags are the addresses to listen on.
type listenFlags struct {
	Listen  string   `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Address to listen on (${default}), or unix:PATH for a socket; port 0 selects a free one. Addresses other than loopback need a token, unless you write unsafe:HOST:PORT."`
	Host    []string `group:"access" placeholder:"NAME" help:"Host name of the server; may be repeated. On a loopback address without a token, and whenever this is given, requests for hosts other than this name, localhost and loopback addresses are refused, to prevent DNS rebinding."`
	TLSCert string   `name:"tls-cert" and:"tls" group:"access" placeholder:"FILE.pem" in:"" help:"Certificate for HTTPS, with its intermediate certificates."`
	TLSKey  string   `name:"tls-key" and:"tls" group:"access" placeholder:"FILE.pem" in:"" help:"Key of the certificate."`
	Pprof   string   `group:"log" placeholder:"HOST:PORT" help:"Loopback address, or unix:PATH, for Go's profiles (/debug/pprof/); unsafe:HOST:PORT takes any address. Profiles need no token and can slow the server down."`
}

// listen listens on the addresses of the flags. If open, clients need no token.
func (c *listenFlags) listen(ctx context.Context, open bool) (l *listeners, err error) {
	l = &listeners{scheme: "http", hosts: c.Host}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	l.main, err = listen(ctx, "--listen", c.Listen, open)
	if err != nil {
		return l, err
	}
	if c.Pprof != "" {
		l.profiles, err = listen(ctx, "--pprof", c.Pprof, true)
		if err != nil {
			return l, err
		}
	}
	address, remote := l.main.Addr().(*net.TCPAddr)
	if remote && address.IP.IsLoopback() && open {
		l.hosts = append(l.hosts, "localhost")
	}
	if c.TLSCert == "" {
		return l, nil
	}

	l.scheme = "https"
	secure, err := transport.TLS(l.main, c.TLSCert, c.TLSKey)
	if err == nil {
		l.main = secure
	}
	return l, err
}

// url returns the address of the web page.
func (l *listeners) url() string { return l.scheme + "://" + l.main.Addr().String() + "/" }

// close stops listening. The server may already have done so.
func (l *listeners) close() {
	for _, one := range []net.Listener{l.main, l.profiles} {
		if one != nil {
			one.Close()
		}
	}
}

// listen listens on the address of a flag, or on the socket of a path after "unix:". If it is open, which needs no token,
// only this machine may reach it, unless the address begins with "unsafe:".
func listen(ctx context.Context, flag, address string, open bool) (net.Listener, error) {
	address, unsafe := strings.CutPrefix(address, "unsafe:")
	network := "tcp"
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		network = "unix"
		address = path
	}
	l, err := transport.Listen(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if at, remote := l.Addr().(*net.TCPAddr); remote && !at.IP.IsLoopback() && open && !unsafe {
		l.Close()
		token := ""
		if flag == "--listen" {
			token = "set a token (--token-file), "
		}
		return nil, usagef("%s %s: others could reach this address: %suse a loopback one, such as 127.0.0.1:8080, or unsafe:%[2]s", flag, address, token)
	}
	return l, nil
}
