#!/usr/bin/env bash
# clang-tidy over src; the checks are chosen in .clang-tidy.
#
#   tools/run-tidy.sh [pattern of file paths]
set -euo pipefail
cd "$(dirname "$0")/.."
[[ -f build/release/build.ninja ]] || cmake --preset release
pattern=${1:-$PWD/src/.*\.cc$}
if command -v run-clang-tidy-19 >/dev/null; then
  exec run-clang-tidy-19 -quiet -p build/release -j "${JOBS:-$(nproc)}" "$pattern"
fi
find "$PWD/src" -name '*.cc' | grep -E "$pattern" \
  | xargs -r -n 4 -P "${JOBS:-$(nproc)}" clang-tidy-19 --quiet -p build/release
