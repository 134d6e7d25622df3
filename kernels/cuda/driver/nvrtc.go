//go:build cuda

package driver

/*
#include <dlfcn.h>
#include <stdlib.h>

typedef struct program *program;

static struct {
	int (*create)(program *, const char *, const char *, int, const char *const *, const char *const *);
	int (*compile)(program, int, const char *const *);
	int (*logSize)(program, size_t *), (*log)(program, char *);
	int (*ptxSize)(program, size_t *), (*ptx)(program, char *);
	int (*destroy)(program *);
} nvrtc;

// load finds the library, the newest first; it returns 0 if there is none.
static int load(void) {
	static const char *const names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};
	void *lib = 0;
	if (nvrtc.create) return 1;
	for (int i = 0; i < 4 && !lib; i++) lib = dlopen(names[i], RTLD_NOW);
	if (!lib) return 0;
	*(void **)&nvrtc.compile = dlsym(lib, "nvrtcCompileProgram");
	*(void **)&nvrtc.logSize = dlsym(lib, "nvrtcGetProgramLogSize");
	*(void **)&nvrtc.log = dlsym(lib, "nvrtcGetProgramLog");
	*(void **)&nvrtc.ptxSize = dlsym(lib, "nvrtcGetPTXSize");
	*(void **)&nvrtc.ptx = dlsym(lib, "nvrtcGetPTX");
	*(void **)&nvrtc.destroy = dlsym(lib, "nvrtcDestroyProgram");
	*(void **)&nvrtc.create = dlsym(lib, "nvrtcCreateProgram");
	return nvrtc.create && nvrtc.compile && nvrtc.logSize && nvrtc.log && nvrtc.ptxSize && nvrtc.ptx && nvrtc.destroy;
}

// run compiles; it returns malloc'd PTX, or 0 and a malloc'd log.
static char *run(const char *text, const char *name, int n, char **headers, char **names, const char *arch, char **log) {
	const char *options[] = {arch, "--std=c++17"};
	program p;
	size_t size = 0;
	char *out = 0;
	*log = 0;
	if (nvrtc.create(&p, text, name, n, (const char *const *)headers, (const char *const *)names)) return 0;
	if (nvrtc.compile(p, 2, options)) {
		if (!nvrtc.logSize(p, &size) && (*log = calloc(1, size + 1))) nvrtc.log(p, *log);
	} else if (!nvrtc.ptxSize(p, &size) && (out = calloc(1, size + 1)) && nvrtc.ptx(p, out)) {
		free(out);
		out = 0;
	}
	nvrtc.destroy(&p);
	return out;
}
*/
import "C"

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"github.com/efoc/efoc/kernels/cuda"
)

// compile turns a module into PTX.
func compile(s cuda.Source, arch string) ([]byte, error) {
	if C.load() == 0 {
		return nil, errors.New("there is no compiler: libnvrtc cannot be loaded; install it, " +
			"add its folder to LD_LIBRARY_PATH, or compile where there is one with efoc generate --cuda")
	}
	headers := cuda.Headers()
	var held []unsafe.Pointer
	text := func(s string) *C.char {
		c := C.CString(s)
		held = append(held, unsafe.Pointer(c))
		return c
	}
	defer func() {
		for _, p := range held {
			C.free(p)
		}
	}()
	// Arrays of pointers that C reads live in its memory.
	size := C.size_t(len(headers)) * C.size_t(unsafe.Sizeof(uintptr(0)))
	texts, names := C.malloc(size), C.malloc(size)
	held = append(held, texts, names)
	for i, name := range slices.Sorted(maps.Keys(headers)) {
		unsafe.Slice((**C.char)(texts), len(headers))[i] = text(headers[name])
		unsafe.Slice((**C.char)(names), len(headers))[i] = text(name)
	}
	var log *C.char
	ptx := C.run(text(s.Text), text(s.Name), C.int(len(headers)), (**C.char)(texts), (**C.char)(names),
		text("--gpu-architecture="+arch), &log)
	if ptx == nil {
		message := "NVRTC failed"
		if log != nil {
			held = append(held, unsafe.Pointer(log))
			message = C.GoString(log)
		}
		return nil, fmt.Errorf("%s", message)
	}
	held = append(held, unsafe.Pointer(ptx))
	return []byte(C.GoString(ptx)), nil
}
