package server

import "github.com/efoc/efoc/cmd/internal/server/host"

// gauges adds the figures computed on request.
func (s *Server) gauges() {
	m := s.Metrics
	m.Gauge("efoc_queries_in_flight", "Requests that are worked on or wait.", func() float64 { return float64(s.transport.Load().InFlight) })
	m.Gauge("efoc_queries_in_flight_limit", "Requests in flight beyond which requests are refused.", func() float64 { return float64(s.Limits.InFlight) })
	m.Gauge("efoc_requests_incoming", "Requests whose body has not come yet.", func() float64 { return float64(s.transport.Load().Incoming) })
	m.Gauge("efoc_responses_outgoing", "Responses that are being sent.", func() float64 { return float64(s.transport.Load().Outgoing) })
	m.Gauge("efoc_queries_running", "Queries that run, and what else takes as much work.", func() float64 { running, _ := s.host.State(); return float64(running) })
	m.Gauge("efoc_shapes_cached", "Compiled shapes that are kept.", func() float64 { return float64(s.host.Cache.Len()) })
	m.Gauge("efoc_rows_bytes", "Cached rows of truth degrees and sweeps of the entity table.", s.ofModel(func(h *host.Model) float64 { return float64(h.Now().DegreeCache().Kept()) }))
	m.Gauge("efoc_rows_bytes_limit", "Bound on cached rows and sweeps.", func() float64 { return float64(s.Limits.Rows) })
	m.Gauge("efoc_facts", "Facts of the model in use.", s.ofModel(func(h *host.Model) float64 { return float64(h.Now().Bundle().Graph.NumTriples()) }))
	m.Gauge("efoc_readouts_decided", "Answers of the model in use that took no sweep of the entity table for their readout.",
		s.ofModel(func(h *host.Model) float64 { decided, _ := h.Now().Readouts().Counts(); return float64(decided) }))
	m.Gauge("efoc_readouts_swept", "Answers of the model in use that took a sweep for it.",
		s.ofModel(func(h *host.Model) float64 { _, passed := h.Now().Readouts().Counts(); return float64(passed) }))
	m.Gauge("efoc_model_loaded_timestamp_seconds", "When the model in use was opened.",
		s.ofModel(func(h *host.Model) float64 { return float64(h.Since.UnixMilli()) / 1000 }))
}

// ofModel returns a figure of the model in use, 0 without one.
func (s *Server) ofModel(value func(h *host.Model) float64) func() float64 {
	return func() (x float64) {
		s.host.With(func(h *host.Model) error {
			x = value(h)
			return nil
		})
		return x
	}
}
