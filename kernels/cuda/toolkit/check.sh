#!/usr/bin/env bash
# check.sh FOLDER: what CI checks of the CUDA path, without a GPU, with the toolkit that
# setup.sh has put into FOLDER: the tagged build, the host's calls against the fake
# driver, and that all generated kernels compile.
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$(cd "$1" && pwd)
# shellcheck disable=SC1091  # written by setup.sh
source "$root/env"
go vet -tags cuda ./kernels/cuda/... ./runtime/device/... ./codegen/cugen ./cmd/efoc ./cmd/internal/gpu
(cd testdata/downstream && go vet -tags cuda ./...)
(
	export LD_LIBRARY_PATH=$root/fake:$LD_LIBRARY_PATH
	EFOC_NVRTC=$root/usr/lib/x86_64-linux-gnu/libnvrtc.so go test -vet=off -tags cuda ./kernels/cuda/driver
	go test -vet=off -tags cuda -run "TestGPU|TestHost|TestApart" ./codegen/cugen
)
# Without a driver a program starts, and says what is missing.
if ! ldconfig -p | grep -q libcuda.so.1; then
	without=$(go test -vet=off -tags cuda -count 1 ./kernels/cuda/driver 2>&1 || true)
	[[ $without == *"there is no NVIDIA driver: libcuda.so.1 cannot be loaded"* ]] ||
		{ echo "without a driver, a program says: $without" >&2; exit 1; }
fi
if CGO_ENABLED=0 go list -deps ./cmd/efoc | grep -q gorgonia.org/cu; then
	echo "the build without the tag links gorgonia.org/cu" >&2
	exit 1
fi
# One compiler, pinned. -G leaves out optimisation, which takes most of the time: those that are committed compiled are optimised.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in codegen/shapes/*.cu kernels/cuda/{table,fit}/*.cu testdata/downstream/*.cu; do
	echo "$source"
done | xargs -P 2 -I{} sh -c 'nvrtcc "$1" compute_80 "$2/$(basename "$1" .cu).ptx" -G -Ikernels/cuda/src' sh {} "$work"
ls "$work"/*.ptx | wc -l
