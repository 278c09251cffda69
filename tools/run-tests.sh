#!/usr/bin/env bash
# Builds and runs the tests, section by section; the last line is "N passed, N failed".
#
#   tools/run-tests.sh [release|integration|asan|tsan|fuzz ...]      all of them unless told
#
# FAST=1          release and integration only
# JOBS=2          parallel jobs (a core each unless told)
# FUZZ_SECONDS=10 per fuzz target
# Full output of every step: build/logs/<section>-<step>.log
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
fuzz_seconds=${FUZZ_SECONDS:-10}
logs=build/logs
mkdir -p "$logs"
passed=0 failed=0

# Folders whose code runs on several threads.
concurrent='^(base|telemetry|config|flight|tenant|net|upstream|gateway|admin|sim|faults|gates)$'

export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:check_initialization_order=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
if symbolizer=$(command -v llvm-symbolizer-19); then
  export ASAN_SYMBOLIZER_PATH=$symbolizer TSAN_OPTIONS="$TSAN_OPTIONS:external_symbolizer_path=$symbolizer"
fi

# step SECTION-STEP COMMAND...: runs the command with its output in a log; shows the log's end on failure.
step() {
  local log="$logs/$1.log" start=$SECONDS
  shift
  if "$@" >"$log" 2>&1; then
    echo "   done in $((SECONDS - start)) s"
    return 0
  fi
  echo "   FAILED after $((SECONDS - start)) s; the end of $log:"
  tail -n 60 "$log" | sed 's/^/   | /'
  return 1
}

build() {  # SECTION PRESET [TARGET...]
  local section=$1 preset=$2
  shift 2
  echo "-- building $preset${*:+: $*}"
  step "$section-build" env JOBS="$jobs" tools/build.sh "$preset" "$@" && return 0
  echo "   repeat with: tools/build.sh $preset $*"
  failed=$((failed + 1))
  return 1
}

run_ctest() {  # SECTION PRESET CTEST-ARGUMENT...
  local section=$1 preset=$2 report="$PWD/$logs/$1.xml" ok=yes counts
  shift 2
  rm -f "$report"
  step "$section-tests" ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure \
    --output-junit "$report" "$@" || ok=
  read -r -a counts < <(python3 tools/count_tests.py "$report")
  echo "   passed ${counts[0]}, failed ${counts[1]}, skipped ${counts[2]}"
  if [[ -z $ok ]]; then
    echo "   repeat with: ctest --test-dir build/$preset --rerun-failed --output-on-failure"
    if ((counts[1] == 0)); then failed=$((failed + 1)); fi
  fi
  passed=$((passed + counts[0]))
  failed=$((failed + counts[1]))
}

section_release() {
  build release release || return 0
  echo "-- unit tests, simulation, layout"
  run_ctest release release -LE integration --no-tests=error
}

section_integration() {
  build integration release || return 0
  echo "-- the program from outside"
  run_ctest integration release -L integration
}

section_asan() {
  build asan asan || return 0
  echo "-- unit tests and simulation"
  run_ctest asan asan -LE '^(integration|layout)$' --no-tests=error
}

section_tsan() {
  build tsan tsan || return 0
  echo "-- tests of the concurrent folders"
  run_ctest tsan tsan -L "$concurrent" --no-tests=error
}

fuzz_command() {  # TARGET: seeds are src/<folder>/testdata/fuzz/TARGET; what it learns stays in build/fuzz/corpus
  local target=$1 program folder corpus="build/fuzz/corpus/$1" seeds=()
  program=$(find build/fuzz -type f -name "$target" -perm -u+x | head -n 1)
  folder=$(dirname "${program#build/fuzz/}")
  mkdir -p "$corpus" build/fuzz/findings
  if [[ -d $folder/testdata/fuzz/$target ]]; then seeds+=("$folder/testdata/fuzz/$target"); fi
  echo "$program" -max_total_time="$fuzz_seconds" -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix="build/fuzz/findings/$target-" "$corpus" "${seeds[@]}"
}

section_fuzz() {
  local targets target finding running=() commands=() i start
  echo "-- configuring fuzz"
  step fuzz-configure tools/build.sh fuzz build.ninja || { failed=$((failed + 1)); return 0; }
  mapfile -t targets < <(tools/list-targets.sh fuzz _fuzz)
  if ((${#targets[@]} == 0)); then
    echo "   no fuzz target found"
    failed=$((failed + 1))
    return 0
  fi
  build fuzz fuzz "${targets[@]}" || return 0
  echo "-- ${#targets[@]} targets, $fuzz_seconds s each, $jobs at a time"
  for ((start = 0; start < ${#targets[@]}; start += jobs)); do
    running=() commands=()
    for target in "${targets[@]:start:jobs}"; do
      commands+=("$(fuzz_command "$target")")
      ${commands[-1]} >"$logs/$target.log" 2>&1 &
      running+=($!)
    done
    for i in "${!running[@]}"; do
      target=${targets[start + i]}
      if wait "${running[i]}"; then
        passed=$((passed + 1))
        echo "   $target: $(grep -o 'Done [0-9]* runs' "$logs/$target.log" | tail -n 1)"
      else
        failed=$((failed + 1))
        echo "   $target FAILED; the end of $logs/$target.log:"
        tail -n 40 "$logs/$target.log" | sed 's/^/   | /'
        finding=$(sed -n 's/.*Test unit written to //p' "$logs/$target.log" | tail -n 1)
        echo "   repeat with: ${commands[i]%% *} $finding"
      fi
    done
  done
}

sections=("$@")
if ((${#sections[@]} == 0)); then
  sections=(release integration asan tsan fuzz)
  if [[ ${FAST:-0} == 1 ]]; then sections=(release integration); fi
fi
for name in "${sections[@]}"; do
  declare -F "section_$name" >/dev/null || { echo "no such section: $name" >&2; exit 2; }
done
for name in "${sections[@]}"; do
  printf '\n== %s\n' "$name"
  begin=$SECONDS
  "section_$name"
  echo "== $name took $((SECONDS - begin)) s"
done

printf '\n%d passed, %d failed\n' "$passed" "$failed"
((failed == 0 && passed > 0))
