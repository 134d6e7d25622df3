package device

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"sync/atomic"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/runtime/internal/pool"
)

// Tuning configures kernel launches. The zero Tuning suits a GPU.
type Tuning struct {
	// MapThreads is the number of threads of a block that computes entity by entity, at most 256; TopThreads is that
	// of a block that ranks, a power of two. 0 means 256 and 1024.
	MapThreads, TopThreads int
	// Blocks is the number of blocks of a sweep per multiprocessor; 0 means as many as it holds at once. Splits is
	// the number of parts of a batch's sums; 0 means enough for all multiprocessors.
	Blocks, Splits int
	// Together bounds the blocks in the y direction of a grid of truth degrees, for all queries of a batch; each
	// processes several branches, candidates or rows in turn. 0 means 1024.
	Together int
}

func (t Tuning) withDefaults() Tuning {
	t.MapThreads = cmp.Or(t.MapThreads, 256)
	t.TopThreads = cmp.Or(t.TopThreads, 1024)
	t.Together = cmp.Or(t.Together, 1024)
	return t
}

// Device is an open device. It is safe for concurrent use: calls of the driver run one at a time, each on its
// caller's thread.
type Device struct {
	driver cuda.Driver
	tuning Tuning
	turn   chan struct{} // a semaphore of one
	lost   atomic.Bool   // see ErrLost

	// The fields below are for the call that holds turn.

	closed bool
	// recordings has the recordings of all models; clock timestamps their use.
	recordings map[*recording]bool
	clock      int64
	tables     map[string]cuda.Module // shared by all models, by the type of their rows
	apart      bool                   // launch each step of a plan alone
}

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
