package server

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/model"
)

// metrics counts what a server does, for Prometheus.
type metrics struct {
	requests  *prometheus.CounterVec
	seconds   *prometheus.HistogramVec
	batchSize prometheus.Histogram
	answers   *prometheus.HistogramVec
	reloads   *prometheus.CounterVec
	tools     *prometheus.CounterVec
	facts     *prometheus.CounterVec
	handler   http.Handler
}

func newMetrics(s *Server) *metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	add := promauto.With(registry)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return add.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	gauge := func(name, help string, value func() float64) {
		add.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	gauge("efoc_queries_in_flight", "Requests that are worked on or wait.", func() float64 { return float64(s.inFlight.Load()) })
	gauge("efoc_queries_in_flight_limit", "Requests in flight beyond which requests are refused.", func() float64 { return float64(s.Limits.InFlight) })
	gauge("efoc_requests_incoming", "Requests whose body has not come yet.", func() float64 { return float64(s.incoming.len()) })
	gauge("efoc_responses_outgoing", "Responses that are being sent.", func() float64 { return float64(s.outgoing.len()) })
	gauge("efoc_queries_running", "Queries that run, and what else takes as much work.", func() float64 { running, _ := s.scheduler.state(); return float64(running) })
	gauge("efoc_shapes_cached", "Compiled shapes that are kept.", func() float64 { return float64(s.cache.Len()) })
	gauge("efoc_rows_bytes", "Cached rows of truth degrees and sweeps of the entity table.", s.ofModel(func(h *openModel) float64 { return float64(h.model.Now().DegreeCache().Kept()) }))
	gauge("efoc_rows_bytes_limit", "Bound on cached rows and sweeps.", func() float64 { return float64(s.Limits.Rows) })
	gauge("efoc_facts", "Facts of the model in use.", s.ofModel(func(h *openModel) float64 { return float64(h.model.Now().Bundle().Graph.NumTriples()) }))
	gauge("efoc_readouts_decided", "Answers of the model in use that took no sweep of the entity table for their readout.",
		s.ofModel(func(h *openModel) float64 { decided, _ := h.model.Now().Readouts().Counts(); return float64(decided) }))
	gauge("efoc_readouts_swept", "Answers of the model in use that took a sweep for it.",
		s.ofModel(func(h *openModel) float64 { _, passed := h.model.Now().Readouts().Counts(); return float64(passed) }))
	gauge("efoc_model_loaded_timestamp_seconds", "When the model in use was opened.",
		s.ofModel(func(h *openModel) float64 { return float64(h.since.UnixMilli()) / 1000 }))
	return &metrics{
		requests: counter("efoc_requests_total", "Requests answered, by route and status.", "route", "status"),
		seconds: add.NewHistogramVec(prometheus.HistogramOpts{
			Name: "efoc_request_seconds", Help: "Time from the head of a request to the end of its answer.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16),
		}, []string{"route"}),
		batchSize: add.NewHistogram(prometheus.HistogramOpts{
			Name: "efoc_batch_queries", Help: "Queries that ran when one began, itself included.", Buckets: prometheus.ExponentialBuckets(1, 2, 7),
		}),
		answers: add.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "efoc_query_seconds",
			Help:    "Time in which a query was answered once it was compiled, by semantics and group of its shape: P, N or F as in the benchmarks, or other.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16),
		}, []string{"semantics", "shape_group"}),
		reloads: counter("efoc_reloads_total", "Reloads of the model, by result.", "result"),
		facts:   counter("efoc_facts_changed_total", "Facts that clients added or removed.", "change"),
		tools:   counter("efoc_mcp_calls_total", "Calls of tools by assistants, by tool and result.", "tool", "result"),
		handler: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}),
	}
}

// answered counts a query and the time in which it was answered, with its wait for others. One with several
// answer variables has no shape.
func (m *metrics) answered(s model.Semantics, shape string, took time.Duration) {
	group := cmp.Or(benchmark.Group(stages.ShapeName(shape)), "other")
	m.answers.WithLabelValues(s.String(), group).Observe(took.Seconds())
}

// ofModel returns a figure of the model in use, 0 where there is none.
func (s *Server) ofModel(value func(h *openModel) float64) func() float64 {
	return func() float64 {
		h, err := s.acquire()
		if err != nil {
			return 0
		}
		defer h.release()
		return value(h)
	}
}

// request counts a request; route is empty where there is none.
func (m *metrics) request(route string, status int, took time.Duration) {
	route = cmp.Or(route, "none")
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}
