#!/usr/bin/env bash
# compiler.sh FOLDER: nvrtcc in FOLDER/bin, with the compiler that the committed kernels are compiled by,
# NVRTC 11.8, whose PTX drivers from 520 on run, and ptxas 13.0, whose machine code drivers from 580 on
# run. They are fetched by pip, which checks their hashes, and never committed.
#
#	PATH=$PATH:FOLDER/bin efoc generate --cuda codegen/shapes/shapes.efo
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/bin"
root=$(cd "$1" && pwd)
lib=$root/nvidia/cuda_nvrtc/lib
if [ ! -f "$lib/libnvrtc.so.11.2" ] || [ ! -f "$root/nvidia/cu13/bin/ptxas" ]; then
	printf '%s --hash=sha256:%s\n' \
		nvidia-cuda-nvrtc-cu11==11.8.89 a8d02f3cba345be56b1ffc3e74d8f61f02bb758dd31b0f20e12277a5a244f756 \
		nvidia-cuda-nvcc==13.0.88 56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03 >"$root/wants"
	python3 -m pip install -q --no-deps --require-hashes --only-binary=:all: --target "$root" -r "$root/wants"
	rm "$root/wants"
fi
gcc -O1 "$here/nvrtcc.c" -o "$root/bin/nvrtcc.bin" "$lib/libnvrtc.so.11.2"
printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$lib" "$root/bin/nvrtcc.bin" >"$root/bin/nvrtcc"
chmod +x "$root/bin/nvrtcc"
ln -sf ../nvidia/cu13/bin/ptxas "$root/bin/ptxas"
