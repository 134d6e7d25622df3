#!/usr/bin/env bash
# run.sh PART: tests and measures the kernels on this machine's GPU. Part 1 takes at most 430
# seconds, part 2 at most 330; each also runs alone. Results go to $OUT: summary-PART.txt, to be
# read first, and report-PART.tar.gz with all logs, both after every step. The most valuable steps
# come first; one that fails leaves the others alone, and times are taken while nothing else runs.
#
#	LIMIT                 seconds after which the part ends
#	PYTHON                a Python, best one with PyTorch (python3)
#	FEW, BATCHES, RUNS    what is timed, and how often
#	EVAL, LARGE           further flags of smaller runs
set -uo pipefail
self=$(realpath "${BASH_SOURCE[0]}")
kit=$(dirname "$self")
command=${1:-1}
part=${EFOC_PART:-$command} # of the steps, which run in processes of their own
out=${OUT:-$kit/out}
python=${PYTHON:-python3}
data=$kit/data
efoc=$kit/bin/efoc
work=$kit/work # models and caches
report=$work/report-$part
few=${FEW:-1p,2p,2i,2in,2u,3c}
batches=${BATCHES:-1,256}
runs=${RUNS:-11}
all='3cm 3c pi pni up 3il 3mp 3pm pin 2il 3p im 2nm 2m inp ip 2p 2u 3in 3i 2in 2i 1p' # those that take longest first

# Of checkpoints there is one.
checkpoint() { ls "$data"/checkpoint.*; }
# need exits with 3 where a program, or a package of Python, is missing.
need() { command -v "$1" >/dev/null || { echo "$1 is not on the path"; exit 3; }; }
need_torch() { "$python" -c 'import torch; assert torch.cuda.is_available()' || { echo "$python has no PyTorch for this GPU"; exit 3; }; }

