package cli

import (
	"fmt"
	"io"
	"os"
	"time"
)

// Bar shows the progress of each stage on a line of a terminal. A nil Bar shows nothing.
type Bar struct {
	w     io.Writer // nil without a terminal
	stage string
	text  string // the stage, or its description
	begun time.Time
	shown time.Time // zero if the line is empty
}

const (
	redrawEvery = 100 * time.Millisecond
	clearLine   = "\r\x1b[K"
)

// NewBar returns a bar that writes to w if that is a terminal.
func NewBar(w io.Writer) *Bar {
	f, ok := w.(*os.File)
	if !ok {
		return &Bar{}
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return &Bar{}
	}
	return &Bar{w: w}
}

// Show moves the bar; a new stage starts a new one. total is 0 if unknown.
func (b *Bar) Show(stage string, done, total int64) {
	if b.Hidden() {
		return
	}
	now := time.Now()
	if stage != b.stage {
		b.stage = stage
		b.text = stage
		b.begun = now
	}
	switch {
	case total > 0 && done >= total:
		b.Clear()
		b.stage = ""
	case now.Sub(b.shown) >= redrawEvery:
		b.shown = now
		fmt.Fprint(b.w, clearLine, b.text, progress(now.Sub(b.begun), done, total))
	}
}

// progress returns how much is done, and the time that the remainder takes at the same pace.
func progress(elapsed time.Duration, done, total int64) string {
	if total <= 0 {
		return fmt.Sprintf(" %d", done)
	}
	share := float64(done) / float64(total)
	text := fmt.Sprintf(" %.0f%%", 100*share)
	if done > 0 && elapsed > time.Second {
		left := time.Duration(float64(elapsed) * (1 - share) / share)
		text += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	return text
}

// Counter returns a function that moves the bar in a stage.
func (b *Bar) Counter(stage string) func(done, total int) {
	return func(done, total int) { b.Show(stage, int64(done), int64(total)) }
}

// Counts shows the progress of a stage.
func (b *Bar) Counts(stage string, done, total int) { b.Show(stage, int64(done), int64(total)) }

// Clear removes the bar until it moves again.
func (b *Bar) Clear() {
	if b != nil && !b.shown.IsZero() {
		fmt.Fprint(b.w, clearLine)
		b.shown = time.Time{}
	}
}

// Describe shows a description instead of the stage.
func (b *Bar) Describe(text string) { b.text = text }

// Hidden reports whether the bar shows nothing.
func (b *Bar) Hidden() bool { return b == nil || b.w == nil }
