#!/usr/bin/env bash
# kit.sh FOLDER [GRAPH]: packs gpu-kit.tar.xz in the working directory: everything that a machine
# with a GPU, but with neither Go nor network, needs to test and measure the kernels. setup.sh and
# compiler.sh fetch their tools into FOLDER. GRAPH is a folder with a graph and a checkpoint, by
# default FB15k-237 of $EFOC_SHARED (../shared).
#
#	ARCH=sm_90    the GPU whose machine code is in the kit; with ARCH= drivers translate the PTX
#	PRESET=9      the preset of xz
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
graph=$(cd "${2:-${EFOC_SHARED:-$root/../shared}/data/fb15k-237}" && pwd)
arch=${ARCH-sm_90}
kit=$PWD/gpu-kit
"$root/kernels/cuda/toolkit/setup.sh" "$1"
toolkit=$(cd "$1" && pwd)
rm -rf "$kit" && mkdir -p "$kit/bin" "$kit/data" "$kit/cugen" # tests run in cugen
cd "$root"

# The graph, its checkpoint, and queries of all shapes, few of each.
go run ./cmd/efoc sample --graph "$graph" -n "${QUERIES:-20}" -o "$kit/data/queries.jsonl"
cp "$graph"/*.tsv "$kit/data/"
for checkpoint in "$graph"/*.pt "$graph"/checkpoint.safetensors; do
	[ ! -f "$checkpoint" ] || cp "$checkpoint" "$kit/data/checkpoint.${checkpoint##*.}"
done
chmod -R u+w "$kit/data"
# Numbers of a checkpoint with mantissas of 6 bits, which bfloat16 holds: the rest packs to nothing.
[ ! -f "$kit/data/checkpoint.pt" ] || python3 - "$kit/data/checkpoint.pt" <<'END_OF_PYTHON'
import io, sys, zipfile

path = sys.argv[1]
with open(path, 'rb') as f:
    old = zipfile.ZipFile(io.BytesIO(f.read()))
with zipfile.ZipFile(path, 'w') as new:
    for entry in old.infolist():
        numbers = bytearray(old.read(entry))
        if '/data/' in entry.filename:  # float32, little-endian
            numbers[0::4] = numbers[1::4] = bytes(len(numbers) // 4)
            numbers[2::4] = bytes(b & 0xfc for b in numbers[2::4])
        new.writestr(entry.filename, bytes(numbers))
END_OF_PYTHON

# translated ARCHIVE FILE...: where a copy of the archive with machine code is. It is made once.
translated() {
	local archive=$1 copy
	copy=$toolkit/machine/$arch-$(sha256sum "$1" | cut -c 1-16).tar.zst
	mkdir -p "$toolkit/machine"
	shift
	[ -f "$copy" ] || { PATH=$PATH:$toolkit/compiler/bin go run ./kernels/cuda/toolkit/compile -machine "$arch" -o "$copy.part" "$archive" "$@" && mv "$copy.part" "$copy"; } || return
	echo "$copy"
}
overlay=$toolkit/overlay.json
replace=()
if [ -n "$arch" ]; then
	kernels/cuda/toolkit/compiler.sh "$toolkit/compiler"
	for archive in codegen/shapes/shapes kernels/cuda/table/table kernels/cuda/fit/fit kernels/cuda/driver/testdata/test; do
		archive+=_compiled.tar.zst
		machine=$(translated "$archive" "$(dirname "$archive")"/*.cu)
		replace+=("\"$root/$archive\": \"$machine\"")
	done
fi
(IFS=, && echo "{\"Replace\": {${replace[*]-}}}") >"$overlay"

# shellcheck disable=SC1091  # written by setup.sh
source "$toolkit/env"
build() { go "$1" -tags cuda -overlay "$overlay" -ldflags "-s -w" "${@:2}"; }
build build -o "$kit/bin/efoc" ./cmd/efoc
(cd cmd/bench && build build -o "$kit/bin/bench" .)
build test -c -o "$kit/bin/driver.test" ./kernels/cuda/driver
build test -c -o "$kit/bin/cugen.test" ./codegen/cugen
cp kernels/cuda/toolkit/kit/{run.sh,agree.py,times.py,torchgraph.py} "$kit/"
git rev-parse HEAD >"$kit/commit" 2>/dev/null || true

cd "$(dirname "$kit")"
# The programs have much in common, compiled kernels too: the dictionary holds all of them.
tar -cf - gpu-kit/bin/{efoc,cugen.test,bench,driver.test} gpu-kit/{cugen,data,commit} gpu-kit/*.{sh,py} |
	xz --lzma2="preset=${PRESET:-9},dict=192MiB" >"$kit.tar.xz"
size=$(stat -c %s "$kit.tar.xz")
echo "gpu-kit.tar.xz: $((size >> 20)) MiB"
[ "$size" -le $((46 << 20)) ] || { echo "kit.sh: gpu-kit.tar.xz is larger than 46 MiB: with the tree it shall stay below 60" >&2; exit 1; }
