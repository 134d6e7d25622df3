// Package collective lets several processes, called ranks as in MPI, answer one query
// together. Each rank runs the same plan on its own rows of the entity table. If a value
// depends on the rows of other ranks, all ranks exchange it.
//
//	Transport   carries messages between ranks: Local within a process, package mpi between processes
//	Group       the exchanges of plans, and agreement on errors
//	Exchange    one exchange; Group.Meet makes several at once, for the latency of one
//	Counted     a transport that counts exchanges and bytes
//
// Every rank makes the same exchanges in the same order. Each message names its exchange and says whether its query
// continues. If a rank is cancelled or fails, all ranks learn it at the next exchange and make no more. Every rank
// reduces values in rank order, so results do not depend on the transport and are bit-identical on all ranks.
//
// Between queries, rank 0 regularly assembles all ranks, so that each notices within the transport's patience if
// another has died.
//
// The package knows neither models nor plans.
package collective
