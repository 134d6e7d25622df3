#!/usr/bin/env bash
# run.sh [STEP...]: tests and measures the kernels on this machine's GPU, and writes the
# folder $REPORT (report, beside this file) and report.tar.gz. The steps come by worth, and each
# takes less than five minutes. What has ended, well or not, is left out next time: call it again
# until it says that nothing is left; name a step to have it again. With BUDGET=SECONDS it ends
# in that time: what does not fit is left for the next call. It may be killed at any time.
# GRAPH, BENCH and EVAL hold further flags for a trial.
set -uo pipefail
kit=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
report=${REPORT:-$kit/report}
mkdir -p "$report" || exit
report=$(cd "$report" && pwd)
python=${PYTHON:-python3}
efoc=$kit/bin/efoc bench=$kit/bin/bench data=$kit/data

# name, seconds that it takes at about, seconds after which it is ended, what it shows
steps='
facts      2   30 the card, its clocks and its memory
driver     3   60 modules, graphs and copies of the real driver
ops       20  150 every op against plain loops
shapes    60  285 23 shapes by message passing, alone and in batches, up to rank 1000, all tables, against plain loops
degrees   90  285 the same by truth degrees and mixtures
model     10  120 a bfloat16 model of FB15k-237, rank 256
evalcpu   10  120 MRR by message passing on the processor
evalgpu   10  180 the same on the GPU
fitcpu    10  120 MRR by truth degrees on the processor
fitgpu    10  180 the same on the GPU
mixedcpu  10  120 MRR by mixtures on the processor
mixedgpu  10  180 the same on the GPU
agree      1   10 how far the two are apart
times     90  285 milliseconds a query at rank 1000, alone and in batches, ids to answers
semantics 60  240 milliseconds a query by message passing, truth degrees and mixtures, processor and GPU
served    25  120 a server on the GPU asked by 1, 16 and 128 clients at once
torch     60  240 NSMP in PyTorch on the same card
compile  200  290 the same by torch.compile
speedup    1   10 how many times faster efoc is than PyTorch, on the same queries and card
nvrtc     20  150 a shape that NVRTC compiles when it is asked
memcheck  90  285 2p and 3c under compute-sanitizer memcheck
racecheck 120 285 2p and 3c under compute-sanitizer racecheck
ncu2p     60  240 every kernel of one 2p under ncu
ncu3c     60  240 the passes of 3c under ncu, with their bandwidth
ncubatch  60  240 the products of a batch under ncu
'
all=()
declare -A typical most about
while read -r name t m text; do
	[ -z "$name" ] || { all+=("$name") && typical[$name]=$t && most[$name]=$m && about[$name]=$text; }
done <<<"$steps"

