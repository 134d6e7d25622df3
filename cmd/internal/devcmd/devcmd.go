// Package devcmd is what the commands for the developers of efoc have in common: how
// they start, say what is wrong, and end. It knows none of them.
package devcmd

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

// Command is a program: the options that its flags fill in, tagged for package kong.
type Command interface {
	// Run does the work and prints to stdout; stderr is told of progress. A mistake in
	// the options is an error of Usagef.
	Run(ctx context.Context, stdout, stderr io.Writer) error
}

// usageError is a mistake in the command line.
type usageError struct{ error }

// Usagef returns the error for a mistake in the command line, as fmt.Errorf does.
func Usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Main runs a command with the process's arguments and exits. An interrupt ends the
// context, a second one the process.
func Main(name, description string, c Command) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	status := Run(ctx, name, description, c, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// Run runs a command; it returns the exit status.
func Run(ctx context.Context, name, description string, c Command, args []string, stdout, stderr io.Writer) int {
	exited, status := false, StatusOK
	parser, err := kong.New(c, kong.Name(name), kong.Description(description), kong.Writers(stdout, stderr),
		kong.Exit(func(code int) {
			exited = true
			if code != 0 {
				status = StatusFailure
			}
		}))
	if err == nil {
		if _, err = parser.Parse(args); err != nil {
			err = usageError{err}
		}
	}
	if exited { // help was printed
		return status
	}
	if err == nil {
		err = c.Run(ctx, stdout, stderr)
	}
	switch {
	case err == nil:
		return StatusOK
	case ctx.Err() != nil:
		fmt.Fprintf(stderr, "%s: interrupted\n", name)
		return StatusInterrupted
	}
	fmt.Fprintf(stderr, "%s: %v\n", name, err)
	if errors.As(err, new(usageError)) {
		return StatusUsage
	}
	return StatusFailure
}
