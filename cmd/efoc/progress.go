package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/model/train"
)

// bar shows on a terminal how far each stage is.
type bar struct {
	w     io.Writer // nil where there is no terminal
	stage string
	bar   *progressbar.ProgressBar
}

func newBar(w io.Writer) *bar {
	if f, ok := w.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		w = nil
	}
	return &bar{w: w}
}

// show moves the bar; a new stage starts a new one. total is 0 if unknown.
func (b *bar) show(stage string, done, total int64) {
	if b.w == nil {
		return
	}
	if total <= 0 {
		total = -1
	}
	if stage != b.stage {
		b.clear()
		b.stage = stage
		b.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(b.w), progressbar.OptionSetDescription(stage),
			progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetWidth(30),
			// Without this an unfinished bar goes on drawing by itself.
			progressbar.OptionSetSpinnerChangeInterval(0),
			progressbar.OptionShowBytes(stage == importer.StageWrite))
	}
	// What cannot be shown does not matter.
	if total > 0 {
		b.bar.ChangeMax64(total)
	}
	_ = b.bar.Set64(done)
}

// clear takes the bar away.
func (b *bar) clear() {
	if b.bar != nil {
		_ = b.bar.Clear()
		b.bar = nil
	}
}

// trainBar shows how a training goes: on a terminal a bar with loss and time
// left, and everywhere a line for each epoch.
type trainBar struct {
	w     io.Writer
	bar   *bar
	run   *train.Run
	steps int // of an epoch
}

func newTrainBar(w io.Writer, run *train.Run) *trainBar {
	return &trainBar{w: w, bar: newBar(w), run: run}
}

// step moves the bar. It counts the steps of all epochs, as many as the present
// one has.
func (b *trainBar) step() {
	if b.bar.w == nil {
		return
	}
	t, epochs := b.run.Trainer, b.run.Schedule.Epochs
	done, all := t.Steps()
	if all > 0 {
		b.steps = all
	}
	b.bar.show("train", int64(t.Epoch()*b.steps+done), int64(epochs*b.steps))
	if b.bar.bar != nil {
		b.bar.bar.Describe(fmt.Sprintf("epoch %d/%d, loss %.4f", min(t.Epoch()+1, epochs), epochs, t.Loss().Mean()))
	}
}

// epoch prints a line about an epoch.
func (b *trainBar) epoch(p train.Point) {
	text := fmt.Sprintf("epoch %d: loss %.4f", p.Epoch, p.Loss.Mean())
	if p.Loss.Relations > 0 {
		text += fmt.Sprintf(", of relations %.4f", p.Loss.Relations/float64(p.Loss.Examples))
	}
	if m := p.Valid; m != nil {
		text += fmt.Sprintf(", validation MRR %.4f, Hits@10 %.4f", m.MRR, m.Hits10)
	}
	b.line("%s, %s", text, roundTime(p.Seconds))
}

// line prints a line above the bar.
func (b *trainBar) line(format string, args ...any) {
	if b.bar.bar != nil {
		_ = b.bar.bar.Clear()
	}
	fmt.Fprintf(b.w, format+"\n", args...)
}
