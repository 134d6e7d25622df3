package emulate

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/testdata/require"
)

// blocks has kernels in which the threads of a block hand numbers to one another, write behind
// their shared memory, and wait for others that do not come, and blocks hand numbers to one another.
const blocks = `
#include "fuzzy.cuh"

extern "C" __global__ void shared(ARGUMENTS) {
  __shared__ int mine;
  if (threadIdx.x == 0) mine = blockIdx.x;
  __syncthreads();
  dynamic_shared()[threadIdx.x].x = 100 * mine + threadIdx.x;
  __syncthreads();
  const float next = dynamic_shared()[(threadIdx.x + 1) % blockDim.x].x;
  if (threadIdx.x == 5) ((long long *)q.input)[blockIdx.x] = (long long)next;
}

extern "C" __global__ void missing(ARGUMENTS) {
  dynamic_shared()[threadIdx.x].x = 100 * blockIdx.x + threadIdx.x;
  const float next = dynamic_shared()[(threadIdx.x + 1) % blockDim.x].x;
  if (threadIdx.x == 5) ((long long *)q.input)[blockIdx.x] = next == next;
}

extern "C" __global__ void beyond(ARGUMENTS) {
  ((float *)(dynamic_shared() + 64))[threadIdx.x] = 0;
}

extern "C" __global__ void turned(ARGUMENTS) {
  volatile long long *to = (volatile long long *)q.input;
  int *barrier = (int *)(q.input) + 2 * gridDim.x;
  if (threadIdx.x == 5) to[blockIdx.x] = 10 * blockIdx.x;
  wait_for_all(barrier);
  const long long next = to[(blockIdx.x + 1) % gridDim.x];
  wait_for_all(barrier);
  if (threadIdx.x == 5) to[blockIdx.x] = next;
}

extern "C" __global__ void uneven(ARGUMENTS) {
  if (threadIdx.x == 0) __syncthreads();
}
`

// TestBlocks checks that blocks have their own shared memory, whose threads wait for one another,
// and what a missing barrier shows; and that waiting for threads which have ended is an error,
// and so is writing behind shared memory.
func TestBlocks(t *testing.T) {
	d := New(t)
	m, err := d.Load(cuda.Source{Name: "blocks.cu", Text: blocks})
	require.NoError(t, err)
	const count = 3
	to, err := d.Alloc(8 * (count + 1)) // and a barrier
	require.NoError(t, err)
	require.NoError(t, d.Write(to, make([]byte, 8*(count+1))))
	run := make([]byte, 28*8) // as large as a Run
	binary.LittleEndian.PutUint64(run, uint64(to))
	model := make([]byte, 12*8) // as large as a Model
	for _, c := range []struct {
		kernel  string
		want    []int64
		problem string
	}{
		{"shared", []int64{6, 106, 206}, ""},
		{"missing", []int64{0, 0, 0}, ""}, // NaN: nobody has written there
		{"turned", []int64{10, 20, 0}, ""},
		{"uneven", nil, "uneven: some threads of a block wait for others that have ended"},
		{"beyond", nil, "beyond: a block has written behind its 1024 bytes of dynamic shared memory"},
		{"absent", nil, "no kernel absent"},
		{"shared", []int64{6, 106, 206}, ""}, // after failures
	} {
		r, err := d.Record(cuda.Sequence{Module: m, Model: model, Run: run, To: to, From: to, FromBytes: 8 * count, Launches: []cuda.Launch{
			{Kernel: c.kernel, Grid: [3]int{count, 1, 1}, Threads: 64, Shared: 16 * 64, Cooperative: c.kernel == "turned"},
		}})
		require.NoError(t, err)
		if err = r.Replay(); c.problem != "" {
			if err == nil || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%s: error is %v", c.kernel, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", c.kernel, err)
		}
		var got [count]int64
		if _, err := binary.Decode(r.Out(), binary.LittleEndian, &got); err != nil || !slices.Equal(got[:], c.want) {
			t.Errorf("%s: blocks read %v, want %v (%v)", c.kernel, got, c.want, err)
		}
	}
}
