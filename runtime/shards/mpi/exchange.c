//go:build mpi

#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <time.h>

#include "exchange.h"

int efoc_start(void) {
	int have = 0, started = 0, stopped = 0;
	MPI_Finalized(&stopped);
	if (stopped) return EFOC_STOPPED;
	MPI_Initialized(&started);
	if (started) return 0;
	if (MPI_Init_thread(0, 0, MPI_THREAD_SERIALIZED, &have) != MPI_SUCCESS) return 1;
	return have < MPI_THREAD_SERIALIZED;
}

void efoc_abort(void) { MPI_Abort(MPI_COMM_WORLD, 1); }

int efoc_rank(void) {
	int rank = 0;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return rank;
}

int efoc_size(void) {
	int size = 1;
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	return size;
}

// finish waits for an exchange: at first by looking again and again, then between short
// sleeps, which leave the processor to others.
static int finish(int code, MPI_Request *request, double seconds) {
	if (code != MPI_SUCCESS) return code;
	double begin = MPI_Wtime();
	for (long looks = 0;; looks++) {
		int done = 0;
		code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
		if (code != MPI_SUCCESS || done) return code;
		if (looks < 200) continue;
		double waited = MPI_Wtime() - begin;
		if (seconds >= 0 && waited > seconds) return EFOC_LATE;
		if (waited < 1e-3) {
			sched_yield();
			continue;
		}
		struct timespec pause = {0, waited < 0.1 ? 20000 : 200000};
		nanosleep(&pause, 0);
	}
}

int efoc_allgather(void *all, const void *send, int bytes, double seconds) {
	MPI_Request request;
	int code = MPI_Iallgather(send, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD, &request);
	return finish(code, &request, seconds);
}

int efoc_alltoall(void *recv, const int *in, const int *into, const void *send, const int *out, const int *from, double seconds) {
	MPI_Request request;
	int code = MPI_Ialltoallv(send, out, from, MPI_BYTE, recv, in, into, MPI_BYTE, MPI_COMM_WORLD, &request);
	return finish(code, &request, seconds);
}

int efoc_broadcast(void *message, int bytes, double seconds) {
	MPI_Request request;
	int code = MPI_Ibcast(message, bytes, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
	return finish(code, &request, seconds);
}

// MPI_Finalize may return although another process is stopped: its end would go unnoticed, and
// mpirun would wait for it. So all meet once more before.
int efoc_stop(double seconds) {
	int started = 0, stopped = 0;
	MPI_Initialized(&started);
	MPI_Finalized(&stopped);
	if (!started || stopped) return 0;
	MPI_Request request;
	int code = MPI_Ibarrier(MPI_COMM_WORLD, &request);
	code = finish(code, &request, seconds);
	if (code != MPI_SUCCESS) return code;
	return MPI_Finalize();
}
