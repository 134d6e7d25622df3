package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSampleInterrupted expects the output to appear when all queries are there, and not before.
func TestSampleInterrupted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	var stdout, stderr bytes.Buffer
	args := []string{"sample", "--shape", "2p", "-n", "1000000", "-o", filepath.Join(dir, "q.jsonl")}
	status := runContext(ctx, args, strings.NewReader(""), &stdout, &stderr)
	result{status, stdout.String(), stderr.String()}.want(t, statusInterrupted, "", "interrupted")
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("an interrupted run left %v, %v", left, err)
	}
}
