// Package mpi carries the messages of package collective between processes started by
// mpirun. It needs the build tag mpi.
//
// It calls MPI through cgo. cogentcore.org/lab/base/mpi (v0.1.2) does not suffice: its collectives block without a
// timeout, ranks cannot exchange messages of different lengths, and its Abort ends the job with status 0.
package mpi
