#!/usr/bin/env bash
# Sets up, builds, and solves a program of data/: two answer sets and how they were found.
# Usage: scripts/demo.sh [FILE]
# DEMO_PROFILE names cargo's profile, `release` if it is not set. With `dev` the tests run this script on what they have
# built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/setup.sh

program=${1:-}
for candidate in data/queens-8.aspif data/*.aspif; do
    if [ -z "$program" ] && [ -f "$candidate" ]; then
        program=$candidate
    fi
done
if [ -z "$program" ]; then
    printf 'demo: there is no program in data/\n' >&2
    exit 65
fi

printf 'demo: building\n'
profile=${DEMO_PROFILE:-release}
cargo build --profile "$profile"
# The folder of the profile `dev` is `debug`.
yasmin=${CARGO_TARGET_DIR:-target}/${profile/#dev/debug}/yasmin
printf 'demo: %s --models 2 --stats %s\n' "$yasmin" "$program"
code=0
"$yasmin" --models 2 --stats "$program" || code=$?
# As clasp does, yasmin ends with 10 or 30 if there is an answer set, with 20 if there is none.
case $code in
    10 | 20 | 30) printf 'demo: exit code %s, as it should be\n' "$code" ;;
    *) exit "$code" ;;
esac
