package main

import (
	"fmt"
	"net/http"
	"time"
)

// healthCmd asks a server whether it is ready, for images that have no other program.
type healthCmd struct {
	URL string `arg:"" optional:"" default:"http://127.0.0.1:8080/readyz" help:"Address to ask (${default})."`
}

// healthTimeout is the time for the answer.
const healthTimeout = 3 * time.Second

func (c *healthCmd) Run(a *app) error {
	req, err := http.NewRequestWithContext(a.ctx, http.MethodGet, c.URL, nil)
	if err != nil {
		return usageError{err}
	}
	resp, err := (&http.Client{Timeout: healthTimeout}).Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers with status %d", c.URL, resp.StatusCode)
	}
	return nil
}
