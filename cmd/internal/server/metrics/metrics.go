// Package metrics counts a server's work, for Prometheus.
package metrics

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/VictoriaMetrics/metrics"
)

// Metrics are a server's counters, for Prometheus.
type Metrics struct {
	Seconds   Histograms
	BatchSize *metrics.PrometheusHistogram
	Answers   Histograms
	Requests  Counters
	Reloads   Counters
	Tools     Counters
	Facts     Counters
	set       *metrics.Set
	help      []string // for strings.NewReplacer: a line that lacks its text, and the whole line
}

// Counters are one for each combination of values of their labels.
type Counters struct {
	set    *metrics.Set
	name   string
	labels []string
}

// With returns the counter with these values of the labels.
func (c Counters) With(values ...string) *metrics.Counter {
	return c.set.GetOrCreateCounter(labelled(c.name, c.labels, values))
}

// Histograms are one for each combination of values of their labels.
type Histograms struct {
	Counters
	bounds []float64
}

// With returns the histogram with these values of the labels.
func (h Histograms) With(values ...string) *metrics.PrometheusHistogram {
	return h.set.GetOrCreatePrometheusHistogramExt(labelled(h.name, h.labels, values), h.bounds)
}

// labelled returns the name of a metric with the values of its labels. It allocates only that, as each request counts.
func labelled(name string, labels, values []string) string {
	var buf [128]byte
	text := append(buf[:0], name...)
	separator := byte('{')
	for i, l := range labels {
		text = append(text, separator)
		text = append(text, l...)
		text = append(text, '=')
		text = strconv.AppendQuote(text, values[i])
		separator = ','
	}
	return string(append(text, '}'))
}

// New returns metrics that are all zero.
func New() *Metrics {
	metrics.ExposeMetadata(true)
	m := &Metrics{set: metrics.NewSet()}
	counters := func(name, help string, labels ...string) Counters {
		m.describe(name, help)
		return Counters{m.set, name, labels}
	}
	seconds := metrics.ExponentialBuckets(0.0005, 2, 16)
	m.Requests = counters("efoc_requests_total", "Requests answered, by route and status.", "route", "status")
	m.Seconds = Histograms{counters("efoc_request_seconds", "Time from the head of a request to the end of its answer.", "route"), seconds}
	m.Answers = Histograms{counters("efoc_query_seconds",
		"Time in which a query was answered once it was compiled, by semantics and group of its shape: P, N or F as in the benchmarks, or other.",
		"semantics", "shape_group"), seconds}
	m.Reloads = counters("efoc_reloads_total", "Reloads of the model, by result.", "result")
	m.Facts = counters("efoc_facts_changed_total", "Facts that clients added or removed.", "change")
	m.Tools = counters("efoc_mcp_calls_total", "Calls of tools by assistants, by tool and result.", "tool", "result")
	m.describe("efoc_batch_queries", "Queries that ran when one began, itself included.")
	m.BatchSize = m.set.NewPrometheusHistogramExt("efoc_batch_queries", metrics.ExponentialBuckets(1, 2, 7))
	return m
}

// describe adds the description of a metric.
func (m *Metrics) describe(name, help string) {
	line := "# HELP " + name
	m.help = append(m.help, line+"\n", line+" "+help+"\n")
}

// Gauge adds a figure computed on request.
func (m *Metrics) Gauge(name, help string, value func() float64) {
	m.describe(name, help)
	m.set.NewGauge(name, value)
}

// Request counts a request; route is empty without a match.
func (m *Metrics) Request(route string, status int, took time.Duration) {
	route = cmp.Or(route, "none")
	m.Requests.With(route, strconv.Itoa(status)).Inc()
	m.Seconds.With(route).Update(took.Seconds())
}

// ServeHTTP sends all metrics, including the metrics of the process and of Go.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var text bytes.Buffer
	m.set.WritePrometheus(&text)
	metrics.WriteProcessMetrics(&text)
	metrics.WriteFDMetrics(&text)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	io.WriteString(w, strings.NewReplacer(m.help...).Replace(text.String()))
}