facts() {
	local tool
	echo "commit $(cat "$kit/commit"), $(nproc) processor cores, Linux $(uname -r)"
	for tool in ncu compute-sanitizer "$python"; do echo "$tool: $(command -v "$tool" || echo missing)"; done
	echo "NVRTC: ${EFOC_NVRTC:-missing}"
	need nvidia-smi
	nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.sm,clocks.max.sm,clocks.mem,power.limit --format=csv,noheader
}
driver() { "$kit/bin/driver.test" -test.v; }
# tests NAMES: tests that compare with plain loops. Some must not only pass but run.
tests() {
	cd "$kit/cugen" && "$kit/bin/cugen.test" -test.v -test.run "$1" 2>&1 | tee "$report/tests-$$.log" && grep -q -- '--- PASS: TestGPU/' "$report/tests-$$.log"
}
# shape NAME: one by message passing, truth degrees and mixtures on a small model, in a process of its
# own, which a kernel that fails does not take from the others.
shape() {
	local log=$report/shape-$1.log verdict=ok
	(cd "$kit/cugen" && "$kit/bin/cugen.test" -test.v -test.run "^TestGPU\$/^(degrees)?int840\$/^$1\$") >"$log" 2>&1 || verdict=WRONG
	[ "$verdict" = WRONG ] || [ "$(grep -c -- "--- PASS: TestGPU/.*int840/$1 " "$log")" = 2 ] || verdict='not compared'
	echo "$1: $verdict"
	[ "$verdict" = ok ]
}
shapes() {
	# shellcheck disable=SC2086  # a list
	printf '%s\n' $all | xargs -P "$(nproc)" -I{} bash "$self" --step shape {}
	local code=$?
	grep -hE 'entity [0-9]+ of vector|panic|CUDA_ERROR|cu[A-Z][A-Za-z]+:' "$report"/shape-*.log | sort | uniq -c | sort -rn | head -12
	return "$code"
}
import() { "$efoc" import "$data" --checkpoint "$(checkpoint)" --table "$1" --no-calibration -o "$work/$2.efoc"; }
# score DEVICE SEMANTICS: the scores of the hard answers of all queries, from float32 tables.
score() {
	# shellcheck disable=SC2086  # a list of flags
	"$efoc" eval --device "$1" --semantics "$2" --model "$work/float32.efoc" "$data/queries.jsonl" --dump "$report/dump-$1-$2.jsonl" ${EVAL:-}
}
# processor does what needs no GPU: models, and the processor's side of the comparison.
processor() {
	import int8+none int8 && import float32 float32 || return
	score cpu nsmp && score cpu fit && score cpu mixed
}
agree() { "$python" "$kit/agree.py" "$report"; }
# time_of REPORT FLAGS...: milliseconds a query, ids to answers.
time_of() {
	"$efoc" bench --model "$work/int8.efoc" --queries "$data/queries.jsonl" --shape "$few" --batch "$batches" --json "$report/$1.json" "${@:2}"
}
time_gpu() { time_of "gpu-$1" --device cuda --engine cuda --semantics "$1" --limit 20 --runs "$runs"; }
time_processor() { time_of processor --engine compiled --semantics nsmp,mixed --limit 5 --runs 2; }
torch() { # MODE BATCHES SECONDS
	need_torch
	"$python" "$kit/torchgraph.py" "$data" "$(checkpoint)" "$data/queries.jsonl" "$report/torch-$1.json" --modes "$1" --shapes "$few" --batches "$2" --seconds "$3"
}
times() { "$python" "$kit/times.py" "$report"; }
sanitize() { # TOOL TEST
	need compute-sanitizer
	cd "$kit/cugen" && compute-sanitizer --tool "$1" --error-exitcode 9 --print-limit 20 "$kit/bin/cugen.test" -test.v -test.run "^TestGPU\$/$2"
}
# profile KERNELS SHAPE BATCH COUNT: the first kernels whose names match. ncu ends the program itself.
profile() {
	local log=$report/ncu-$2-$3.txt
	need ncu
	ncu --clock-control none --section SpeedOfLight --section MemoryWorkloadAnalysis --section Occupancy --section LaunchStats --launch-count "$4" --kill yes --kernel-name "regex:$1" \
		"$efoc" bench --device cuda --engine cuda --semantics nsmp --shape "$2" --batch "$3" --limit 1 --runs 1 --queries "$data/queries.jsonl" --model "$work/int8.efoc" >"$log" 2>&1
	grep -E '^ +efoc_|Duration|Registers Per|Achieved Occ|(DRAM|Memory|L2 Cache|Compute \(SM\)) Throughput|==ERROR' "$log" | sed -E 's/ +/ /g' | paste -sd' ' | sed 's/ efoc_/\nefoc_/g'
	grep -q '^ *efoc_' "$log"
}
# large times a table that no cache holds: 250,000 entities at rank 256 are 512 MB in float32.
large() {
	# shellcheck disable=SC2086  # a list of flags
	"$kit/bin/bench" graph "$work/large" --entities 250000 --relations 50 --facts 3 --rank 256 ${LARGE:-} &&
		"$efoc" import "$work/large" --checkpoint "$work/large/checkpoint.safetensors" --table float32 --no-calibration -o "$work/large.efoc" &&
		"$efoc" sample --graph "$work/large" -n 2 --shape 1p,2p -o "$work/large.jsonl" || return
	"$efoc" bench --device cuda --engine cuda --semantics nsmp --shape 1p,2p --batch 1,64 --limit 2 --runs 5 --model "$work/large.efoc" --queries "$work/large.jsonl" --json "$report/large.json"
}

say() { echo "$@" | tee -a "$report/summary.txt"; }
# keep brings what there is to $OUT.
keep() {
	cp "$report/summary.txt" "$out/summary-$part.txt"
	tar -czf "$work/report.tar.gz" -C "$work" "report-$part" && cp "$work/report.tar.gz" "$out/report-$part.tar.gz"
}
# begin NAME LIMIT COMMAND...: starts a step, which has so many seconds and no more than the part.
declare -A began process
begin() {
	local name=$1 limit=$2 left=$((deadline - SECONDS))
	shift 2
	[ "$limit" -le "$left" ] || limit=$left
	process[$name]=
	[ "$limit" -ge 5 ] || return
	began[$name]=$SECONDS
	timeout -k 5 "$limit" bash "$self" --step "$@" >"$report/$name.log" 2>&1 </dev/null &
	process[$name]=$!
}
# end NAME [LINES]: waits for a step, and notes what came of it and the last lines that it printed.
end() {
	local code verdict
	[ -n "${process[$1]}" ] || { say "== $1: no time is left" && return; }
	wait "${process[$1]}"
	code=$?
	case $code in 0) verdict=passed ;; 3) verdict='not possible here' ;; 124 | 137) verdict='out of time' ;; *) verdict="FAILED ($code)" ;; esac
	say "== $1: $verdict, $((SECONDS - ${began[$1]})) s, at $SECONDS"
	tail -n "${2:-3}" "$report/$1.log" | cut -c 1-200 | tee -a "$report/summary.txt"
	keep
}
step() { # NAME LIMIT LINES COMMAND...
	begin "$1" "$2" "${@:4}"
	end "$1" "$3"
}

