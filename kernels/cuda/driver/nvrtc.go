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
	int (*archCount)(int *), (*archs)(int *);
} nvrtc;

// load loads the library called name; it returns 0, or why it cannot.
static const char *load(const char *name) {
	void *lib = dlopen(name, RTLD_NOW);
	if (!lib) return dlerror();
	*(void **)&nvrtc.compile = dlsym(lib, "nvrtcCompileProgram");
	*(void **)&nvrtc.logSize = dlsym(lib, "nvrtcGetProgramLogSize");
	*(void **)&nvrtc.log = dlsym(lib, "nvrtcGetProgramLog");
	*(void **)&nvrtc.ptxSize = dlsym(lib, "nvrtcGetPTXSize");
	*(void **)&nvrtc.ptx = dlsym(lib, "nvrtcGetPTX");
	*(void **)&nvrtc.destroy = dlsym(lib, "nvrtcDestroyProgram");
	*(void **)&nvrtc.archCount = dlsym(lib, "nvrtcGetNumSupportedArchs");
	*(void **)&nvrtc.archs = dlsym(lib, "nvrtcGetSupportedArchs");
	*(void **)&nvrtc.create = dlsym(lib, "nvrtcCreateProgram");
	if (nvrtc.create && nvrtc.compile && nvrtc.logSize && nvrtc.log && nvrtc.ptxSize && nvrtc.ptx && nvrtc.destroy &&
	    nvrtc.archCount && nvrtc.archs) return 0;
	return "it lacks functions of NVRTC 11.2 and later";
}

// newest returns the newest architecture up to most that the library compiles for, 0 if
// there is none.
static int newest(int most) {
	int n = 0, best = 0, all[256];
	if (nvrtc.archCount(&n) || n > 256 || nvrtc.archs(all)) return 0;
	for (int i = 0; i < n; i++)
		if (all[i] <= most && all[i] > best) best = all[i];
	return best;
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
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/efoc/efoc/kernels/cuda"
)

// libraries are the names and installation paths of NVRTC.
var libraries = []string{
	"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "/usr/local/cuda/lib64/libnvrtc.so",
}

// library loads NVRTC on first use: the library named by EFOC_NVRTC, or the first that is found.
var library = sync.OnceValue(func() error {
	names := libraries
	if named := os.Getenv("EFOC_NVRTC"); named != "" {
		names = []string{named}
	}
	var refused []error
	for _, name := range names {
		message := loadLibrary(name)
		if message == nil {
			return nil
		}
		text := C.GoString(message)
		if !strings.HasPrefix(text, name) {
			text = name + ": " + text
		}
		refused = append(refused, errors.New(text))
	}
	return fmt.Errorf("there is no compiler: NVRTC cannot be loaded: set EFOC_NVRTC to the path of libnvrtc.so, "+
		"or compile the kernels where there is one:\n%w", errors.Join(refused...))
})

// loadLibrary loads NVRTC and returns the error, if any. NVRTC looks for its builtins library by its bare name,
// which the loader resolves if the library next to NVRTC is already loaded.
func loadLibrary(name string) *C.char {
	call := func(path string, load func(*C.char)) {
		text := C.CString(path)
		defer C.free(unsafe.Pointer(text))
		load(text)
	}
	if strings.Contains(name, "/") {
		builtins, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "libnvrtc-builtins.so*")) // the pattern is well formed
		for _, path := range builtins {
			call(path, func(p *C.char) { C.dlopen(p, C.RTLD_NOW) }) // if this fails, NVRTC reports it when it compiles
		}
	}
	var message *C.char
	call(name, func(p *C.char) { message = C.load(p) })
	return message
}

// compile compiles a module to PTX for a compute capability.
func compile(s cuda.Source, capability int) ([]byte, error) {
	if err := library(); err != nil {
		return nil, err
	}
	arch := int(C.newest(C.int(capability)))
	if arch == 0 {
		return nil, fmt.Errorf("NVRTC has no architecture for compute capability %d.%d: set EFOC_NVRTC to the path of another version", capability/10, capability%10)
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
	// Arrays of pointers passed to C must be in C memory.
	size := C.size_t(len(headers)) * C.size_t(unsafe.Sizeof(uintptr(0)))
	texts, names := C.malloc(size), C.malloc(size)
	held = append(held, texts, names)
	for i, name := range slices.Sorted(maps.Keys(headers)) {
		unsafe.Slice((**C.char)(texts), len(headers))[i] = text(headers[name])
		unsafe.Slice((**C.char)(names), len(headers))[i] = text(name)
	}
	var log *C.char
	ptx := C.run(text(s.Text), text(s.Name), C.int(len(headers)), (**C.char)(texts), (**C.char)(names),
		text(fmt.Sprint("--gpu-architecture=compute_", arch)), &log)
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
