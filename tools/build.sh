#!/usr/bin/env bash
# Configures (once) and builds a preset of CMakePresets.json.
#
#   tools/build.sh release [target...]
#
# JOBS limits the parallel compilations (a core each unless told).
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
[[ -f build/$preset/build.ninja ]] || cmake --preset "$preset"
exec ninja -C "build/$preset" -j "${JOBS:-$(nproc)}" "$@"