# find_tools adds the places where images keep CUDA's tools and libraries.
find_tools() {
	local path
	for path in /usr/local/cuda/bin /usr/local/cuda*/compute-sanitizer /opt/nvidia/nsight-compute/* /usr/local/cuda*/nsight-compute* /usr/local/nvidia/bin; do
		[ ! -d "$path" ] || PATH=$PATH:$path
	done
	for path in /usr/local/nvidia/lib64 /usr/local/nvidia/lib; do # the driver, where the loader does not know it
		[ ! -e "$path/libcuda.so.1" ] || LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$path
	done
	for path in /usr/local/cuda*/lib64/libnvrtc.so{,.13} /usr/local/cuda*/targets/x86_64-linux/lib/libnvrtc.so{,.13}; do
		[ ! -e "$path" ] || EFOC_NVRTC=${EFOC_NVRTC:-$path}
	done
	export PATH HOME=${HOME:-$work} LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-} EFOC_NVRTC=${EFOC_NVRTC:-}
	# What the driver, Triton and PyTorch translate is kept for the next step.
	export CUDA_CACHE_PATH=${CUDA_CACHE_PATH:-$work/jit} CUDA_CACHE_MAXSIZE=4294967296 TRITON_CACHE_DIR=$work/triton TORCHINDUCTOR_CACHE_DIR=$work/inductor PYTHONUNBUFFERED=1
}

part1() {
	step facts 20 16 facts
	step driver 40 6 driver
	begin processor 160 processor
	step shapes 110 24 shapes
	end processor 2
	for semantics in nsmp fit mixed; do step "gpu-$semantics" 45 1 score cuda "$semantics"; done
	step agree 20 20 agree
	step batches 60 6 tests '^TestGPU$/^batches$'
	step time-nsmp 45 1 time_gpu nsmp
	step time-mixed 45 1 time_gpu mixed
	step time-fit 30 1 time_gpu fit
	step torch-graph 60 16 torch graph "$batches" 50
	step times 10 40 times
	step memcheck 60 6 sanitize memcheck '^float32150$/^2p$'
	step ncu 60 20 profile 'efoc_.*' 2p 1 20
}
part2() {
	[ -f "$work/int8.efoc" ] || step import 60 1 import int8+none int8
	step ncu-batch 50 14 profile 'efoc_.*' 2p 256 14
	step racecheck 70 6 sanitize racecheck '^(degrees)?float32150$/^(2p|3c)$'
	step synccheck 40 4 sanitize synccheck '^float32150$/^(2p|3c)$'
	step initcheck 40 4 sanitize initcheck '^float32150$/^2p$'
	step large 70 12 large
	step torch-compile 80 14 torch compile "$batches" 60
	step torch-eager 30 8 torch eager 1 20
	step ops 60 4 tests '^TestGPU$/^(degree)?ops$'
	step rest 120 12 tests '^TestGPU$/^((typed|degrees)?float3240|(degrees)?bfloat1640|float321000|int81000)$'
	step processor-times 60 1 time_processor
	step times 10 40 times
}

find_tools
if [ "$command" = --step ]; then
	shift
	"$@"
	exit
fi
case $part in 1) limit=430 ;; 2) limit=330 ;; *) echo "run.sh: want part 1 or 2, not $part" >&2 && exit 2 ;; esac
deadline=$((${LIMIT:-$limit} - 5))
export EFOC_PART=$part
mkdir -p "$out" "$report" "$work/jit"
: >"$report/summary.txt"
trap keep EXIT
trap 'exit 143' TERM INT
"part$part"
say "part $part took $SECONDS s"
