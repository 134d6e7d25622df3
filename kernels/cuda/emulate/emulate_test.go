package emulate

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/kernels/cuda"
)

// clusters has kernels in which each block hands a number to the next one of its cluster: by
// shared memory, by global memory, and without a barrier. In the last one only the first block waits.
const clusters = `
#include "cluster.cuh"

__device__ inline long long *at(const Run &q, int block) { return (long long *)q.input + block; }

extern "C" __global__ void shared(ARGUMENTS) {
  __shared__ int mine;
  if (threadIdx.x == 0) mine = blockIdx.x;
  cluster_barrier();
  dynamic_shared()[threadIdx.x].x = 10 + mine;
  cluster_barrier();
  const float4 *next = dynamic_shared_of((cluster_rank() + 1) % cluster_size());
  if (threadIdx.x == 5) *at(q, blockIdx.x) = (long long)next[5].x;
  cluster_barrier();
}

extern "C" __global__ void global(ARGUMENTS) {
  const int next = blockIdx.x / cluster_size() * cluster_size() + (cluster_rank() + 1) % cluster_size();
  if (threadIdx.x == 0) *at(q, blockIdx.x) = 10 + blockIdx.x;
  if (argument == 1) cluster_barrier();
  const long long x = *at(q, next);
  cluster_barrier();
  if (threadIdx.x == 0) *at(q, blockIdx.x) = x;
}

extern "C" __global__ void beyond(ARGUMENTS) {
  ((float *)(dynamic_shared() + 64))[threadIdx.x] = 0;
}

extern "C" __global__ void uneven(ARGUMENTS) {
  if (cluster_rank() == 0) cluster_barrier();
}
`

// TestClusters checks that the blocks of a cluster have their own shared memory, read that of
// others, wait at barriers, and show what a missing one does; and that waiting for blocks which
// have ended is an error, and writing behind shared memory.
func TestClusters(t *testing.T) {
	d := New(t)
	m, err := d.Load(cuda.Source{Name: "clusters.cu", Text: clusters})
	if err != nil {
		t.Fatal(err)
	}
	const blocks = 6
	to, err := d.Alloc(8 * blocks)
	if err != nil {
		t.Fatal(err)
	}
	run := make([]byte, 22*8) // as large as a Run
	binary.LittleEndian.PutUint64(run, uint64(to))
	model := make([]byte, 12*8) // as large as a Model
	for _, c := range []struct {
		kernel            string
		argument, cluster int
		want              []int64 // -1 is what was there before
		problem           string
	}{
		{"shared", 0, 3, []int64{11, 12, 10, 14, 15, 13}, ""},
		{"shared", 0, 2, []int64{11, 10, 13, 12, 15, 14}, ""},
		{"global", 1, 3, []int64{11, 12, 10, 14, 15, 13}, ""},
		{"global", 1, 1, []int64{10, 11, 12, 13, 14, 15}, ""},
		{"global", 0, 3, []int64{-1, -1, 10, -1, -1, 13}, ""},
		{"uneven", 0, 3, nil, "uneven: some threads of a block or of a cluster wait for others that have ended"},
		{"beyond", 0, 1, nil, "beyond: a block has written behind its 1024 bytes of dynamic shared memory"},
		{"shared", 0, 4, nil, "shared: its blocks are not a multiple of those of a cluster"},
		{"shared", 0, 2, []int64{11, 10, 13, 12, 15, 14}, ""}, // after failures
	} {
		if err := d.Write(to, slices.Repeat([]byte{0xff}, 8*blocks)); err != nil {
			t.Fatal(err)
		}
		r, err := d.Record(cuda.Sequence{Module: m, Model: model, Run: run, To: to, From: to, FromBytes: 8 * blocks, Launches: []cuda.Launch{
			{Kernel: c.kernel, Grid: [3]int{blocks, 1, 1}, Threads: 64, Shared: 16 * 64, Cluster: c.cluster, Argument: int64(c.argument)},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if err = r.Replay(); c.problem != "" {
			if err == nil || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%+v: error is %v", c, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		var got [blocks]int64
		if _, err := binary.Decode(r.Out(), binary.LittleEndian, &got); err != nil || !slices.Equal(got[:], c.want) {
			t.Errorf("%+v: blocks read %v (%v)", c, got, err)
		}
	}
}
