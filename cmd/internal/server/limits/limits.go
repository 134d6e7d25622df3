// Package limits bounds what a server spends on requests.
package limits

import (
	"fmt"
	"reflect"
	"runtime"
	"time"

	"github.com/efoc/efoc/lang/limits"
	"github.com/efoc/efoc/runtime/fit"
)

// Limits bound the work of a server. Zero fields mean the default.
type Limits struct {
	Body    int64 // bytes of a request
	Formula int   // bytes of a formula or template
	// Messages bounds the messages of a query's layers, over all disjuncts. The cost of compiling and answering grows
	// with them.
	Messages int
	K        int // answers, and members of a fuzzy set
	Batch    int // queries of a batch request
	InFlight int // requests in progress or waiting; others are refused with status 429
	Long     int // concurrent long queries; others wait or are refused with status 429
	// LongAfter is the processor time after which a query counts as long.
	LongAfter time.Duration
	// Memory bounds, in bytes, the workspaces of all running queries, and separately the memory of truth degrees
	// without cached rows.
	Memory int64
	Rows   int64 // bytes of cached rows of truth degrees and sweeps
	Shapes int   // compiled shapes to keep
	// ToolBytes bounds the text of a tool's result for an assistant, about four bytes per token.
	ToolBytes int
	Facts     int           // of a request that changes them
	Deadline  time.Duration // for a request
}

// Default suits a dedicated machine.
func Default() Limits {
	return Limits{
		Body: 1 << 20, Formula: 8 << 10, Messages: 1000, K: 1000, Batch: 128, InFlight: 256,
		Long: 2 * runtime.GOMAXPROCS(0), LongAfter: 250 * time.Millisecond, Memory: 1 << 30, Rows: fit.DefaultBudget, Shapes: 256, Deadline: 10 * time.Second,
		ToolBytes: 8 << 10, Facts: 10_000,
	}
}

// Work is the part of the deadline for finding the answer. The rest is for the response.
func (l *Limits) Work() time.Duration { return l.Deadline - l.Deadline/10 }

// WithDefaults replaces zero fields by defaults and reports inconsistent limits.
func (l Limits) WithDefaults() (Limits, error) {
	fields := reflect.ValueOf(&l).Elem()
	defaults := reflect.ValueOf(Default())
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
