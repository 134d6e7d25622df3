package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/server/limits"
)

// serveLimits are the limits set by --max.
type serveLimits struct{ limits.Limits }

// limitFlags bound the resources for clients.
type limitFlags struct {
	Deadline time.Duration  `group:"limits" default:"10s" placeholder:"TIME" help:"Time for a request (default: ${default})."`
	Max      cli.OptionList `group:"limits" sep:"none" options:"limits" placeholder:"NAME=N" help:"Another limit, such as k=100; may be repeated."`
}

// limits returns the limits of the flags, with rowsMB megabytes for rows of truth degrees.
func (c *limitFlags) limits(rowsMB int) (limits.Limits, error) {
	l := serveLimits{limits.Limits{Rows: int64(rowsMB) << 20, Deadline: c.Deadline}}
	if err := c.Max.Set("--max", l.options()); err != nil {
		return l.Limits, err
	}
	if _, err := l.WithDefaults(); err != nil {
		return l.Limits, cli.UsageError{Err: err}
	}
	return l.Limits, nil
}

func (l *serveLimits) options() []cli.Option {
	d := limits.Default()
	return []cli.Option{
		limit("body", "bytes of a request", d.Body, &l.Body),
		limit("formula", "bytes of a formula", d.Formula, &l.Formula),
		limit("messages", "messages that the layers of a query could send", d.Messages, &l.Messages),
		limit("k", "answers to a query", d.K, &l.K),
		limit("batch", "queries of a batch request", d.Batch, &l.Batch),
		limit("in-flight", "requests in progress or waiting; more are refused with status 429", d.InFlight, &l.InFlight),
		limit("facts", "facts of a request that changes them", d.Facts, &l.Facts),
		limit("long", "queries that take more than 250 ms of a processor and run at a time; by default two for each processor", 0, &l.Long),
		limit("memory", "bytes of the workspaces of all running queries, and as many of their truth degrees", d.Memory, &l.Memory),
		limit("shapes", "compiled shapes that are kept", d.Shapes, &l.Shapes),
	}
}

// limit returns the option for a limit. Its help shows a nonzero default.
func limit[T int | int64](name, help string, usual T, to *T) cli.Option {
	if usual != 0 {
		help += fmt.Sprintf(" (default: %d)", usual)
	}
	return cli.Option{Name: name, Help: help, Set: func(text string) error {
		n, err := strconv.ParseInt(text, 10, 64)
		*to = T(n)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a number from 1 on", text)
		}
		return nil
	}}
}
