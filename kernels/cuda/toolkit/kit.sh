#!/usr/bin/env bash
# kit.sh FOLDER: builds gpu-kit/ in the working directory, all that a machine with a GPU
# needs to test and measure the kernels: it has no Go, no network and little time. FOLDER is
# what setup.sh has made. The graph and the checkpoint of FB15k-237 and the PyTorch peer are
# taken from $EFOC_SHARED (../shared).
#
#	gpu-kit.tar.xz    the folder packed; there: tar xf gpu-kit.tar.xz && gpu-kit/run.sh
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
shared=$(cd "${EFOC_SHARED:-$root/../shared}" && pwd)
toolkit=$(cd "$1" && pwd)
kit=$PWD/gpu-kit
rm -rf "$kit" && mkdir -p "$kit/bin" "$kit/data"
cd "$root"

# Kernels whose code is out of date would be compiled there, which takes most of the time.
[ -n "${STALE:-}" ] || go test -count 1 -run '^TestCompiled$' ./codegen/cugen >/dev/null ||
	{ echo "kit.sh: the compiled kernels are out of date: go test -run TestCompiled ./codegen/cugen says which; STALE=yes builds the kit with them" >&2; exit 1; }

# What run.sh makes a model of, and queries of all shapes, few of each.
graph=$shared/data/fb15k-237
go run ./cmd/efoc sample --graph "$graph" -n 20 -o "$kit/data/queries.jsonl"
cp "$shared"/peer/nsmp_torch.py "$shared"/peer/queries.py "$kit/data/"
cp "$graph"/{train,valid,test,entities,relations}.tsv "$kit/data/"
# The checkpoint's numbers with mantissas of 6 bits, which bfloat16 holds, so that the rest packs to nothing.
python3 - "$graph/complex256.pt" "$kit/data/complex256.pt" <<'END'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as old, zipfile.ZipFile(sys.argv[2], 'w') as new:
    for entry in old.infolist():
        numbers = bytearray(old.read(entry))
        if '/data/' in entry.filename:  # float32, little-endian
            numbers[0::4] = numbers[1::4] = bytes(len(numbers) // 4)
            numbers[2::4] = bytes(b & 0xfc for b in numbers[2::4])
        new.writestr(entry.filename, bytes(numbers))
END

# shellcheck disable=SC1091  # written by setup.sh
source "$toolkit/env"
build() { go "$1" -tags cuda -ldflags "-s -w" "${@:2}"; }
build build -o "$kit/bin/efoc" ./cmd/efoc
build build -o "$kit/bin/bench" cmd/bench/main.go
build test -c -o "$kit/bin/driver.test" ./kernels/cuda/driver
build test -c -o "$kit/bin/cugen.test" ./codegen/cugen
mkdir -p "$kit/cugen" # where the tests run
cp kernels/cuda/toolkit/kit/run.sh kernels/cuda/toolkit/kit/torchpeer.py kernels/cuda/toolkit/kit/speedup.py "$kit/"

cd "$(dirname "$kit")"
# The programs have much in common, compiled kernels too: the dictionary holds all of them.
tar -cf - gpu-kit/bin/{efoc,cugen.test,bench,driver.test} gpu-kit/{cugen,data,run.sh,torchpeer.py,speedup.py} | xz --lzma2=preset=9,dict=192MiB >"$kit.tar.xz"
size=$(stat -c %s "$kit.tar.xz")
echo "gpu-kit.tar.xz: $((size >> 20)) MiB"
[ "$size" -le $((50 << 20)) ] || { echo "kit.sh: gpu-kit.tar.xz is larger than 50 MiB" >&2; exit 1; }
