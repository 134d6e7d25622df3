// A libcuda.so.1 without a GPU: memory is the host's and kernels do nothing but be
// noted, with their arguments, in the file that EFOC_FAKECUDA_LOG names. Launches that no H200 takes
// fail, and some calls on threads that have no context. Functions that are not here, setup.sh adds; they
// fail.
#include <cuda.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A kernel of a module, and how much dynamic shared memory its launches may have at most.
struct kernel {
  struct kernel *next;
  CUmodule module;
  char *name;
  int shared;
};
static struct kernel *kernels;
enum { UNITS = 132, THREADS = 1024, BLOCKS = 65535, SHARED = 227 << 10 };

// What a stream captures, and a graph replays: the last capture.
enum { MOST = 4096 };
static struct step {
  struct kernel *f;
  unsigned grid[3], block, shared;
  unsigned long long arguments[3];
  void *to;
  const void *from;
  size_t bytes;
  int back, cooperative, beside; // to the host; all blocks at once; on another stream than the one that captures
} steps[MOST];
static int count, invalid; // invalid: a launch has failed in the capture
// A stream, whether it belongs to the capture that the first one began, and what of it that one does not wait for.
static struct stream {
  struct stream *next;
  int captures, open;
} *streams, *capturing;
struct event {
  struct stream *of;
};
static __thread CUcontext current; // of the thread
static CUresult outside(void) { return current ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; }

static void note(const char *format, ...) {
  const char *path = getenv("EFOC_FAKECUDA_LOG");
  FILE *f = path ? fopen(path, "a") : NULL;
  va_list list;
  if (!f) return;
  va_start(list, format);
  vfprintf(f, format, list);
  va_end(list);
  fclose(f);
}

static CUresult make(void *handle) {
  *(void **)handle = calloc(1, 256);
  return CUDA_SUCCESS;
}

static CUresult run(const struct step *s) {
  if (s->f)
    note("%s %s %u %u %u %u %u %llx %llx %llx\n", s->cooperative ? "together" : s->beside ? "beside" : "launch", s->f->name, s->grid[0], s->grid[1], s->grid[2], s->block, s->shared,
         s->arguments[0], s->arguments[1], s->arguments[2]);
  else
    memcpy(s->to, s->from, s->bytes), note("copy %zu\n", s->bytes);
  return CUDA_SUCCESS;
}

static CUresult add(struct step s, CUstream to) {
  struct stream *own = (struct stream *)to;
  if (!own->captures) return run(&s);
  s.beside = own != capturing;
  own->open = s.beside;
  if (count == MOST) return CUDA_ERROR_OUT_OF_MEMORY;
  steps[count++] = s;
  return CUDA_SUCCESS;
}

CUresult cuInit(unsigned f) { return getenv("EFOC_FAKECUDA_NODEVICE") ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int *v) { return *v = 12080, CUDA_SUCCESS; }
CUresult cuDeviceGetCount(int *n) { return *n = 1, CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice *d, int i) { return *d = i, CUDA_SUCCESS; }
CUresult cuDeviceGetName(char *s, int n, CUdevice d) { return snprintf(s, n, "FAKE"), CUDA_SUCCESS; }
CUresult cuDeviceGetAttribute(int *v, CUdevice_attribute a, CUdevice d) {
  return *v = a == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? (getenv("EFOC_FAKECUDA_OLD") ? 7 : 9) : a == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT ? UNITS : 0, CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice d) { return make(c); }
CUresult cuDevicePrimaryCtxRelease(CUdevice d) { return CUDA_SUCCESS; }
CUresult cuCtxSetCurrent(CUcontext c) { return current = c, CUDA_SUCCESS; }
// Modules that start as EFOC_FAKECUDA_REFUSE says, or with anything if it is "all", are refused.
CUresult cuModuleLoadData(CUmodule *m, const void *p) {
  const char *refuse = getenv("EFOC_FAKECUDA_REFUSE");
  if (outside()) return outside();
  note("module %.20s\n", (const char *)p);
  if (refuse && *refuse && (strcmp(refuse, "all") == 0 || strncmp(refuse, p, strlen(refuse)) == 0)) return CUDA_ERROR_NO_BINARY_FOR_GPU;
  return make(m);
}
CUresult cuModuleUnload(CUmodule m) {
  for (struct kernel *k = kernels; k; k = k->next)
    if (k->module == m) k->module = NULL; // another module may get its address
  return free(m), CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction *f, CUmodule m, const char *name) {
  struct kernel *k = kernels;
  while (k && (k->module != m || strcmp(k->name, name))) k = k->next;
  if (!k) {
    k = malloc(sizeof *k);
    *k = (struct kernel){kernels, m, strdup(name), 48 << 10};
    kernels = k;
  }
  return *f = (CUfunction)k, CUDA_SUCCESS;
}
// cuda.h: "If the user-specified dynamic shared memory size is larger than this value, the launch will fail."
CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute a, int v) {
  struct kernel *k = (struct kernel *)f;
  note("attribute %s %d\n", k->name, v);
  if (v > SHARED) return CUDA_ERROR_INVALID_VALUE;
  k->shared = v;
  return CUDA_SUCCESS;
}
// Registers let two blocks be resident; a block takes 1 KiB of shared memory beside its own.
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, CUfunction f, int threads, size_t shared) {
  *n = (SHARED + (1 << 10)) / (shared + (1 << 10));
  if (*n > 2) *n = 2;
  if (shared > (size_t)((struct kernel *)f)->shared) *n = 0;
  return CUDA_SUCCESS;
}
CUresult cuStreamCreate(CUstream *s, unsigned f) {
  make(s);
  ((struct stream *)*s)->next = streams;
  streams = (struct stream *)*s; // which stays there for good
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream s) { return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream s) { return CUDA_SUCCESS; }
CUresult cuStreamBeginCapture(CUstream s, CUstreamCaptureMode m) {
  if (getenv("EFOC_FAKECUDA_NOCAPTURE")) return CUDA_ERROR_NOT_SUPPORTED;
  capturing = (struct stream *)s;
  return capturing->captures = 1, count = invalid = 0, CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent *e, unsigned f) { return make(e); }
