#!/usr/bin/env bash
# run.sh PART: tests and measures the kernels on this machine's GPU. Part 1 takes at most 430
# seconds, part 2 at most 330; each also runs alone. Results go to $OUT: summary-PART.txt, to be
# read first, and report-PART.tar.gz with all logs, both after every step. The most valuable steps
# come first; one that fails leaves the others alone, and times are taken while nothing else runs.
#
#	LIMIT                 seconds after which the part ends
#	PYTHON                a Python, best one with PyTorch (python3)
#	BATCH, RUNS, RANK     of what is timed
#	EVAL, FB, NELL        further flags of smaller runs
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
batch=${BATCH:-256}
runs=${RUNS:-5}
rank=${RANK:-1000}
all='3cm 3c pi pni up 3il 3mp 3pm pin 2il 3p im 2nm 2m inp ip 2p 2u 3in 3i 2in 2i 1p' # those that take longest first
trees='1p,2p,3p,2i,3i,pi,ip,2u,up,2in,3in,inp,pin,pni' # that are timed in batches, too

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
# score DEVICE SEMANTICS: the scores of the hard answers of all queries, from float32 tables.
score() {
	# shellcheck disable=SC2086  # a list of flags
	"$efoc" eval --device "$1" --semantics "$2" --model "$work/float32.efoc" "$data/queries.jsonl" --state "$report/scores-$1-$2.jsonl" --json "$report/scores-$1-$2.json" ${EVAL:-}
}
lines() { grep -c '' "$1"; }
# drawn ENTITIES RELATIONS: five queries of each shape, at random.
drawn() {
	local shape query k
	RANDOM=1
	for shape in $all; do
		for query in 1 2 3 4 5; do
			printf '{"type": "%s"' "$shape"
			for k in 1 2 3; do printf ', "s%d": %d' "$k" $(((RANDOM << 15 | RANDOM) % $1)); done
			for k in 1 2 3 4 5 6; do printf ', "r%d": %d' "$k" $((RANDOM % (2 * $2))); done
			echo '}'
		done
	done
}
# sized NAME FLAGS...: a made up graph, its model at rank 1000, and queries.
sized() {
	local graph=$work/$1 entities relations
	"$kit/bin/bench" graph "$graph" "${@:2}" --rank "$rank" &&
		"$efoc" import "$graph" --checkpoint "$graph/checkpoint.safetensors" --table int8+none --no-calibration -o "$graph.efoc" &&
		entities=$(lines "$graph/entities.tsv") && relations=$(lines "$graph/relations.tsv") && drawn "$entities" "$relations" >"$graph.jsonl"
}
# Graphs of the sizes of FB15k-237 and NELL995: times hardly depend on what they say.
# shellcheck disable=SC2086  # lists of flags
fb() { sized fb --entities 14505 --relations 237 --facts 19 ${FB:-}; }
# shellcheck disable=SC2086
nell() { sized nell --entities 63361 --relations 200 --facts 2 ${NELL:-}; }
# processor does what needs no GPU: models, and the processor's side of the comparison.
processor() {
	"$efoc" import "$data" --checkpoint "$(checkpoint)" --table float32 --no-calibration -o "$work/float32.efoc" && fb || return
	score cpu nsmp && score cpu fit && score cpu mixed
}
agree() { "$python" "$kit/agree.py" "$report"; }
# time_of REPORT GRAPH FLAGS...: milliseconds a query, ids to answers.
time_of() {
	"$efoc" bench --model "$work/$2.efoc" --queries "$work/$2.jsonl" --limit 5 --runs "$runs" --json "$report/$1.json" "${@:3}"
}
time_single() { time_of "gpu-$1-1" "$1" --device cuda --engine cuda --semantics nsmp,fit,mixed --batch 1; }
time_batch() { time_of "gpu-$1-batch" "$1" --device cuda --engine cuda --semantics nsmp,mixed --batch "$batch" --shape "$trees"; }
time_processor() { time_of processor-fb fb --engine compiled --semantics nsmp --batch 1 --limit 1 --runs 1; }
torch() { # MODE GRAPH SECONDS
	need_torch
	"$python" "$kit/torchgraph.py" "$work/$2" "$rank" "$work/$2.jsonl" "$report/torch-$1-$2.json" --modes "$1" --batches "1,$batch" --seconds "$3"
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
		"$efoc" bench --device cuda --engine cuda --semantics nsmp --shape "$2" --batch "$3" --limit 1 --runs 1 --queries "$work/fb.jsonl" --model "$work/fb.efoc" >"$log" 2>&1
	grep -E '^ +efoc_|Duration|Registers Per|Achieved Occ|(DRAM|Memory|L2 Cache|Compute \(SM\)) Throughput|==ERROR' "$log" | sed -E 's/ +/ /g' | paste -sd' ' | sed 's/ efoc_/\nefoc_/g'
	grep -q '^ *efoc_' "$log"
}
say() { echo "$@" | tee -a "$report/summary.txt"; }
# keep brings what there is to $OUT.
keep() {
	cp "$report/summary.txt" "$out/summary-$part.txt"
	tar -czf "$work/report.tar.gz" -C "$work" "report-$part" && cp "$work/report.tar.gz" "$out/report-$part.tar.gz"
}
# begin NAME SECONDS/LIMIT COMMAND...: starts a step, which should take so many seconds, and has LIMIT and no more than the part.
declare -A began process estimate
begin() {
	local name=$1 limit=${2#*/} left=$((deadline - SECONDS))
	estimate[$name]=${2%/*}
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
	say "== $1: $verdict, $((SECONDS - ${began[$1]})) s, ${estimate[$1]} estimated, at $SECONDS"
	tail -n "${2:-3}" "$report/$1.log" | cut -c 1-200 | tee -a "$report/summary.txt"
	keep
}
step() { # NAME SECONDS/LIMIT LINES COMMAND...
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
	for path in /usr/local/cuda*/lib64/libnvrtc.so{,.13} /usr/local/cuda*/targets/x86_64-linux/lib/libnvrtc.so{,.13} $("$python" -c 'import glob, site; print(*(f for d in site.getsitepackages() for f in glob.glob(d + "/nvidia/*/lib/libnvrtc.so.1?*")))' 2>/dev/null); do
		[ ! -e "$path" ] || EFOC_NVRTC=${EFOC_NVRTC:-$path}
	done
	export PATH HOME=${HOME:-$work} LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-} EFOC_NVRTC=${EFOC_NVRTC:-}
	# What the driver, Triton and PyTorch translate is kept for the next step.
	export CUDA_CACHE_PATH=${CUDA_CACHE_PATH:-$work/jit} CUDA_CACHE_MAXSIZE=4294967296 TRITON_CACHE_DIR=$work/triton TORCHINDUCTOR_CACHE_DIR=$work/inductor PYTHONUNBUFFERED=1
}

# Behind the name of a step are the seconds that it should take on an H200 and 16 cores, and its limit. No card has
# confirmed the former: where processors do the work, it is computed from CPU-seconds (batches: 256 references each of
# 1p, 2p and 3c, which take 55, 140 and 470 ms), and elsewhere estimated.
part1() {
	step facts 2/20 16 facts
	step driver 5/40 6 driver
	begin processor 40/160 processor
	step shapes 20/110 24 shapes
	end processor 2
	for semantics in nsmp fit mixed; do step "gpu-$semantics" 5/45 1 score cuda "$semantics"; done
	step agree 1/20 20 agree
	step batches 11/60 6 tests '^TestGPU$/^batches$'
	step time 20/60 1 time_single fb
	step time-batch 20/45 1 time_batch fb
	step torch-graph 55/60 16 torch graph fb 50
	step times 1/10 60 times
	step memcheck 40/60 6 sanitize memcheck '^float32150$/^3c$'
	step ncu 40/60 20 profile 'efoc_.*' 2p 1 20
}
part2() {
	[ -f "$work/fb.efoc" ] || step import 15/60 1 fb
	begin nell 60/90 nell
	step ncu-batch 40/50 14 profile 'efoc_.*' 2p "$batch" 14
	end nell 2
	step time-nell 20/60 1 time_single nell
	step time-nell-batch 15/45 1 time_batch nell
	step torch-nell 33/40 16 torch graph nell 30
	step racecheck 50/70 6 sanitize racecheck '^(degrees)?float32150$/^(2p|3c)$'
	step synccheck 12/40 4 sanitize synccheck '^float32150$/^(2p|3c)$'
	step initcheck 12/40 4 sanitize initcheck '^float32150$/^2p$'
	step processor-times 15/30 1 time_processor
	step times 1/10 60 times
	step torch-compile 50/80 14 torch compile fb 45
	step torch-eager 17/30 8 torch eager fb 15
	step ops 5/60 4 tests '^TestGPU$/^(degree)?ops$'
	step rest 30/120 12 tests '^TestGPU$/^((typed|degrees)?float3240|float321000|int81000)$'
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
