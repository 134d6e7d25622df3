#!/usr/bin/env bash
# run.sh [STEP...]: tests and measures the kernels on this machine's GPU, and writes the
# folder $REPORT (report). Each step takes less than five minutes, and one that is done is
# left out next time: call it again until it says that all are. Steps are named below.
# BENCH and EVAL hold further flags for a trial.
set -uo pipefail
kit=$(cd "$(dirname "$0")" && pwd)
report=${REPORT:-$PWD/report}
mkdir -p "$report"
report=$(cd "$report" && pwd)
export PATH=$PATH:/usr/local/cuda/bin
python=${PYTHON:-python3}
efoc=$kit/bin/efoc bench=$kit/bin/bench data=$kit/data

# need COMMAND: the rest of a step needs it.
need() { command -v "$1" >/dev/null || { echo "$1 is not on the path"; return 3; }; }
gpu() { (cd "$kit/cugen" && "$@"); } # where the tests find their data
sanitize() {
	need compute-sanitizer || return
	gpu compute-sanitizer --tool "$1" --error-exitcode 9 "$kit/bin/cugen.test" -test.run "^TestGPU\$/^(degrees)?float3240\$/^(2p|3c)\$" -test.v
}
evaluate() { # device, semantics
	# shellcheck disable=SC2086  # a list of flags
	"$efoc" eval --device "$1" --semantics "$2" --model "$data/fb15k-237.efoc" "$data/queries.jsonl" ${EVAL:-} --markdown "$report/eval-$1-$2.md" && cat "$report/eval-$1-$2.md"
}
torch() {
	need "$python" || return
	"$python" "$kit/torchpeer.py" "$data/nsmp_torch.py" "$data" "$data/complex256.pt" "$data/queries.jsonl" --time --limit 5 "$@"
}
profile() { # shape, kernel
	need ncu || return
	ncu --clock-control none --set full --launch-count 3 --kernel-name "regex:$2" "$bench" gpu --types "$1" --runs 3 --batch 64
}

step_facts() { need nvidia-smi && nvidia-smi && nvidia-smi -q -d CLOCK,MEMORY; }
step_driver() { "$kit/bin/driver.test" -test.v; }
step_ops() { gpu "$kit/bin/cugen.test" -test.run '^TestGPU$/^(degree)?ops$' -test.v; }
step_shapes() { gpu "$kit/bin/cugen.test" -test.run '^TestGPU$/^(float32|bfloat16|float16|int8|int4)[0-9]+$' -test.v; }
step_degrees() { gpu "$kit/bin/cugen.test" -test.run '^TestGPU$/^degrees(float32|bfloat16|float16|int8|int4)[0-9]+$' -test.v; }
step_memcheck() { sanitize memcheck; }
step_racecheck() { sanitize racecheck; }
step_model() { "$efoc" import "$data" --checkpoint "$data/complex256.pt" --table bfloat16 --no-calibration -o "$data/fb15k-237.efoc"; }
step_evalcpu() { evaluate cpu nsmp; }
step_evalgpu() { evaluate cuda nsmp; }
step_fitcpu() { evaluate cpu fit; }
step_fitgpu() { evaluate cuda fit; }
step_mixedcpu() { evaluate cpu mixed; }
step_mixedgpu() { evaluate cuda mixed; }
step_semantics() {
	"$efoc" bench --device cuda --engine compiled --semantics nsmp,fit,mixed --batch 1 --model "$data/fb15k-237.efoc" \
		--queries "$data/queries.jsonl" --types 2p,2in,pni,3c --limit 5 --json "$report/semantics.json"
}
# shellcheck disable=SC2086  # lists of flags
step_times() { "$bench" gpu --runs 100 --json "$report/times.json" ${BENCH:-}; }
# shellcheck disable=SC2086
step_kernels() { "$bench" gpu --types 2p,3c,2in --runs 50 --kernels --json "$report/kernels.json" ${BENCH:-}; }
step_torch() { torch; }
step_compile() { torch --compile; }
step_ncu2p() { profile 2p 'efoc_2p_(2|3|11)_.*'; }
step_ncu3c() { profile 3c 'efoc_3c_.*pass.*'; }
step_ncubatch() { profile 2p 'efoc_2p_batch_.*(products|embeds).*'; }
all=(facts driver ops shapes degrees times kernels model evalcpu evalgpu fitcpu fitgpu mixedcpu mixedgpu semantics torch compile memcheck racecheck ncu2p ncu3c ncubatch)

# summary writes report.md and report.json of the steps that ran.
summary() {
	local step code seconds comma=
	{
		printf '# Report of gpu-kit\n\n| step | status | seconds |\n|---|---|---:|\n'
		for step in "${all[@]}"; do
			[ -f "$report/$step.status" ] || { printf '| %s | not run | |\n' "$step"; continue; }
			read -r code seconds <"$report/$step.status"
			case $code in 0) code=passed ;; 3) code='not possible here' ;; 124) code='out of time' ;; *) code="failed ($code)" ;; esac
			printf '| %s | %s | %s |\n' "$step" "$code" "$seconds"
		done
		for step in "${all[@]}"; do
			[ ! -f "$report/$step.log" ] || printf '\n## %s\n\n```\n%s\n```\n' "$step" "$(tail -c 20000 "$report/$step.log")"
		done
	} >"$report/report.md"
	{
		printf '{'
		for step in "${all[@]}"; do
			[ -f "$report/$step.status" ] || continue
			read -r code seconds <"$report/$step.status"
			printf '%s\n  "%s": {"status": %s, "seconds": %s}' "$comma" "$step" "$code" "$seconds"
			comma=,
		done
		printf '\n}\n'
	} >"$report/report.json"
}

if [ "${1:-}" = --step ]; then # in a process of its own, which timeout ends
	"step_$2"
	exit
fi
failed=0
for step in "${@:-${all[@]}}"; do
	declare -F "step_$step" >/dev/null || { echo "run.sh: there is no step $step: ${all[*]}" >&2; exit 2; }
	if [ -f "$report/$step.status" ] && read -r code _ <"$report/$step.status" && [ "$code" = 0 ]; then
		continue
	fi
	echo "=== $step"
	begin=$SECONDS
	REPORT=$report timeout 290 bash "$kit/run.sh" --step "$step" >"$report/$step.log" 2>&1
	code=$?
	printf '%d %d\n' "$code" "$((SECONDS - begin))" >"$report/$step.status"
	[ "$code" = 0 ] || { failed=1; echo "$step ended with $code:"; tail -5 "$report/$step.log"; }
	summary
done
summary
echo "the report is $report/report.md"
exit "$failed"
