// Package collective lets several processes, called ranks as in MPI, work on one query
// together. Each runs the same plan on its own rows of the entity table, and all meet where
// a number depends on the rows of others: at an exchange.
//
//	Transport   carries messages between ranks: Local within a process, package mpi between processes
//	Group       the exchanges of plans, and the agreement on errors
//	Exchange    one of them: several are made as one, for the same time, by Group.Meet
//	Counted     a transport whose exchanges and bytes are counted
//
// Every rank makes the same exchanges in the same order. A message says at which exchange its
// rank is, and whether its query goes on: if one rank is cancelled or fails, all learn it at
// the next exchange, and make no further one. What is reduced is reduced in order of ranks, on
// each of them: results do not depend on the transport, and all ranks have the same bits.
//
// Between two queries rank 0 assembles all ranks now and then: so each learns within the patience
// of the transport that another one is gone.
//
// The package knows neither models nor plans.
package collective
