#!/usr/bin/env bash
# rehearse.sh FOLDER: packs a kit of a small graph and runs both parts of it on the fake driver of
# FOLDER (of setup.sh), as on a machine that lacks most programs. The fake computes nothing, so steps
# that compare numbers have to fail; all others have to pass.
set -euo pipefail
toolkit=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mkdir -p "$1" && cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$toolkit/../../../cmd/bench" && go run . graph "$work/graph" --entities 300 --relations 10 --heldout 100 --rank 8 >"$work/log")
cd "$work"
ARCH='' PRESET=0 QUERIES=2 "$toolkit/kit.sh" "$folder" "$work/graph" >>"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
mkdir there bin
(cd there && python3 -m tarfile -e ../gpu-kit.tar.xz)
for tool in bash cat cp cut date dirname env grep gzip head ls mkdir mktemp nproc paste printf realpath rm sed sleep sort tail tar tee timeout uname uniq xargs; do
	ln -s "$(command -v "$tool")" "bin/$tool"
done
ln -s "$(python3 -c 'import sys; print(sys.executable)')" bin/python3 # on the path there may be a script
small="--entities 300 --relations 10 --facts 10 --heldout 100"
run() { # PART NAME=VALUE...
	env -i PATH="$work/bin" LD_LIBRARY_PATH="$folder/fake" EFOC_NVRTC="$folder/usr/lib/x86_64-linux-gnu/libnvrtc.so" EFOC_FAKECUDA_RANK=1 OUT="$work/out" BATCH=4 RUNS=1 RANK=8 \
		EVAL="--limit 1" FB="$small" NELL="$small" "${@:2}" bash there/gpu-kit/run.sh "$1" >>"$work/log" 2>&1
}
fail() { cat "$work/log" >&2; echo "rehearse.sh: $1" >&2; exit 1; }
verdicts() { # PART VERDICT STEP...
	local step
	for step in "${@:3}"; do
		grep -q "^== $step: $2" "out/summary-$1.txt" || { cat "there/gpu-kit/work/report-$1/$step.log" >&2; fail "part $1, $step: want $2"; }
	done
}
run 1 || fail "part 1 ended with $?"
verdicts 1 'passed' driver processor gpu-nsmp gpu-fit gpu-mixed time time-batch times
verdicts 1 'FAILED' shapes agree batches
verdicts 1 'not possible here' facts torch-graph memcheck ncu
run 2 || fail "part 2 ended with $?"
verdicts 2 'passed' nell time-nell time-nell-batch processor-times times
verdicts 2 'FAILED' ops rest
verdicts 2 'not possible here' ncu-batch torch-nell racecheck synccheck initcheck torch-compile torch-eager
for file in report-1/gpu-nsmp.log report-1/gpu-fb-1.json report-1/scores-cuda-mixed.jsonl report-1/summary.txt; do
	tar -tzf out/report-1.tar.gz "$file" >/dev/null || fail "report-1.tar.gz lacks $file"
done
# The tables have all shapes under three semantics, and 14 in batches under two.
for part in 1 2; do
	sed -n '/^== times/,$p' "out/summary-$part.txt"
	grep -q "^THESE ARE NOT A GPU'S TIMES" "out/summary-$part.txt" || fail "part $part: the times are not marked"
	grep -q '^97 times' "out/summary-$part.txt" || fail "part $part: want 3·23 + 2·14 times"
done
run 2 LIMIT=8 || fail "part 2 ended with $?"
verdicts 2 'no time is left' ops rest
echo "the kit ran as expected: $(grep -h "^part" out/summary-?.txt | paste -s -d ,)"