# first DIRECTORY_OR_FILE...: the first that exists.
first() {
	local path
	for path in "$@"; do [ ! -e "$path" ] || { echo "$path" && return; }; done
	return 1
}
# find_tools adds the places where CUDA's tools and libraries may lie.
find_tools() {
	local dir wheels
	for dir in /usr/local/cuda/bin /usr/local/cuda*/bin /usr/local/cuda*/compute-sanitizer /opt/nvidia/nsight-compute/* /usr/local/cuda*/nsight-compute* /usr/local/nvidia/bin; do
		[ ! -d "$dir" ] || PATH=$PATH:$dir
	done
	for dir in /usr/local/nvidia/lib64 /usr/local/nvidia/lib; do # the driver, where the loader does not know it
		[ ! -e "$dir/libcuda.so.1" ] || export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$dir
	done
	wheels=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' 2>/dev/null)/nvidia
	for dir in "$wheels"/*/bin; do
		[ ! -d "$dir" ] || PATH=$PATH:$dir
	done
	[ -n "${EFOC_NVRTC:-}" ] ||
		EFOC_NVRTC=$(first /usr/local/cuda*/lib64/libnvrtc.so{,.13,.12} /usr/local/cuda*/targets/x86_64-linux/lib/libnvrtc.so{,.13} "$wheels"/*/lib/libnvrtc.so.1[23]) ||
		EFOC_NVRTC=
	export PATH EFOC_NVRTC
	export TORCHINDUCTOR_CACHE_DIR=$kit/inductor TRITON_CACHE_DIR=$kit/inductor # a second try of a step goes on
}

# Steps end with 3 where something is missing, and 4 where a fake driver computes nothing.
need() { command -v "$1" >/dev/null || { echo "$1 is not on the path"; return 3; }; }
need_nvrtc() { [ -n "$EFOC_NVRTC" ] || { echo "there is no libnvrtc.so in /usr/local/cuda or among the packages of $python: set EFOC_NVRTC"; return 3; }; }
fake() { [ -n "${EFOC_FAKECUDA_RANK:-}" ]; } # as in a rehearsal
# compared COUNT NAMES PROGRAM...: runs tests, of which so many must not only pass but run.
compared() {
	local count=$1 names=$2 line ran=0 code
	shift 2
	exec {lines}< <(cd "$kit/cugen" && "$@" "$kit/bin/cugen.test" -test.v -test.run "$names" 2>&1; echo "exit $?")
	while read -r line <&"$lines"; do
		case $line in
		'exit '*) code=${line#exit } ;;
		'=== '*) ;;
		'--- PASS: '*) ran=$((ran + 1)) && echo "$line" ;;
		*) echo "$line" ;;
		esac
	done
	[ "${code:-1}" = 0 ] || return "${code:-1}"
	! fake || return 4
	[ "$ran" -ge "$count" ] || { echo "$ran tests ran, want $count: the others were skipped, though there is a GPU"; return 1; }
}
sanitize() {
	need compute-sanitizer || return
	compared 7 '^TestGPU$/^(degrees)?float32150$/^(2p|3c)$' compute-sanitizer --tool "$1" --error-exitcode 9
}
evaluate() { # device, semantics
	# shellcheck disable=SC2086  # a list of flags
	"$efoc" eval --device "$1" --semantics "$2" --model "$data/fb15k-237.efoc" "$data/queries.jsonl" ${EVAL:-} >"$report/eval-$1-$2.txt" && cat "$report/eval-$1-$2.txt"
}
torch() {
	need "$python" || return
	"$python" -c 'import torch, scipy' || { echo "$python lacks PyTorch or SciPy"; return 3; }
	"$python" "$kit/torchpeer.py" "$data/nsmp_torch.py" "$data" "$data/complex256.pt" "$data/queries.jsonl" --time --limit 5 "$@"
}
profile() { # shape, kernels, how many
	local out=$report/${FUNCNAME[1]#step_}.txt
	need ncu || return
	ncu --clock-control none --set full --launch-count "$3" --kill yes --kernel-name "regex:$2" "$efoc" bench --device cuda --engine compiled --semantics nsmp \
		--shape "$1" --queries "$data/queries.jsonl" --model "$data/fb15k-237.efoc" --runs 3 --batch 1,64 --limit 64 >"$out" 2>&1
	grep -E '^ +efoc_|Duration|Registers Per|Achieved Occ|(DRAM|Memory|L2 Cache|Compute \(SM\)) Throughput|==ERROR|==WARN' "$out" # it is killed: its status says nothing
}
# figures prints the MRR of each shape of an evaluation, in hundredths of a point.
figures() {
	local shape queries mrr
	while read -r shape queries _ mrr _; do
		[[ $queries =~ ^[0-9]+$ && $mrr =~ ^([0-9]+)\.([0-9][0-9])$ ]] && echo "$shape $((10#${BASH_REMATCH[1]}${BASH_REMATCH[2]}))"
	done <"$1"
}

step_facts() {
	local tool
	for tool in nvidia-smi compute-sanitizer ncu "$python"; do echo "$tool: $(command -v "$tool" || echo missing)"; done
	echo "NVRTC: ${EFOC_NVRTC:-missing}"
	need nvidia-smi && nvidia-smi && nvidia-smi -q -d CLOCK,MEMORY
}
step_driver() { fake || need_nvrtc && "$kit/bin/driver.test" -test.v; }
step_ops() { fake || need_nvrtc && compared 3 '^TestGPU$/^(degree)?ops$'; }
step_shapes() { compared 201 '^TestGPU$/^(typed)?(float32|bfloat16|float16|int8)[0-9]+$'; }
step_degrees() { compared 193 '^TestGPU$/^degrees(float32|bfloat16|float16|int8)[0-9]+$'; }
step_model() { "$efoc" import "$data" --checkpoint "$data/complex256.pt" --table int8+bfloat16 --no-calibration -o "$data/fb15k-237.efoc"; }
step_evalcpu() { evaluate cpu nsmp; }
step_evalgpu() { evaluate cuda nsmp; }
step_fitcpu() { evaluate cpu fit; }
step_fitgpu() { evaluate cuda fit; }
step_mixedcpu() { evaluate cpu mixed; }
step_mixedgpu() { evaluate cuda mixed; }
step_agree() {
	local semantics shape mrr off worst=0 shapes=0
	declare -A processor
	for semantics in nsmp fit mixed; do
		[ -f "$report/eval-cpu-$semantics.txt" ] && [ -f "$report/eval-cuda-$semantics.txt" ] || { echo "there are no two evaluations by $semantics"; return 3; }
		while read -r shape mrr; do processor[$semantics/$shape]=$mrr; done < <(figures "$report/eval-cpu-$semantics.txt")
		while read -r shape mrr; do
			off=$((mrr - ${processor[$semantics/$shape]:--10000})) && off=${off#-} shapes=$((shapes + 1))
			[ "$off" = 0 ] || echo "$semantics, $shape: MRR is $off hundredths of a point off"
			[ "$off" -le "$worst" ] || worst=$off
		done < <(figures "$report/eval-cuda-$semantics.txt")
	done
	echo "$shapes figures, at most $worst hundredths of a point apart (two nearly equal scores that change places at rank 2 of one query of 20 are 83)"
	! fake || return 4
	[ "$shapes" -ge 69 ] && [ "$worst" -le 100 ]
}
step_semantics() {
	"$efoc" bench --device cuda --engine compiled --semantics nsmp,fit,mixed --batch 1 --model "$data/fb15k-237.efoc" \
		--queries "$data/queries.jsonl" --limit 5 --json "$report/semantics.json"
}
# shellcheck disable=SC2086  # lists of flags
step_times() { # on a graph of the size of FB15k-237, so that its queries fit
	local made=$data/made table
	"$bench" graph "$made" --entities 14505 --relations 237 --facts 19 --rank 1000 ${GRAPH:-} || return
	for table in float32 int8+bfloat16 int8+none; do
		echo "table $table"
		"$efoc" import "$made" --checkpoint "$made/checkpoint.safetensors" --table "$table" --no-calibration -o "$made/made.efoc" &&
			"$efoc" bench --device cuda --engine compiled --semantics nsmp --batch 1,256 --model "$made/made.efoc" \
				--queries "$data/queries.jsonl" --limit 256 --json "$report/times-$table.json" ${BENCH:-} || return
	done
}
step_served() {
	local address=127.0.0.1:18473 server code=0 i clients asked=$report/asked.jsonl
	need "$python" && need curl || return
	"$python" -c '
import collections, json, sys
seen = collections.Counter()
for line in sys.stdin:
    q = json.loads(line)
    seen[q["type"]] += 1
    if seen[q["type"]] <= 20:
        args = {k: "#%d" % v for k, v in q.items() if k[0] in "rs" and k[1:].isdigit()}
        print(json.dumps({"shape": q["type"], "args": args}))' <"$data/queries.jsonl" >"$asked" || return
	"$efoc" serve --device cuda --model "$data/fb15k-237.efoc" --listen "$address" --log-level warn &
	server=$!
	for ((i = 0; i < 300; i++)); do
		! (exec 3<>"/dev/tcp/${address/://}") 2>/dev/null || break
		sleep 0.1
	done
	for clients in 1 16 128; do
		i=$(date +%s%N)
		xargs -d '\n' -P "$clients" -n 1 curl -sfo /dev/null -H 'Content-Type: application/json' "http://$address/v1/ask" -d <"$asked" || code=1
		echo "$clients clients: $(wc -l <"$asked") questions in $((($(date +%s%N) - i) / 1000000)) ms"
	done
	kill "$server" && wait "$server" && return "$code"
}
step_torch() { torch; }
step_compile() { torch --compile; }
step_speedup() {
	local file
	need "$python" || return
	for file in semantics.json torch.log; do [ -f "$report/$file" ] || { echo "there is no $file"; return 3; }; done
	"$python" "$kit/speedup.py" "$report/semantics.json" "$report/torch.log" "$report/compile.log"
}
step_nvrtc() {
	local formula='exists a. borders("Brazil", a) & borders(a, y) & !official_language(a, "Spanish") & !borders("Peru", y)' device
	need_nvrtc || return
	echo "$EFOC_NVRTC"
	for device in cpu cuda; do
		"$efoc" ask --device "$device" --format tsv -k 5 "$formula" >"$report/nvrtc-$device.tsv" || return
		cat "$report/nvrtc-$device.tsv"
	done
	! fake || return 4
	[ "$(cut -f 2 "$report/nvrtc-cpu.tsv")" = "$(cut -f 2 "$report/nvrtc-cuda.tsv")" ]
}
step_memcheck() { sanitize memcheck; }
step_racecheck() { sanitize racecheck; }
step_ncu2p() { profile 2p 'efoc_2p_[0-9]+_.*' 24; }
step_ncu3c() { profile 3c 'efoc_3c_[0-9]+_pass.*' 4; }
step_ncubatch() { profile 2p 'efoc_2p_batch_.*(products|embeds).*' 4; }

# status says what came of a step.
status() {
	local code
	read -r code _ 2>/dev/null <"$report/$1.status" || { echo 'not run yet'; return; }
	case $code in 0) echo passed ;; 3) echo 'not possible here' ;; 4) echo 'skipped: fake driver' ;; 124 | 137) echo 'out of time' ;; *) echo "failed ($code)" ;; esac
}
# summary writes report.md and report.json of the steps that ran.
summary() {
	local step seconds comma= markdown
	{
		printf '# Report of gpu-kit\n\n%s\n\n' "$(nvidia-smi -L 2>/dev/null)"
		printf '| step | what it shows | status | seconds |\n|---|---|---|---:|\n'
		for step in "${all[@]}"; do
			seconds=
			[ ! -f "$report/$step.status" ] || read -r _ seconds <"$report/$step.status"
			printf '| %s | %s | %s | %s |\n' "$step" "${about[$step]}" "$(status "$step")" "$seconds"
		done
		for step in "${all[@]}"; do
			[ -f "$report/$step.status" ] || continue
			printf '\n## %s: %s\n\n%s, %s' "$step" "$(status "$step")" "${about[$step]}" "the whole output is $step.log"
			case $step in speedup) markdown=1 ;; *) markdown= ;; esac
			[ "$(status "$step")" = passed ] || markdown=
			printf '\n\n'
			if [ -n "$markdown" ]; then grep -E '^(\||- |$)' "$report/$step.log"; else printf '```\n%s\n```\n' "$(tail -c 6000 "$report/$step.log")"; fi # without progress
		done
	} >"$report/report.md.part" && mv "$report/report.md.part" "$report/report.md"
	{
		printf '{'
		for step in "${all[@]}"; do
			seconds=0
			[ ! -f "$report/$step.status" ] || read -r _ seconds <"$report/$step.status"
			printf '%s\n  "%s": {"status": "%s", "seconds": %s}' "$comma" "$step" "$(status "$step")" "$seconds"
			comma=,
		done
		printf '\n}\n'
	} >"$report/report.json.part" && mv "$report/report.json.part" "$report/report.json"
	! need tar >/dev/null || tar -czf "$report.tar.gz" -C "$(dirname "$report")" "${report##*/}"
}

