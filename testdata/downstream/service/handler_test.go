package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/testdata/require"
)

func TestHandler(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	h, err := newHandler(m)
	require.NoError(t, err)
	get := func(path, country string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", path+"?country="+url.QueryEscape(country), nil))
		return w
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			w := get("/languages", "France")
			var got struct {
				Variable string
				Answers  []struct{ Label, Status string }
				Sets     []struct{ Variable string }
			}
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK {
				t.Errorf("status %d, %v: %s", w.Code, err, w.Body)
				return
			}
			if got.Variable != "y" || len(got.Answers) != 5 || got.Answers[0].Label != "German" || got.Answers[0].Status != "known" || got.Sets[0].Variable != "x" {
				t.Errorf("got %+v", got)
			}
		})
	}
	wg.Wait()
	if w := get("/neighbours", "Spain"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "Portugal") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	if w := get("/languages", "Frence"); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), `"nearest":["France"`) {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}
