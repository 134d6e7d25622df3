// Package metrics counts a server's work, for Prometheus.
package metrics

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are a server's counters, for Prometheus.
type Metrics struct {
	Requests  *prometheus.CounterVec
	Seconds   *prometheus.HistogramVec
	BatchSize prometheus.Histogram
	Answers   *prometheus.HistogramVec
	Reloads   *prometheus.CounterVec
	Tools     *prometheus.CounterVec
	Facts     *prometheus.CounterVec
	Handler   http.Handler // serves all of them
	gauges    promauto.Factory
}

// New returns metrics that are all zero.
func New() *Metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	add := promauto.With(registry)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return add.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	return &Metrics{
		gauges: add, Requests: counter("efoc_requests_total", "Requests answered, by route and status.", "route", "status"),
		Seconds: add.NewHistogramVec(prometheus.HistogramOpts{
			Name: "efoc_request_seconds", Help: "Time from the head of a request to the end of its answer.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16),
		}, []string{"route"}),
		BatchSize: add.NewHistogram(prometheus.HistogramOpts{
			Name: "efoc_batch_queries", Help: "Queries that ran when one began, itself included.", Buckets: prometheus.ExponentialBuckets(1, 2, 7),
		}),
		Answers: add.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "efoc_query_seconds",
			Help:    "Time in which a query was answered once it was compiled, by semantics and group of its shape: P, N or F as in the benchmarks, or other.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16),
		}, []string{"semantics", "shape_group"}),
		Reloads: counter("efoc_reloads_total", "Reloads of the model, by result.", "result"),
		Facts:   counter("efoc_facts_changed_total", "Facts that clients added or removed.", "change"),
		Tools:   counter("efoc_mcp_calls_total", "Calls of tools by assistants, by tool and result.", "tool", "result"),
		Handler: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}),
	}
}

// Gauge adds a figure computed on request.
func (m *Metrics) Gauge(name, help string, value func() float64) {
	m.gauges.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
}

// Request counts a request; route is empty without a match.
func (m *Metrics) Request(route string, status int, took time.Duration) {
	route = cmp.Or(route, "none")
	m.Requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.Seconds.WithLabelValues(route).Observe(took.Seconds())
}
