package transport

import (
	"net/http"
	"net/http/pprof"
	"net/netip"
)

// Profiles serves the profiles of this process, as net/http/pprof does, without a token. Requests
// must name this machine by an address or as localhost, to prevent DNS rebinding.
func Profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := plainHost(r.Host)
		if _, err := netip.ParseAddr(host); err != nil && !isLocal(host) {
			http.Error(w, "ask for profiles by an address or localhost", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
