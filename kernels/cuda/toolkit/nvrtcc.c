// nvrtcc SOURCE ARCH OUTPUT [OPTION...]: compiles CUDA C++ with NVRTC, for compute_NN to
// PTX and for sm_NN to machine code. NVRTC's few functions are declared here so that no
// header is needed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct program *program;
extern const char *nvrtcGetErrorString(int);
extern int nvrtcCreateProgram(program *, const char *, const char *, int, const char *const *, const char *const *);
extern int nvrtcCompileProgram(program, int, const char *const *);
extern int nvrtcGetProgramLogSize(program, size_t *);
extern int nvrtcGetProgramLog(program, char *);
extern int nvrtcGetPTXSize(program, size_t *);
extern int nvrtcGetPTX(program, char *);
extern int nvrtcGetCUBINSize(program, size_t *);
extern int nvrtcGetCUBIN(program, char *);

static void check(int code, const char *call) {
  if (code == 0) return;
  fprintf(stderr, "nvrtcc: %s: %s\n", call, nvrtcGetErrorString(code));
  exit(1);
}

static char *room(size_t n) {
  char *p = calloc(1, n + 1);
  if (p) return p;
  fprintf(stderr, "nvrtcc: out of memory\n");
  exit(1);
}

static char *contents(const char *path) {
  FILE *f = fopen(path, "rb");
  char *text = NULL;
  size_t size = 0, got;
  if (!f) {
    perror(path);
    exit(1);
  }
  do {
    if (!(text = realloc(text, size + 65537))) exit(1);
    size += got = fread(text + size, 1, 65536, f);
  } while (got > 0);
  text[size] = 0;
  fclose(f);
  return text;
}

int main(int count, char **argument) {
  const char *options[64] = {"--std=c++17"};
  char arch[128];
  int n = 1;
  if (count < 4 || count > 60) {
    fprintf(stderr, "usage: nvrtcc SOURCE ARCH OUTPUT [OPTION...]\n");
    return 2;
  }
  snprintf(arch, sizeof arch, "--gpu-architecture=%s", argument[2]);
  options[n++] = arch;
  for (int i = 4; i < count; i++) options[n++] = argument[i];
  program p;
  check(nvrtcCreateProgram(&p, contents(argument[1]), argument[1], 0, NULL, NULL), "create");
  const int code = nvrtcCompileProgram(p, n, options);
  size_t size = 0;
  check(nvrtcGetProgramLogSize(p, &size), "log");
  char *text = room(size);
  check(nvrtcGetProgramLog(p, text), "log");
  if (size > 1) fputs(text, stderr);
  check(code, argument[1]);
  if (strncmp(argument[2], "sm_", 3) == 0) {
    check(nvrtcGetCUBINSize(p, &size), "size");
    check(nvrtcGetCUBIN(p, text = room(size)), "machine code");
  } else {
    check(nvrtcGetPTXSize(p, &size), "size");
    check(nvrtcGetPTX(p, text = room(size)), "PTX");
    size--; // the end of the text
  }
  FILE *f = fopen(argument[3], "wb");
  if (!f || fwrite(text, 1, size, f) != size || fclose(f)) {
    perror(argument[3]);
    return 1;
  }
  return 0;
}
