package device

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/efoc/efoc/kernels/cuda"
)

// memory is the device memory of one owner. Its methods run on the device's thread.
type memory struct {
	driver cuda.Driver
	held   []cuda.Pointer
}

// align is what addresses within a block are rounded up to.
const align = 256

// check reports that a number of bytes does not fit.
func (m *memory) check(what string, bytes int64) error {
	free, err := m.driver.Memory()
	if err != nil {
		return err
	}
	if bytes > free {
		return fmt.Errorf("%s takes %d MiB on the device, which has %d MiB free", what, bytes>>20+1, free>>20)
	}
	return nil
}

// block allocates parts of the given bytes, all or none, and returns where each is.
func (m *memory) block(what string, sizes ...int64) ([]cuda.Pointer, error) {
	total := int64(0)
	for _, s := range sizes {
		total += (s + align) / align * align
	}
	if err := m.check(what, total); err != nil {
		return nil, err
	}
	at, err := m.driver.Alloc(total)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	m.held = append(m.held, at)
	parts := make([]cuda.Pointer, len(sizes))
	for i, s := range sizes {
		parts[i] = at
		at += cuda.Pointer((s + align) / align * align)
	}
	return parts, nil
}

// free frees all that was allocated.
func (m *memory) free() error {
	var errs []error
	for _, p := range m.held {
		errs = append(errs, m.driver.Free(p))
	}
	m.held = nil
	return errors.Join(errs...)
}

// bytesOf views numbers as bytes.
func bytesOf[T float32 | int32 | int8](x []T) []byte {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
}
