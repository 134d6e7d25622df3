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
// and that waiting for threads which have ended is an error,
// and so is writing behind shared memory.
func TestBlocks(t *testing.T) {
	d := New(t)
	m, err := d.Load(cuda.Source{Name: "blocks.cu", Text: blocks})
	require.NoError(t, err)
	const count = 3
	record := recorder(t, d, m, count)
	for _, c := range []struct {
		kernel  string
		want    []int64
		problem string
	}{
		{"shared", []int64{6, 106, 206}, ""},
		{"turned", []int64{10, 20, 0}, ""},
		{"uneven", nil, "uneven: some threads of a block wait for others that have ended"},
		{"beyond", nil, "beyond: a block has written behind its 1024 bytes of dynamic shared memory"},
		{"absent", nil, "no kernel absent"},
		{"shared", []int64{6, 106, 206}, ""}, // after failures
	} {
		r := record(c.kernel)
		if err := r.Replay(); c.problem != "" {
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

// recorder returns what records a kernel of count blocks, which has as many numbers and a barrier as its input.
func recorder(t *testing.T, d *Driver, m cuda.Module, count int) func(kernel string) cuda.Recording {
	t.Helper()
	size := 8 * (count + 1)
	to, err := d.Alloc(int64(size))
	require.NoError(t, err)
	run := make([]byte, 28*8) // as large as a Run
	binary.LittleEndian.PutUint64(run, uint64(to))
	model := make([]byte, 12*8) // as large as a Model
	return func(kernel string) cuda.Recording {
		t.Helper()
		require.NoError(t, d.Write(to, make([]byte, size)))
		r, err := d.Record(cuda.Sequence{Module: m, Model: model, Run: run, To: to, From: to, FromBytes: 8 * count, Launches: []cuda.Launch{
			{Kernel: kernel, Grid: [3]int{count, 1, 1}, Threads: 64, Shared: 16 * 64, Cooperative: strings.HasPrefix(kernel, "turned")},
		}})
		require.NoError(t, err)
		return r
	}
}

// faults has kernels with one fault each, which the seed's order alone need not show.
const faults = `
#include "scores.cuh"

extern "C" __global__ void missing(ARGUMENTS) {
  dynamic_shared()[threadIdx.x].x = 100 * blockIdx.x + threadIdx.x;
  const float next = dynamic_shared()[(threadIdx.x + 1) % blockDim.x].x;
  if (threadIdx.x == 5) ((long long *)q.input)[blockIdx.x] = next == next;
}

extern "C" __global__ void unordered(ARGUMENTS) {
  __shared__ int some;
  if (threadIdx.x == 0) some = 1;
  if (threadIdx.x < 32) __ballot_sync(ALL_LANES, true); // orders nothing
  if (threadIdx.x == 1) ((long long *)q.input)[0] = some;
}

extern "C" __global__ void passed(ARGUMENTS) {
  dynamic_shared()[threadIdx.x] = make_float4(0, 0, 0, threadIdx.x);
  const float next = dot4(dynamic_shared()[(threadIdx.x + 1) % blockDim.x], make_float4(1, 1, 1, 1));
  if (threadIdx.x == 5) ((long long *)q.input)[blockIdx.x] = next == next;
}

extern "C" __global__ void everyone(ARGUMENTS) { *(long long *)q.input = blockIdx.x; }

extern "C" __global__ void turned_early(ARGUMENTS) {
  long long *to = (long long *)q.input;
  int *counter = (int *)(to + gridDim.x);
  if (threadIdx.x == 0) {
    to[blockIdx.x] = 1;
    atomicAdd(counter, 1); // without a fence before
    while (atomicAdd(counter, 0) < (int)gridDim.x) __nanosleep(1);
    __threadfence();
    to[blockIdx.x] = to[(blockIdx.x + 1) % gridDim.x];
  }
}

extern "C" __global__ void copied(ARGUMENTS) {
  char *to = (char *)dynamic_shared() + 16 * threadIdx.x;
  copy_async(to, q.input, true);
  copies_end();
  if (threadIdx.x == 0) *(int *)(to + 16) = 1; // thread 1 still copies
  copies_wait<0>();
}

extern "C" __global__ void outside(ARGUMENTS) { ((long long *)q.input)[gridDim.x + 2] = 0; }

extern "C" __global__ void misaligned(ARGUMENTS) { ((float4 *)((int *)q.input + 1))->x = 0; }

extern "C" __global__ void unwritten(ARGUMENTS) {
  __shared__ int some;
  ((long long *)q.input)[blockIdx.x] = some;
  __syncthreads();
  some = 0;
}
`

// TestFaults checks that races, and accesses outside of an allocation or at an address that is not aligned, are
// errors, and that static shared memory has no content of an earlier block.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		kernel string
		races  bool
		want   string
	}{
		{"missing", true, "missing: a race: "}, {"passed", true, "passed: a race: "}, {"unordered", true, "unordered: a race: "}, {"everyone", true, "everyone: a race: two writes, block "},
		{"turned_early", true, "turned_early: a race: "}, {"copied", true, "copied: a race: two writes"},
		{"outside", false, "the emulated device has ended (signal: segmentation fault"}, {"misaligned", false, "the emulated device has ended (signal: illegal instruction"},
		{"unwritten", false, ""},
	} {
		d := New(t)
		if c.races {
			d = Races(t)
		}
		const count = 2
		m, err := d.Load(cuda.Source{Name: "faults.cu", Text: faults})
		require.NoError(t, err)
		r := recorder(t, d, m, count)(c.kernel)
		err = r.Replay()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %q", c.kernel, err, c.want)
		}
		if c.kernel != "unwritten" {
			continue
		}
		for i := range count {
			if x := int64(binary.LittleEndian.Uint64(r.Out()[8*i:])); x != -1 {
				t.Errorf("block %d has read %d in static shared memory that nobody has written", i, x)
			}
		}
	}
}
