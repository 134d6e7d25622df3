package api

import (
	"io"
	"net/http"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/transport"
)

// Ready says whether requests should be sent here.
func (s *Service) Ready(w http.ResponseWriter, _ *http.Request) error {
	if s.transport.Draining() {
		return host.ErrNotReady
	}
	if err := s.host.Ready(); err != nil {
		return err
	}
	return transport.Respond(w, http.StatusOK, map[string]string{"status": "ready"})
}

// Healthy says that the process lives, unless it waits for a shard: then it ends if that does not
// come.
func (s *Service) Healthy(w http.ResponseWriter, _ *http.Request) error {
	err := s.host.Lost()
	if err == nil {
		io.WriteString(w, "ok\n")
	}
	return err
}
