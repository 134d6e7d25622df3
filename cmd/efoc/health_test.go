package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestHealth asks a server that is ready, one that is not, and none.
func TestHealth(t *testing.T) {
	t.Setenv("EFOC_TOKEN", "")
	s := serve(t, "--model", towns(t))
	efoc(t, "health", s.url+"/readyz").want(t, statusOK, "", "")
	s.stop()
	efoc(t, "health", s.url+"/readyz").want(t, statusFailure, "", "refused")
	busy := httptest.NewServer(http.NotFoundHandler())
	defer busy.Close()
	efoc(t, "health", busy.URL).want(t, statusFailure, "", "answers with status 404")
	efoc(t, "health", "http://a b").want(t, statusUsage, "", "invalid character")
}
