//go:build cuda

package probe

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>

// probe returns 0 if there is a device, or 1 without a driver, 2 if it does not
// start (with its code), 3 without a device.
static int probe(int *code) {
	int (*init)(unsigned), (*count)(int *), n = 0;
	void *lib = dlopen("libcuda.so.1", RTLD_NOW);
	if (!lib) return 1;
	init = (int (*)(unsigned))dlsym(lib, "cuInit");
	count = (int (*)(int *))dlsym(lib, "cuDeviceGetCount");
	if (!init || !count) return 1;
	if ((*code = init(0)) != 0) return *code == 100 ? 3 : 2;
	if ((*code = count(&n)) != 0) return 2;
	return n > 0 ? 0 : 3;
}
*/
import "C"

import (
	"fmt"
	"os"
)

func init() {
	if msg := missing(); msg != "" {
		fmt.Fprintln(os.Stderr, "efoc:", msg)
		os.Exit(1)
	}
}

// missing describes what a GPU program lacks here; it is empty if there is a device.
func missing() string {
	const hint = "; this program was built with the tag cuda and needs a GPU: build it without the tag to do without one"
	var code C.int
	switch C.probe(&code) {
	case 0:
		return ""
	case 1:
		return "there is no NVIDIA driver: libcuda.so.1 cannot be loaded" + hint
	case 2:
		return fmt.Sprintf("the NVIDIA driver does not start: error %d of cuInit (nvidia-smi may say more)", int(code)) + hint
	}
	return "the NVIDIA driver finds no GPU (is CUDA_VISIBLE_DEVICES set?)" + hint
}
