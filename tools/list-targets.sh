#!/usr/bin/env bash
# Prints the names of a configured preset's targets that end in a suffix, one a line.
#
#   tools/list-targets.sh fuzz _fuzz
set -euo pipefail
cd "$(dirname "$0")/.."
ninja -C "build/$1" -t targets all | sed -n "s/^\([a-z0-9_]*$2\): phony\$/\1/p" \
  | grep -v '^cmake_' | sort || true
