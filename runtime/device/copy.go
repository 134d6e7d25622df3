package device

import (
	"context"
	"errors"
	"time"
)

// CopySeconds returns the least time that a copy of some bytes takes from one place of the
// device's memory to another, in so many turns: what passes over a table are measured by.
func (d *Device) CopySeconds(bytes int64, turns int) (seconds float64, err error) {
	err = d.do(context.Background(), func() error {
		m := memory{driver: d.driver}
		at, err := m.block("a copy", "copy fewer bytes", bytes, bytes)
		if err != nil {
			return err
		}
		errs := []error{d.driver.Write(at[0], make([]byte, bytes))}
		for turn := range turns {
			start := time.Now()
			errs = append(errs, d.driver.Copy(at[1], at[0], bytes))
			if took := time.Since(start).Seconds(); turn == 0 || took < seconds {
				seconds = took
			}
		}
		return errors.Join(append(errs, m.free())...)
	})
	return seconds, err
}
