#!/usr/bin/env bash
# rehearse.sh FOLDER: runs gpu-kit/run.sh of the working directory as it would run where
# there is a GPU, but on small models: in a root with the kit, a shell and the fake driver of
# FOLDER (of setup.sh), without Go and without network. It is killed in the middle of three steps
# first, and has so many seconds in another call that it does not end. Needs root.
set -euo pipefail
kit=$PWD/gpu-kit
fake=$(cd "$1" && pwd)/fake/libcuda.so.1
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null; rm -rf "$root"' EXIT
mkdir -p "$root"/{bin,lib64,fake,tmp,dev,proc}
cp -r "$kit" "$root/"
rm -rf "$root"/gpu-kit/report*
cp "$fake" "$root/fake/"
mount -t proc proc "$root/proc"
mknod -m 666 "$root/dev/null" c 1 3
ln -s /proc/self/fd "$root/dev/fd"
install() { # a file and the libraries that it needs, where they are
	local file
	for file in $(ldd "$1" | grep -o '/[^ ]*'); do
		mkdir -p "$root$(dirname "$file")" && cp -Ln "$file" "$root$file"
	done
}
for tool in bash cat cut dirname env grep gzip head mkdir mv rm sleep tail tar timeout; do
	cp -L "$(command -v "$tool")" "$root/bin/" && install "$(command -v "$tool")"
done
ln -s bash "$root/bin/sh"
install "$kit/bin/efoc"
run() { # steps, NAME=VALUE...
	local steps=$1
	shift
	# shellcheck disable=SC2016,SC2086  # the inner shell's; a list
	exec setsid unshare -n bash -c 'ip link set lo up; exec chroot "$@"' bash "$root" /bin/env -i PATH=/bin HOME=/tmp \
		LD_LIBRARY_PATH=/fake EFOC_FAKECUDA_RANK=1 GRAPH="--rank 8" BENCH="--runs 3 --batch 1,4 --shape 1p,2i" EVAL="--limit 1 --shape 1p,2i" \
		"$@" /bin/bash /gpu-kit/run.sh $steps
}
fail() { echo "rehearse.sh: $1" >&2; cat "$root/out" >&2; exit 1; }
report=$root/gpu-kit/report
for step in model times semantics; do
	(run "") >"$root/out" 2>&1 &
	until grep -q "^=== $step\$" "$root/out"; do
		kill -0 $! 2>/dev/null || fail "run.sh ended before $step"
		sleep 0.02
	done
	kill -KILL -- -$! # the step goes on, in a group of its own
	wait $! 2>/dev/null || true
	[ ! -f "$report/$step.status" ] || fail "$step was done when run.sh was killed"
done
(run "" BUDGET=30) >"$root/out" 2>&1 || true
! grep -qE "times|shapes" "$root/out" || fail "what is done was left"
grep -q "compile is left for another call" "$root/out" || fail "200 seconds fit in 30"
status=0
(run "") >"$root/out" 2>&1 || status=$?
cat "$root/out"
[ "$status" = 0 ] || fail "run.sh ended with $status"
grep -m 40 "^| " "$report/report.md"
# What needs programs that are not here, or a GPU, says so; all else passes.
for step in facts served torch compile speedup nvrtc memcheck racecheck ncu2p ncu3c ncubatch; do
	grep -q "^| $step | .* | not possible here |" "$report/report.md" || fail "$step"
done
for step in ops shapes degrees agree; do
	grep -q "^| $step | .* | skipped: fake driver |" "$report/report.md" || fail "$step"
done
for step in driver times model evalcpu evalgpu fitcpu fitgpu mixedcpu mixedgpu semantics; do
	grep -q "^| $step | .* | passed |" "$report/report.md" || { cat "$report/$step.log" >&2; fail "$step"; }
done
tar -tzf "$root/gpu-kit/report.tar.gz" report/times-float32.json report/report.md >/dev/null || fail "report.tar.gz lacks figures"
# Where the driver is no fake, tests that are skipped have failed.
(run shapes EFOC_FAKECUDA_RANK=) >"$root/out" 2>&1 && fail "a skipped test has passed"
grep -q "0 tests ran, want 226" "$root/out" || fail "a skipped test is not reported"
echo rehearsed
