// Package mpi carries the messages of package collective between processes that mpirun has
// started, by MPI, in builds with the tag mpi; without it there is none.
//
// It calls MPI by cgo, and the non-blocking collectives of version 3 at that: those can be
// given up after a time, which Go bindings with blocking ones, such as
// cogentcore.org/lab/base/mpi, cannot.
package mpi
