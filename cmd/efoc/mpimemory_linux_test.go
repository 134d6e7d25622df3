//go:build mpi && !race

package main

import (
	"path/filepath"
	"testing"
)

// TestMPIMemory answers on processes of a shard each: none takes more than is promised. The
// first one has the head besides.
func TestMPIMemory(t *testing.T) {
	const shards = 2
	took := func(templates, folder string, questions []string) (list [shards]int64) {
		cmd, _, _ := ranksOf(t, shards, "", "answer", templates, "--model", folder)
		cmd.Stdin = nil
		askShards(t, cmd, questions, func(pid int) {
			ranks := childrenOf(t, pid)
			if len(ranks) != shards {
				t.Fatalf("mpirun has the processes %v", ranks)
			}
			for i, rank := range ranks {
				all, head := residentOf(t, rank, filepath.Join(folder, "head.efoc"))
				list[i] = all - head
			}
		})
		return list
	}
	templates, folder := splitWide(t, shards)
	large := took(templates, folder, wideConstants)
	templates, folder = worldShards(t, shards)
	for i, without := range took(templates, folder, worldConstants) {
		got, most := large[i]-without, shardBytes(t, shards)
		t.Logf("process %d takes %d MB of %d", i, got>>20, most>>20)
		if got > most || got < most/2 {
			t.Errorf("process %d takes %d MB, want at most %d MB", i, got>>20, most>>20)
		}
	}
}
