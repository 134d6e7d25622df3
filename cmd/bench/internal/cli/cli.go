// Package cli holds what the developers' commands share: how they start, report errors and
// exit, and the types of their flags. It knows none of the commands.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// The exit statuses.
const (
	StatusOK          = 0
	StatusFailure     = 1
	StatusUsage       = 2
	StatusInterrupted = 130
)

// Output is where a command prints its result, and where it reports progress.
type Output struct {
	Stdout, Stderr io.Writer
}

// Progress reports a line of progress.
func (o *Output) Progress(format string, args ...any) { fmt.Fprintf(o.Stderr, format+"\n", args...) }

// Main runs a program with the process's arguments and exits; see Run. An interrupt ends
// the context, a second one the process.
func Main(name, description string, commands any) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	status := Run(ctx, name, description, commands, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// Run parses the command line and runs the command that it selects; it returns the exit
// status. commands is a struct tagged for package kong whose commands have a method
// Run(context.Context, *Output) error. A mistake in the options is an error of their
// method Validate.
func Run(ctx context.Context, name, description string, commands any, args []string, stdout, stderr io.Writer) int {
	exited := false // after printing help
	parser, err := kong.New(commands, kong.Name(name), kong.Description(description), kong.Writers(stdout, stderr),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(&Output{stdout, stderr}),
		kong.Exit(func(int) { exited = true }))
	if err != nil {
		panic(err) // the tags are wrong
	}
	command, err := parser.Parse(args)
	status := StatusUsage
	switch {
	case exited:
		return StatusOK
	case err == nil:
		err = command.Run()
		status = StatusFailure
	}
	switch {
	case err == nil:
		return StatusOK
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		fmt.Fprintf(stderr, "%s: interrupted\n", name)
		return StatusInterrupted
	}
	fmt.Fprintf(stderr, "%s: %v\n", name, err)
	return status
}

// Count is a number that a flag wants to be 1 or more.
type Count int

// Validate reports a number below 1.
func (c Count) Validate() error {
	if c < 1 {
		return fmt.Errorf("want 1 or more, not %d", c)
	}
	return nil
}
