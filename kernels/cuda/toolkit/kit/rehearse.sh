#!/usr/bin/env bash
# rehearse.sh FOLDER: runs gpu-kit/run.sh of the working directory as it would run where
# there is a GPU, but on small models: in a root with the kit, a shell and the fake driver of
# FOLDER (of setup.sh), without Go and without network. Needs root.
set -euo pipefail
kit=$PWD/gpu-kit
fake=$(cd "$1" && pwd)/fake/libcuda.so.1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{bin,lib64,fake,tmp,dev,proc}
cp -r "$kit" "$root/"
cp "$fake" "$root/fake/"
install() { # a file and the libraries that it needs, where they are
	local file
	for file in $(ldd "$1" | grep -o '/[^ ]*'); do
		mkdir -p "$root$(dirname "$file")" && cp -Ln "$file" "$root$file"
	done
}
for tool in bash cat dirname env mkdir tail timeout; do
	cp -L "$(command -v "$tool")" "$root/bin/" && install "$(command -v "$tool")"
done
ln -s bash "$root/bin/sh"
install "$kit/bin/efoc"
status=0
unshare -n chroot "$root" /bin/env -i PATH=/bin HOME=/tmp LD_LIBRARY_PATH=/fake EFOC_FAKECUDA_RANK=1 \
	BENCH="--scale 200 --rank 8 --runs 3 --batch 4" EVAL="--limit 1 --shape 1p,2i" REPORT=/report /bin/bash /gpu-kit/run.sh || status=$?
head -20 "$root/report/report.md"
# What needs programs that are not here says so; all else passes.
for step in facts torch compile memcheck racecheck ncu2p ncu3c ncubatch; do
	grep -q "^| $step | not possible here |" "$root/report/report.md" || { echo "rehearse.sh: $step" >&2; exit 1; }
done
for step in driver ops shapes degrees times kernels model evalcpu evalgpu fitcpu fitgpu mixedcpu mixedgpu semantics; do
	grep -q "^| $step | passed |" "$root/report/report.md" || { cat "$root/report/$step.log" >&2; echo "rehearse.sh: $step" >&2; exit 1; }
done
echo "rehearsed: run.sh ended with $status"