CUresult cuEventDestroy(CUevent e) { return free(e), CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent e, CUstream s) { return ((struct event *)e)->of = (struct stream *)s, CUDA_SUCCESS; }
// A stream that waits for an event of a capture belongs to it, until the one that captures waits for it.
CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned f) {
  struct stream *own = (struct stream *)s, *of = ((struct event *)e)->of;
  if (of->captures && own != capturing) own->captures = own->open = 1;
  if (own == capturing) of->open = 0;
  return CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream s, CUgraph *g) {
  int unjoined = 0;
  for (struct stream *own = streams; own; own = own->next) unjoined |= own->captures && own->open, own->captures = 0;
  capturing = NULL;
  if (unjoined) return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  return invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : make(g);
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec *e, CUgraph g, unsigned long long f) { return make(e); }
CUresult cuGraphLaunch(CUgraphExec e, CUstream s) {
  if (outside()) return outside();
  note("graph\n");
  for (int i = 0; i < count; i++) {
    run(&steps[i]);
    // With EFOC_FAKECUDA_RANK rankings have entity 0, again and again, so that programs go on.
    if (!steps[i].f && steps[i].back && getenv("EFOC_FAKECUDA_RANK"))
      for (size_t k = 0; k < steps[i].bytes / 8; k++) ((unsigned long long *)steps[i].to)[k] = 0xbf800000ffffffffull;
  }
  return CUDA_SUCCESS;
}
CUresult cuGraphDestroy(CUgraph g) { return free(g), CUDA_SUCCESS; }
CUresult cuGraphExecDestroy(CUgraphExec e) { return free(e), CUDA_SUCCESS; }
CUresult cuGetErrorName(CUresult r, const char **s) { 
  static __thread char name[32];
  snprintf(name, sizeof name, r == CUDA_ERROR_INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE" : "CUDA_ERROR_%d", r);
  return *s = name, CUDA_SUCCESS;
 }
CUresult cuMemGetInfo(size_t *f, size_t *t) { return *f = *t = 1ull << 34, outside(); }
CUresult cuMemAlloc(CUdeviceptr *p, size_t n) { return *p = (CUdeviceptr)calloc(1, n), outside(); }
CUresult cuMemFree(CUdeviceptr p) { return free((void *)p), CUDA_SUCCESS; }
CUresult cuMemHostAlloc(void **p, size_t n, unsigned f) { return *p = calloc(1, n), CUDA_SUCCESS; }
CUresult cuMemFreeHost(void *p) { return free(p), CUDA_SUCCESS; }
CUresult cuMemcpyHtoD(CUdeviceptr d, const void *s, size_t n) { return memcpy((void *)d, s, n), CUDA_SUCCESS; }
CUresult cuMemcpyDtoH(void *d, CUdeviceptr s, size_t n) { return memcpy(d, (void *)s, n), CUDA_SUCCESS; }
CUresult cuMemcpyHtoDAsync(CUdeviceptr d, const void *s, size_t n, CUstream t) {
  return add((struct step){.to = (void *)d, .from = s, .bytes = n}, t);
}
CUresult cuMemcpyDtoHAsync(void *d, CUdeviceptr s, size_t n, CUstream t) {
  return add((struct step){.to = d, .from = (void *)s, .bytes = n, .back = 1}, t);
}
// refuse says that a launch fails, and why.
static CUresult refuse(const struct step *l, CUresult why) {
  note("refused %s %u %u %u %u %u, at most %d\n", l->f->name, l->grid[0], l->grid[1], l->grid[2], l->block, l->shared, l->f->shared);
  invalid = capturing != NULL;
  return why;
}
static CUresult begin(int cooperative, CUstream s, CUfunction f, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned shared, void **p) {
  struct step l = {.f = (struct kernel *)f, .grid = {x, y, z}, .block = threads, .shared = shared, .cooperative = cooperative};
  int blocks;
  if (!x || !y || !z || x > 0x7fffffff || y > BLOCKS || z > BLOCKS || !threads || threads > THREADS || shared > (unsigned)l.f->shared)
    return refuse(&l, CUDA_ERROR_INVALID_VALUE);
  if (cooperative && getenv("EFOC_FAKECUDA_NOCOOPERATIVE")) return refuse(&l, CUDA_ERROR_NOT_SUPPORTED);
  cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, threads, shared);
  if (cooperative && (unsigned long long)x * y * z > (unsigned long long)blocks * UNITS) return refuse(&l, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  for (int i = 0; i < 3; i++) l.arguments[i] = *(unsigned long long *)p[i]; // the first numbers of structures
  return add(l, s);
}
CUresult cuLaunchKernel(CUfunction f, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned ty, unsigned tz, unsigned shared, CUstream s,
                        void **p, void **more) {
  return begin(0, s, f, x, y, z, threads, shared, p);
}
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned ty, unsigned tz, unsigned shared,
                                   CUstream s, void **p) {
  return begin(1, s, f, x, y, z, threads, shared, p);
}
