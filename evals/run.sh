#!/usr/bin/env bash
# greenloop's own evals, on the program of this tree: builds it, puts it first in PATH, and lets it run the fixture.
#   evals/run.sh [--release] [OPTIONS OF greenloop run]        for example: evals/run.sh -o report.json
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
profile=debug
build=(cargo build --quiet --locked --manifest-path "$here/../Cargo.toml")
if [ "${1:-}" = --release ]; then
  profile=release
  build+=(--release)
  shift
fi
"${build[@]}"
target="$(cd "${CARGO_TARGET_DIR:-$here/../target}/$profile" && pwd)"
# The trials find `greenloop` in PATH; one of the cases checks that it is the program that runs them.
PATH="$target:$PATH" exec greenloop run "$here/agentic_eval.json" "$@"
