//go:build mpi

package mpi

// #cgo pkg-config: ompi-c
// #include "exchange.h"
import "C"

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"slices"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/efoc/efoc/runtime/internal/collective"
)

// Built says whether this build has MPI.
const Built = true

// world is the transport between the processes of an MPI job.
type world struct {
	rank, size int
	timeout    time.Duration
	send, recv []byte
	// For AllToAll: the number of bytes to and from each rank, and their offsets.
	counts, places [2][]C.int
}

// Start joins the processes of the MPI job. It returns nil if there is only this one, and after Stop. An exchange
// that takes longer than the timeout ends the job.
func Start(timeout time.Duration) (collective.Transport, error) {
	switch C.efoc_start() {
	case 0:
	case C.EFOC_STOPPED:
		return nil, nil
	default:
		return nil, errors.New("MPI cannot be started, or not for several threads")
	}
	patience = timeout
	w := &world{rank: int(C.efoc_rank()), size: int(C.efoc_size()), timeout: timeout}
	if w.size == 1 {
		return nil, nil
	}
	for i := range w.counts {
		w.counts[i], w.places[i] = make([]C.int, w.size), make([]C.int, w.size)
	}
	return w, nil
}

// patience is the timeout of Start, for Stop.
var patience time.Duration

// Stop leaves the job. All processes must do so within the timeout, or the job ends.
func Stop() {
	seconds := C.double(-1)
	if patience > 0 {
		seconds = C.double(patience.Seconds())
		late := time.AfterFunc(2*patience, func() { // MPI itself hangs
			ended()
			os.Exit(1)
		})
		defer late.Stop()
	}
	if C.efoc_stop(seconds) != 0 {
		ended()
		C.efoc_abort()
	}
}

func ended() {
	fmt.Fprintf(os.Stderr, "efoc: the other processes did not end within %s: the job ends\n", patience)
}

// EndSignals returns the signals by which to ask mpirun for an orderly end of its processes. mpirun forwards SIGUSR1,
// and then exits with the processes' status. After SIGINT and SIGTERM it sends SIGTERM after one second and SIGKILL
// after another, and always exits with status 1.
func EndSignals() []os.Signal { return []os.Signal{syscall.SIGUSR1} }

// Input returns a reader that reports an end of input caused by mpirun as the error errEnded: when mpirun ends the
// job, it closes the input of the first process and sends SIGCONT at about the same time, before a signal that ends
// processes.
func Input(r io.Reader) io.Reader {
	in := &input{Reader: r}
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	go func() {
		for range continued {
			in.continued.Store(time.Now().UnixNano())
		}
	}()
	return in
}

// errEnded says that mpirun has closed the input to end the job.
var errEnded = errors.New("mpirun ends the job: the input may have had more")

// input is the reader of Input.
type input struct {
	io.Reader
	continued atomic.Int64 // when SIGCONT came, in Unix nanoseconds
}

// endingTime bounds the time between the end of the input and the signal, in either order.
const endingTime = 300 * time.Millisecond

func (in *input) Read(p []byte) (int, error) {
	n, err := in.Reader.Read(p)
	if err != io.EOF {
		return n, err
	}
	since := time.Now().Add(-10 * endingTime)
	time.Sleep(endingTime)
	if in.continued.Load() > since.UnixNano() {
		err = errEnded
	}
	return n, err
}

func (w *world) Rank() int { return w.rank }
func (w *world) Size() int { return w.size }

// Patience returns the timeout of Start.
func (w *world) Patience() time.Duration { return w.timeout }

func (w *world) AllGather(all, send []byte) error {
	return w.check(C.efoc_allgather(at(all), at(send), C.int(len(send)), w.seconds()))
}

func (w *world) AllToAll(from, to [][]byte) error {
	out, err := w.layout(0, to)
	if err != nil {
		return err
	}
	in, err := w.layout(1, from)
	if err != nil {
		return err
	}
	w.send, w.recv = slices.Grow(w.send[:0], out)[:out], slices.Grow(w.recv[:0], in)[:in]
	for i, x := range to {
		copy(w.send[w.places[0][i]:], x)
	}
	err = w.check(C.efoc_alltoall(at(w.recv), &w.counts[1][0], &w.places[1][0], at(w.send), &w.counts[0][0], &w.places[0][0], w.seconds()))
	for i, x := range from {
		copy(x, w.recv[w.places[1][i]:])
	}
	return err
}

// layout sets the lengths and offsets of the consecutive parts of a message.
func (w *world) layout(direction int, parts [][]byte) (total int, err error) {
	for i, x := range parts {
		if total+len(x) > math.MaxInt32 {
			return 0, fmt.Errorf("an exchange of more than %d bytes, which MPI counts in 31 bits: use more ranks", math.MaxInt32)
		}
		w.counts[direction][i], w.places[direction][i] = C.int(len(x)), C.int(total)
		total += len(x)
	}
	return total, nil
}

func (w *world) Broadcast(message []byte) ([]byte, error) {
	var length [1]C.long
	length[0] = C.long(len(message))
	if err := w.check(C.efoc_broadcast(unsafe.Pointer(&length[0]), C.int(unsafe.Sizeof(length)), w.seconds())); err != nil {
		return nil, err
	}
	if w.rank != 0 {
		message = make([]byte, length[0])
	}
	return message, w.check(C.efoc_broadcast(at(message), C.int(len(message)), w.seconds()))
}

// Abort ends all processes.
func (w *world) Abort(err error) {
	fmt.Fprintf(os.Stderr, "efoc: %v: the job ends\n", err)
	C.efoc_abort()
}

// check returns the error of an exchange.
func (w *world) check(code C.int) error {
	switch code {
	case 0:
		return nil
	case C.EFOC_LATE:
		err := fmt.Errorf("rank %d has waited for the others for %s at an exchange", w.rank, w.timeout)
		w.Abort(err)
		return err
	}
	return fmt.Errorf("rank %d: MPI error %d", w.rank, int(code))
}

func (w *world) seconds() C.double {
	if w.timeout <= 0 {
		return -1
	}
	return C.double(w.timeout.Seconds())
}

func at(x []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(x)) }
