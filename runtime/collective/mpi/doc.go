// Package mpi carries the messages of package collective between processes that mpirun has
// started, by MPI, in builds with the tag mpi; without it there is none.
//
// It calls MPI by cgo of its own, since cogentcore.org/lab/base/mpi (v0.1.2) has blocking
// collectives alone, which no time-out can bound, none in which ranks send one another
// messages of different lengths, and an Abort that ends the job with status 0.
package mpi
