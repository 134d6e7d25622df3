package transport

import (
	"net/http/httptest"
	"testing"
)

// TestTraceID reads a client's trace, and nothing that is no id of one.
func TestTraceID(t *testing.T) {
	const id = "0af7651916cd43dd8448eb211c80319c"
	for header, want := range map[string]string{
		"": "", "00-" + id + "-b7ad6b7169203331-01": id, "00-" + id[1:] + "-b7ad6b7169203331-01": "", "00-0AF" + id[3:] + "-b7ad6b7169203331-01": "",
		"00-" + id[1:] + "\n-b7ad6b7169203331-01": "", id: "",
	} {
		r := httptest.NewRequest("GET", "/v1/ask", nil)
		r.Header.Set("Traceparent", header)
		if got := traceID(r); got != want {
			t.Errorf("%q is of trace %q, want %q", header, got, want)
		}
	}
}
