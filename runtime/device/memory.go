package device

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/efoc/efoc/kernels/cuda"
)

// memory is the device memory of one owner. Its methods run in calls of its device.
type memory struct {
	driver cuda.Driver
	held   []cuda.Pointer
	bytes  int64
}

// Addresses within a block are rounded up to multiples of align.
const align = 256

// aligned returns the bytes that a part takes, at least one, so that even an empty part has an address.
func aligned(bytes int64) int64 { return (bytes + align) / align * align }

// RoomError says that the memory of a device is too small.
type RoomError struct {
	// What does not fit, and advice.
	What, Advice string
	// Bytes needed, and free.
	Bytes, Free int64
	// Err is the driver's error, nil if there is none; free memory may be fragmented.
	Err error
}

// Error says what does not fit, and what to do about it.
func (e *RoomError) Error() string {
	text := fmt.Sprintf("%s takes %d MiB on the device, which has %d MiB free", e.What, e.Bytes>>20+1, e.Free>>20)
	if e.Err != nil {
		text += ", but not in one piece (" + e.Err.Error() + ")"
	}
	return text + ": " + e.Advice
}

// Unwrap returns the driver's error.
func (e *RoomError) Unwrap() error { return e.Err }

// part is a part of a block: the destination of its address, and its size.
type part struct {
	at    *cuda.Pointer
	bytes int64
}

// block allocates parts, all or none. If they do not fit, it returns a RoomError with the advice.
func (m *memory) block(what, advice string, parts ...part) error {
	total := int64(0)
	for _, p := range parts {
		total += aligned(p.bytes)
	}
	free, err := m.driver.Memory()
	if err != nil {
		return err
	}
	if total > free {
		return &RoomError{What: what, Advice: advice, Bytes: total, Free: free}
	}
	// A test driver detects accesses outside of an allocation, so each part gets its own.
	if _, guards := m.driver.(interface{ Guards() }); guards {
		for _, p := range parts {
			if err := m.alloc(p.bytes, p); err != nil {
				return err
			}
		}
		return nil
	}
	if err := m.alloc(total, parts...); err != nil {
		return &RoomError{What: what, Advice: advice, Bytes: total, Free: free, Err: err}
	}
	return nil
}

// alloc allocates one region of the given size, and lays out the parts in it consecutively.
func (m *memory) alloc(bytes int64, parts ...part) error {
	at, err := m.driver.Alloc(bytes)
	if err != nil {
		return err
	}
	m.held = append(m.held, at)
	m.bytes += bytes
	for _, p := range parts {
		*p.at = at
		at += cuda.Pointer(aligned(p.bytes))
	}
	return nil
}

// free frees all allocations.
func (m *memory) free() error {
	var errs []error
	for _, p := range m.held {
		errs = append(errs, m.driver.Free(p))
	}
	m.held = nil
	m.bytes = 0
	return errors.Join(errs...)
}

// bytesOf views numbers as bytes.
func bytesOf[T float32 | ~int32 | int8](x []T) []byte {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
}
