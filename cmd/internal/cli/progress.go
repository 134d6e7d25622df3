package cli

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/efoc/efoc/runtime/model/importer"
)

// Bar shows the progress of each stage on a terminal. A nil Bar shows nothing.
type Bar struct {
	w     io.Writer // nil without a terminal
	stage string
	bar   *progressbar.ProgressBar
	shown bool
}

// NewBar returns a bar that writes to w if that is a terminal.
func NewBar(w io.Writer) *Bar {
	if f, ok := w.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		w = nil
	}
	return &Bar{w: w}
}

// Show moves the bar; a new stage starts a new one. total is 0 if unknown.
func (b *Bar) Show(stage string, done, total int64) {
	if b.Hidden() {
		return
	}
	if total <= 0 {
		total = -1
	}
	if b.bar == nil || stage != b.stage || b.bar.IsFinished() && done < total {
		b.Clear()
		b.stage = stage
		b.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(b.w), progressbar.OptionSetDescription(stage),
			progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetWidth(30),
			// Otherwise an unfinished bar keeps redrawing itself.
			progressbar.OptionSetSpinnerChangeInterval(0),
			progressbar.OptionShowBytes(stage == importer.StageWrite))
	}
	// Errors of display are irrelevant.
	if total > 0 {
		b.bar.ChangeMax64(total)
	}
	_ = b.bar.Set64(done)
	b.shown = true
}

// Counter returns a function that moves the bar in a stage.
func (b *Bar) Counter(stage string) func(done, total int) {
	return func(done, total int) { b.Show(stage, int64(done), int64(total)) }
}

// Counts shows the progress of a stage.
func (b *Bar) Counts(stage string, done, total int) { b.Show(stage, int64(done), int64(total)) }

// Clear removes the bar until it moves again.
func (b *Bar) Clear() {
	if b != nil && b.shown {
		_ = b.bar.Clear()
		b.shown = false
	}
}

// Describe adds a description to the bar.
func (b *Bar) Describe(text string) { b.bar.Describe(text) }

// Hidden reports whether the bar shows nothing.
func (b *Bar) Hidden() bool { return b == nil || b.w == nil }
