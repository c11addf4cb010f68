#!/bin/sh
# Starts the GitHub test rig and prints its address, a token and a first request. Ctrl-C stops it.
# Needs Rust, npm and, the first time, npm's registry.
cd "$(dirname "$0")/.." || exit 1
exec cargo test --quiet --test it -- --ignored --exact github_rig::serve::until_interrupted --nocapture
