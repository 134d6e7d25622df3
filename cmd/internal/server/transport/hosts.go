package transport

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/efoc/efoc/cmd/internal/server/problem"
)

// plainHost normalises the name or address in a Host header: without the port, in lower case, without the dot of the
// root.
func plainHost(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// isLocal reports whether a plain host is this machine itself.
func isLocal(host string) bool {
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// RequireHost accepts only requests for this host, which prevents DNS rebinding: another site can make its name
// resolve to this machine, so that a browser takes this server for that site and lets its pages read the answers. The
// Host header of such a request has that name.
func (s *Server) RequireHost(next http.Handler) http.Handler {
	if len(s.hosts) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host := plainHost(r.Host); !isLocal(host) && !s.hosts[host] {
			s.Refuse(w, r, problem.New("foreign_host",
				"this server does not answer for the host %s: ask localhost, or start efoc serve with --host and that name", host))
			return
		}
		next.ServeHTTP(w, r)
	})
}
