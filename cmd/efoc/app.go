package main

import (
	"context"
	"io"
	"os"

	"github.com/efoc/efoc/cmd/internal/cli"
)

// app is the outside world of a command.
type app struct {
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr io.Writer
	bar            *cli.Bar
	status         int  // of a command that succeeded except for refused queries
	inWorld        bool // the command used the built-in model
}

// stopSignal is the cause of a context that a signal ended.
type stopSignal struct{ os.Signal }

func (s stopSignal) Error() string { return "stopped by the signal " + s.String() }

// Is makes errors.Is treat it as context.Canceled.
func (stopSignal) Is(target error) bool { return target == context.Canceled }
