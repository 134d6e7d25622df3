package server

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	goruntime "runtime"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/limits"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// Config configures a Server, with its limits.
type Config struct {
	// Open opens the model, at the start and at each reload.
	Open func(context.Context) (*runtime.Model, error)
	// File is the file that Open reads, for Watch; empty if there is none.
	File string
	// Plans are the generated plans to use.
	Plans []*plan.Plan
	// Device, if not nil, answers questions whose shapes have kernels by Kernels; the processor
	// answers the others. It holds a copy of the model and its facts, which clients cannot
	// change then. The caller closes it after the Server.
	Device *device.Device
	// Kernels makes the kernels of a shape for Device, or returns compiler.ErrNoKernels.
	Kernels func(*stages.Compiled) (*device.Kernels, error)
	// Log receives requests and reloads; nil means none.
	Log *slog.Logger
	// Version is shown to clients.
	Version string
	// Token, if not empty, is the bearer token that clients must send. The admin endpoints
	// exist only with a token.
	Token string
	// FactsToken, if not empty, is the token that clients must send to change facts, which go
	// into the journal beside File. No other process can write there while the server runs.
	FactsToken string
	// ToolsWrite gives the client of ServeMCP a tool that changes facts; over HTTP there is
	// none.
	ToolsWrite bool
	// Semantics answers requests that choose none; nil means the default of the model.
	Semantics *model.Semantics
	// Templates, if not nil, are offered as forms.
	Templates *lang.File
	// Hosts, if there are any, are the host names that requests may use, in addition to those
	// of this machine, localhost and loopback addresses. None means any.
	Hosts []string
	// Tracer makes the spans of requests; nil means none.
	Tracer trace.Tracer
	// TraceQueries puts the text of queries into spans.
	TraceQueries bool
	// Limits bound the cost and the number of requests.
	Limits Limits
}

// changesFacts reports whether somebody can change facts.
func (c *Config) changesFacts() bool { return c.FactsToken != "" || c.ToolsWrite }

// Limits bound the work of a Server. Fields that are 0 take the default.
type Limits struct {
	Body    int64 // bytes of a request
	Formula int   // bytes of a formula or template
	// Messages bounds the messages that the layers of a query could send, over all disjuncts.
	// The cost of compiling and answering grows with them.
	Messages int
	K        int // answers, and members of a fuzzy set
	Batch    int // queries of a batch request
	InFlight int // requests that are worked on or wait; more are refused with status 429
	Long     int // queries that take long and run at a time; others wait or are refused with status 429
	// Memory bounds the workspaces of all running queries, in bytes, and separately the memory of
	// truth degrees apart from cached rows.
	Memory int64
	Rows   int64 // bytes of cached rows of truth degrees and sweeps
	Shapes int   // compiled shapes that are kept
	// ToolBytes bounds the text that a tool gives an assistant, about four bytes per token.
	ToolBytes int
	Facts     int           // of a request that changes them
	Deadline  time.Duration // for a request
}

// DefaultLimits suit a machine that does little else.
func DefaultLimits() Limits {
	return Limits{
		Body: 1 << 20, Formula: 8 << 10, Messages: 1000, K: 1000, Batch: 128, InFlight: 256,
		Long: 2 * goruntime.GOMAXPROCS(0), Memory: 1 << 30, Rows: fit.DefaultBudget, Shapes: 256, Deadline: 10 * time.Second,
		ToolBytes: 8 << 10, Facts: 10_000,
	}
}

// work is the part of the deadline for finding what a request asks for. The rest is for the response.
func (l *Limits) work() time.Duration { return l.Deadline - l.Deadline/10 }

// Check reports invalid limits.
func (l Limits) Check() error {
	_, err := l.withDefaults()
	return err
}

// withDefaults fills in the defaults and reports limits that do not fit
// together.
func (l Limits) withDefaults() (Limits, error) {
	fields := reflect.ValueOf(&l).Elem()
	defaults := reflect.ValueOf(DefaultLimits())
	for field, value := range fields.Fields() {
		if value.IsZero() {
			value.Set(defaults.FieldByIndex(field.Index))
		}
		if value.Int() < 0 {
			return l, fmt.Errorf("limit %s of the server is %v, want more than 0", field.Name, value)
		}
	}
	switch {
	case l.Formula > limits.FormulaBytes:
		return l, fmt.Errorf("limit of formula bytes is %d, want at most %d", l.Formula, limits.FormulaBytes)
	case l.Batch > l.InFlight:
		return l, fmt.Errorf("limit of a batch is %d, more than the %d queries in flight", l.Batch, l.InFlight)
	}
	return l, nil
}
