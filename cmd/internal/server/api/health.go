package api

import (
	"io"
	"net/http"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/transport"
)

// Ready reports whether to send requests here.
func (s *Service) Ready(w http.ResponseWriter, _ *http.Request) error {
	if s.transport.Draining() {
		return host.ErrNotReady
	}
	if err := s.host.Ready(); err != nil {
		return err
	}
	return transport.Respond(w, http.StatusOK, map[string]string{"status": "ready"})
}

// Healthy reports that the process is alive. It fails if the device or a shard is lost: only a new process has it again.
func (s *Service) Healthy(w http.ResponseWriter, _ *http.Request) error {
	err := s.host.Ready()
	if err == nil {
		io.WriteString(w, "ok\n")
	}
	return err
}
