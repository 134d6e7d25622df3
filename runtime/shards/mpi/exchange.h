// Exchanges by MPI that give up after some seconds, if that is not negative: they return 0,
// EFOC_LATE, or MPI's error. Memory is read and written until they return.
#define EFOC_LATE (-1)

// efoc_start returns 0, EFOC_STOPPED after efoc_stop, or another number.
#define EFOC_STOPPED (-2)
int efoc_start(void);
int efoc_stop(double seconds);
void efoc_abort(void);
int efoc_rank(void);
int efoc_size(void);
int efoc_allgather(void *all, const void *send, int bytes, double seconds);
int efoc_alltoall(void *recv, const int *in, const int *into, const void *send, const int *out, const int *from, double seconds);
int efoc_broadcast(void *message, int bytes, double seconds);
