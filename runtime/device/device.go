package device

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"sync"
	"sync/atomic"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/runtime/internal/pool"
)

// Tuning configures how kernels are launched. The zero Tuning is good for a GPU.
type Tuning struct {
	// MapThreads are the threads of a block that computes entity by entity, at most 256,
	// TopThreads those of one that ranks, a power of two; 0 means 256 and 1024.
	MapThreads, TopThreads int
	// Blocks is the number of blocks of a pass for each multiprocessor; 0 means as many as
	// it holds at once. Splits are the parts of a batch's sums; 0 means enough for all
	// multiprocessors.
	Blocks, Splits int
}

func (t Tuning) withDefaults() Tuning {
	t.MapThreads = cmp.Or(t.MapThreads, 256)
	t.TopThreads = cmp.Or(t.TopThreads, 1024)
	return t
}

// Device is an open device. It is safe for concurrent use: one goroutine, locked to its thread,
// makes all calls one after the other.
type Device struct {
	driver cuda.Driver
	tuning Tuning
	calls  chan func()
	done   chan struct{}
	lost   atomic.Bool // see ErrLost

	mu     sync.RWMutex
	closed bool

	// recordings are those of all models, and clock says when each was used last. Both are the
	// device's thread's.
	recordings map[*recording]bool
	clock      int64
}

// ErrClosed says that the device is closed.
var ErrClosed = errors.New("the device is closed")

// ErrLost says that a device has failed for good, for instance because a kernel read invalid
// memory: all later calls of its driver fail.
var ErrLost = errors.New("the device has failed and answers no more in this process: start the program anew")

// Open opens a device. It calls open on the thread that makes all later calls.
func Open(open func() (cuda.Driver, error), t Tuning) (*Device, error) {
	d := &Device{tuning: t.withDefaults(), calls: make(chan func()), done: make(chan struct{}), recordings: map[*recording]bool{}}
	opened := make(chan error)
	go func() {
		goruntime.LockOSThread() // never unlocked: the thread ends with the goroutine
		defer close(d.done)
		var err error
		d.driver, err = open()
		opened <- err
		if err != nil {
			return
		}
		for call := range d.calls {
			call()
		}
	}()
	if err := <-opened; err != nil {
		return nil, fmt.Errorf("open the device: %w", err)
	}
	return d, nil
}

// Name returns the name of the device.
func (d *Device) Name() string {
	name := ""
	if d.do(context.Background(), func() error { name = d.driver.Name(); return nil }) != nil {
		return "closed device"
	}
	return name
}

// Lost returns ErrLost if the device has failed for good.
func (d *Device) Lost() error {
	if d.lost.Load() {
		return ErrLost
	}
	return nil
}

// do runs a call on the device's thread and waits for it, unless the context ends while other
// calls run. A panic of the call is an error. After an error it looks whether the device is lost.
func (d *Device) do(ctx context.Context, call func() error) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		return ErrClosed
	}
	if err := d.Lost(); err != nil {
		return err
	}
	result := make(chan error, 1)
	run := func() {
		var err error
		defer func() { result <- err }()
		defer pool.Catch(&err)
		if err = call(); err == nil {
			return
		}
		if _, failed := d.driver.Memory(); failed != nil {
			d.lost.Store(true)
			err = fmt.Errorf("%w: %w", ErrLost, err)
		}
	}
	select {
	case d.calls <- run:
		return <-result
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close closes the device and frees everything on it. Close its models first.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	var err error
	closed := make(chan struct{})
	d.calls <- func() { err = d.driver.Close(); close(closed) }
	<-closed
	close(d.calls)
	<-d.done
	return err
}
