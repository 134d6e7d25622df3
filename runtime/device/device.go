package device

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/runtime/internal/pool"
)

// errClosed says that the device is closed.
var errClosed = errors.New("the device is closed")

// ErrLost says that a device has failed permanently, for example because a kernel read invalid memory: all later
// calls of its driver fail.
var ErrLost = errors.New("the device has failed and answers no more in this process: start the program anew")

// Open opens a device by calling open.
func Open(open func() (cuda.Driver, error), t Tuning) (*Device, error) {
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	driver, err := open()
	if err != nil {
		return nil, fmt.Errorf("open the device: %w", err)
	}
	return &Device{driver: driver, tuning: t.withDefaults(), turn: make(chan struct{}, 1), recordings: map[*recording]bool{}, tables: map[string]cuda.Module{}}, nil
}

// Name returns the name of the device.
func (d *Device) Name() string {
	name := ""
	if d.do(context.Background(), func() error { name = d.driver.Name(); return nil }) != nil {
		return "closed device"
	}
	return name
}

// Lost returns ErrLost if the device has failed permanently.
func (d *Device) Lost() error {
	if d.lost.Load() {
		return ErrLost
	}
	return nil
}

// do waits for its turn, or for the end of ctx, and runs a call on this thread. It converts a panic of the call to an
// error. After an error it checks whether the device is lost.
func (d *Device) do(ctx context.Context, call func() error) (err error) {
	select {
	case d.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-d.turn }()
	if d.closed {
		return errClosed
	}
	if err := d.Lost(); err != nil {
		return err
	}
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	defer pool.Catch(&err)
	err = d.driver.Enter()
	if err == nil {
		err = call()
	}
	if err == nil {
		return nil
	}
	if _, failed := d.driver.Memory(); failed != nil {
		d.lost.Store(true)
		err = fmt.Errorf("%w: %w", ErrLost, err)
	}
	return err
}

// Close closes the device and frees everything on it. Close its models first.
func (d *Device) Close() error {
	d.turn <- struct{}{}
	defer func() { <-d.turn }()
	if d.closed {
		return nil
	}
	d.closed = true
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	errs := []error{d.driver.Enter()}
	for _, m := range d.tables {
		errs = append(errs, m.Unload())
	}
	return errors.Join(append(errs, d.driver.Close())...)
}
