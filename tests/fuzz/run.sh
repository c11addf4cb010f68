#!/usr/bin/env bash
# Fuzzes one of greenloop's readers on STABLE Rust: tests/fuzz/run.sh TARGET [SECONDS|FILE] [libFuzzer options]
# TARGET: report, map, junit, ledger, signature. SECONDS: 60 unless given. With a FILE, only that input is run.
# Needs a C++ compiler (libFuzzer itself is C++). Exit status 0 = nothing found.
set -euo pipefail
target="${1:?target: report, map, junit, ledger or signature}"
seconds="${2:-60}"
input=""
if [ -f "$seconds" ]; then input="$(realpath "$seconds")"; fi
shift $(($# < 2 ? $# : 2))
cd "$(dirname "$0")"

# Coverage comes from LLVM's own pass, which stable rustc can run; no nightly, no sanitizer runtime.
# --target keeps these flags away from build scripts, which would not link with them.
host="$(rustc -vV | sed -n 's/^host: //p')"
export RUSTFLAGS="--cfg fuzzing -Ccodegen-units=1 -Cpasses=sancov-module \
-Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
cargo build --quiet --release --target "$host" --bin "$target"

program="${CARGO_TARGET_DIR:-target}/$host/release/$target"
export RUST_BACKTRACE=1
if [ -n "$input" ]; then exec "$program" "$input" "$@"; fi

# New inputs go to corpus/ (not committed); seeds/ is only read. What fails is kept in artifacts/.
mkdir -p "corpus/$target" "artifacts/$target"
dictionary=()
if [ -f "dictionaries/$target.dict" ]; then dictionary=("-dict=dictionaries/$target.dict"); fi
exec "$program" "corpus/$target" "seeds/$target" -artifact_prefix="artifacts/$target/" -max_total_time="$seconds" \
  -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 "${dictionary[@]}" "$@"
