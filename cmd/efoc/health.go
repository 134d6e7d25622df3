package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"time"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/runtime/regularfile"
)

// healthCmd asks a server whether it is ready, for container images without other programs.
type healthCmd struct {
	URL string `arg:"" optional:"" default:"http://127.0.0.1:8080/readyz" help:"Address to ask (${default})."`
	CA  string `name:"ca" placeholder:"FILE.pem" in:"" predictor:"file" help:"Certificates to trust in place of the system's, for HTTPS: an authority's, or the server's own."`
}

// maxCertificates bounds the bytes of --ca, which may contain all authorities of a system.
const maxCertificates = 16 << 20

// healthTimeout is the time limit for the answer.
const healthTimeout = 3 * time.Second

func (c *healthCmd) Run(a *app) error {
	req, err := http.NewRequestWithContext(a.ctx, http.MethodGet, c.URL, nil)
	if err != nil {
		return cli.UsageError{Err: err}
	}
	client := http.Client{Timeout: healthTimeout}
	if c.CA != "" {
		text, err := regularfile.Read(c.CA, maxCertificates)
		if err != nil {
			return err
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(text) {
			return fmt.Errorf("--ca %s: the file has no certificate in PEM", c.CA)
		}
		client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers with status %d", c.URL, resp.StatusCode)
	}
	return nil
}
