package main

import (
	"context"
	"io"
	"os"

	"github.com/efoc/efoc/cmd/internal/cli"
)

// app holds what a command may touch of the outside world.
type app struct {
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr io.Writer
	bar            *cli.Bar
	status         int  // of a command that did its work but for what it refused
	inWorld        bool // the command took the built-in model
}

// stopSignal is the cause by which the context of a program ends that a signal stops.
type stopSignal struct{ os.Signal }

func (s stopSignal) Error() string { return "stopped by the signal " + s.String() }

// Is makes it an end of the context like any other.
func (stopSignal) Is(target error) bool { return target == context.Canceled }
