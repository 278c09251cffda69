#!/usr/bin/env bash
# Micro-benchmarks of every folder, then the comparison with other proxies (bench/run.py).
#
#   tools/run-benches.sh [argument of bench/run.py ...]
#
# BENCH_SECONDS per micro-benchmark (0.2 unless told).
set -euo pipefail
cd "$(dirname "$0")/.."
tools/build.sh release
mapfile -t benches < <(tools/list-targets.sh release _bench)
if ((${#benches[@]})); then
  tools/build.sh release "${benches[@]}"
  for name in "${benches[@]}"; do
    printf '\n== %s\n' "$name"
    "build/release/src/${name%_bench}/$name" --benchmark_min_time="${BENCH_SECONDS:-0.2}"
  done
fi
printf '\n== comparison with other proxies\n'
tools/build.sh release bench
exec python3 bench/run.py "$@"
