package cli

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestBar shows stages on a terminal: rarely, with the time left, and nothing after the last step.
func TestBar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var terminal strings.Builder
		b := &Bar{w: &terminal}
		for done := range int64(1000) {
			b.Show("read", done, 0)
			time.Sleep(time.Millisecond)
		}
		b.Show("train", 0, 40)
		b.Describe("epoch 1/4")
		time.Sleep(10 * time.Second)
		b.Show("train", 10, 40)
		b.Show("train", 40, 40)
		b.Clear()
		lines := strings.Split(terminal.String(), clearLine)
		want := []string{"read 0", "read 100", "read 200", "read 300", "read 400", "read 500", "read 600", "read 700", "read 800", "read 900",
			"train 0%", "epoch 1/4 25%, 30s left", ""}
		if got := strings.Join(lines[1:], "\n"); got != strings.Join(want, "\n") {
			t.Errorf("the terminal shows\n%s\nwant\n%s", got, strings.Join(want, "\n"))
		}
	})
}