# stop ends the step that runs, with all that it has started.
stop() {
	local child words=()
	read -r child 2>/dev/null <"$report/running" || return 0
	mapfile -d '' words 2>/dev/null <"/proc/$child/cmdline"
	[[ ${words[*]} != *run.sh* ]] || kill -KILL -- "-$child"
	rm -f "$report/running"
}

if [ "${1:-}" = --step ]; then # in a process group of its own, which timeout ends
	find_tools
	"step_$2"
	exit
fi
for step in "$@"; do
	[ -n "${about[$step]:-}" ] || { echo "run.sh: there is no step $step: ${all[*]}" >&2; exit 2; }
	rm -f "$report/$step.status"
done
stop # what an earlier call that was killed has left
trap 'stop; exit 130' INT TERM
failed=0 left=0
for step in "${@:-${all[@]}}"; do
	case $(status "$step") in 'not run yet' | 'out of time') ;; *) continue ;; esac
	limit=${most[$step]} whole=1
	if [ -n "${BUDGET:-}" ]; then
		rest=$((BUDGET - SECONDS - 5))
		[ "$rest" -ge "${typical[$step]}" ] || { left=1 && echo "=== $step is left for another call" && continue; }
		[ "$rest" -ge "$limit" ] || limit=$rest whole=
	fi
	echo "=== $step"
	begin=$SECONDS
	REPORT=$report timeout -k 5 "$limit" bash "$kit/run.sh" --step "$step" >"$report/$step.log" 2>&1 &
	echo $! >"$report/running"
	wait $!
	code=$?
	rm -f "$report/running"
	if [ -z "$whole" ] && { [ "$code" = 124 ] || [ "$code" = 137 ]; }; then
		left=1 && echo "$step did not end in what was left of $BUDGET seconds"
		continue
	fi
	printf '%d %d\n' "$code" "$((SECONDS - begin))" >"$report/$step.status.part" && mv "$report/$step.status.part" "$report/$step.status"
	[ "$code" = 0 ] || { echo "$step: $(status "$step")"; tail -n 5 "$report/$step.log"; }
	summary
done
summary
for step in "${all[@]}"; do
	case $(status "$step") in failed* | 'out of time') failed=1 ;; 'not run yet') left=1 ;; esac
done
if [ "$left" = 0 ]; then echo "nothing is left"; else echo "there are steps left: call run.sh again"; fi
echo "the report is $report/report.md"
exit "$failed"
