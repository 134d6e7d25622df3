package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/model/names"
)

// The exit statuses; the help text explains them.
const (
	statusOK          = 0
	statusFailure     = 1
	statusUsage       = 2
	statusInterrupted = 130
)

func usagef(format string, args ...any) error { return cli.Usagef(format, args...) }

// errorSet is several errors, shown in sequence.
type errorSet []error

// Error joins the one-line forms.
func (s errorSet) Error() string { return errors.Join(s...).Error() }

// fail shows an error and returns its exit status.
func (a *app) fail(err error) int {
	a.bar.Clear()
	if a.ctx.Err() != nil && errors.Is(err, context.Canceled) {
		a.notef("efoc: interrupted")
		return statusInterrupted
	}
	set, ok := errors.AsType[errorSet](err)
	if !ok {
		set = errorSet{err}
	}
	mistakes, others := inOrder(set)
	fmt.Fprint(a.stderr, mistakes.Render())
	status := statusUsage
	for _, err := range others {
		fmt.Fprint(a.stderr, errorText(err))
		if !isUsage(err) {
			status = statusFailure
		}
	}
	fmt.Fprint(a.stderr, a.worldHint(mistakes, others))
	return status
}

// inOrder separates the mistakes with a position in a query, sorted by file and position, from other errors. It lists
// a mistake that several queries report at one position once.
func inOrder(set errorSet) (mistakes lang.ErrorList, others errorSet) {
	for _, err := range set {
		list, _ := errors.AsType[lang.ErrorList](err)
		if one, ok := errors.AsType[*lang.Error](err); ok && list == nil {
			list = lang.ErrorList{one}
		}
		if len(list) > 0 && list[0].Pos.IsValid() {
			mistakes = append(mistakes, list...)
		} else {
			others = append(others, err)
		}
	}
	slices.SortStableFunc(mistakes, func(a, b *lang.Error) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Offset, b.Pos.Offset))
	})
	mistakes = slices.CompactFunc(mistakes, func(a, b *lang.Error) bool { return a.Pos == b.Pos && a.Msg == b.Msg })
	return mistakes, others
}

// refuse shows why one of several queries cannot be answered. The command continues with the others, and its exit
// status reports the refusal.
func (a *app) refuse(err error) {
	if status := a.fail(err); a.status != statusFailure {
		a.status = status
	}
}

// warn shows the warnings about a query.
func (a *app) warn(warnings []lang.Warning) {
	a.bar.Clear()
	for _, w := range warnings {
		fmt.Fprint(a.stderr, w.Render())
	}
}

// errorText returns the text shown for an error without a position in a query.
func errorText(err error) string {
	text := strings.TrimRight(err.Error(), "\n")
	hint := remedy(err)
	if option, ok := errors.AsType[*runtime.OptionError](err); ok {
		text = flagOf(option) + ": " + option.Why
	}
	if option, ok := errors.AsType[*importer.OptionError](err); ok {
		text = strings.Replace(text, "set "+option.Option, "pass --triples '"+option.Option+"'", 1)
	}
	if one, ok := errors.AsType[*lang.Error](err); ok && one.Hint != "" {
		text = one.Msg
		hint = one.Hint
	}
	if hint != "" {
		text += "; " + hint
	}
	return "efoc: " + text + "\n"
}

// flagOf returns the flag for the option in an error.
func flagOf(e *runtime.OptionError) string {
	switch name := print.Field(e); name {
	case "k":
		return "-k"
	case "entities":
		return "--why-not"
	default:
		return "--" + strings.ReplaceAll(name, "_", "-")
	}
}

// remedy returns the command or flag that fixes an error from a package that knows neither, empty if none does.
func remedy(err error) string {
	switch {
	case errors.Is(err, facts.ErrNoNew):
		return "pass --new if it is new"
	case errors.Is(err, model.ErrNotBundle):
		return "make one with efoc import or efoc train"
	case errors.Is(err, atomicfile.ErrLocked):
		return "wait for it; or if it is efoc serve, send it facts (POST /v1/facts) or have it compact (POST /v1/facts/compact)"
	}
	return ""
}

// isUsage reports whether the user can fix an error by changing the command line or the query.
func isUsage(err error) bool {
	return is[cli.UsageError](err) || is[*runtime.OptionError](err) || is[lang.ErrorList](err) || is[*lang.Error](err) ||
		is[*names.UnknownError](err) || is[*names.AmbiguousError](err)
}

// is reports whether an error is, or wraps, one of type E.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// await runs f and returns its result, or the context's error once the context ends. It is for work that cannot be
// interrupted, such as reading a terminal; f then keeps running.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		if ctx.Err() == nil { // both may be ready: an interrupt wins
			return r.value, r.err
		}
	case <-ctx.Done():
	}
	return *new(T), ctx.Err()
}
