package transport

import (
	"net/http"
	"strings"
)

// traceID returns the id of the trace that a request belongs to by its header traceparent, empty without one.
func traceID(r *http.Request) string {
	_, rest, _ := strings.Cut(r.Header.Get("Traceparent"), "-") // version-trace-parent-flags
	id, _, _ := strings.Cut(rest, "-")
	if len(id) != 32 || strings.Trim(id, "0123456789abcdef") != "" {
		return ""
	}
	return id
}
