#!/usr/bin/env bash
# Records how the gateway runs under load and writes cmake/release.profdata, by which release builds
# are laid out. Takes some minutes; run it after the hot path changed and commit the result.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/profile
[[ -f $build/build.ninja ]] || cmake --preset release -B $build -DSLIPSTREAM_PROFILE=make
ninja -C $build -j "${JOBS:-$(nproc)}" slipstream load_gen load_stub
rm -rf $build/raw
export LLVM_PROFILE_FILE=$PWD/$build/raw/%p-%m.profraw
echo "Loads: unique requests, unique streams, crowds, and the demo."
python3 bench/run.py --quick --no-pin --build $build --only 1,2,4,5,9 >$build/bench.txt 2>&1 \
  || true # its verdicts are about another build
$build/slipstream demo >$build/demo.txt
llvm-profdata-19 merge -sparse -o cmake/release.profdata $build/raw/*.profraw
ls -l cmake/release.profdata
