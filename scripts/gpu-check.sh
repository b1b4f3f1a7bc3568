#!/usr/bin/env bash
# Checks yasmin on an NVIDIA GPU: every kernel against its sequential reference; the lessons of the book, with times of
# their sums and transposes; solutions of its exercises; traces, replayed; whole solves against the definition, 5,000 programs in every way of reasoning, and ten
# runs of 2,000 programs and of data/; runs that are cut short; compute-sanitizer on some, where it is installed.
#
# Usage: scripts/gpu-check.sh            builds, then checks
#        scripts/gpu-check.sh --collect  builds, and puts the binaries into gpu-check/, for a machine without Rust
#        scripts/gpu-check.sh gpu-check  checks with the binaries in that folder
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'gpu-check: %s\n' "$*"; }

collect() {
    say "building"
    cargo build --release --workspace
    local lockstep traces exercises
    lockstep=$(cargo test --release --package yasmin-search --lib --no-run 2>&1 | sed -n 's/.*(\(.*\))$/\1/p' | tail -n 1)
    traces=$(cargo test --release --package yasmin-tests --test all --no-run 2>&1 | sed -n 's/.*(\(.*\))$/\1/p' | tail -n 1)
    exercises=$(cargo test --release --package exercises --features gpu --lib --no-run 2>&1 | sed -n 's/.*(\(.*\))$/\1/p' | tail -n 1)
    mkdir -p "$1"
    cp "${CARGO_TARGET_DIR:-target}"/release/{yasmin,yasmin-conformance,lessons} "$1"
    cp "$lockstep" "$1/lockstep"
    cp "$traces" "$1/traces"
    cp "$exercises" "$1/exercises"
    strip "$1"/{yasmin,yasmin-conformance,lessons,lockstep,traces,exercises}
    rm -rf "$1/structured"
    "$1/yasmin-conformance" --structured 18 --write "$1/structured" || say "SKIPPED: structured programs"
}

case ${1:-} in
    --collect)
        collect gpu-check
        exit
        ;;
    "")
        bin=target/gpu-check
        collect "$bin"
        ;;
    *) bin=$1 ;;
esac

say "kernels against their references"
"$bin/lockstep" --ignored --nocapture gpu
say "the book's lessons"
"$bin/lessons" run --device gpu
"$bin/lessons" time
"$bin/lessons" time --what transposes
say "solutions of the book's exercises"
"$bin/exercises" --nocapture our_solutions_pass_on_a_gpu
say "traces of random programs, replayed"
"$bin/traces" --ignored --nocapture trace::
say "5,000 random programs with everything that aspif can say, in every way of reasoning"
"$bin/yasmin-conformance" --device gpu --programs 1 --rich 5000
say "2,000 random programs and those of data/, ten runs"
"$bin/yasmin-conformance" --device gpu --programs 2000 --runs 10 --data data --most 1000 | grep -v ', as known$'
if [ -d "$bin/structured" ]; then
    say "structured programs with up to thousands of conflicts"
    "$bin/yasmin-conformance" --device gpu --programs 1 --expected "$bin/structured" --limit 300
fi
say "runs that are cut short while the driver compiles"
for limit in 0.3 0.4 0.5 0.6 0.7 0.8; do
    code=0
    CUDA_CACHE_DISABLE=1 "$bin/yasmin" --device gpu --engine host --time-limit "$limit" data/queens-8.aspif >/dev/null || code=$?
    # 1 says that it was, 10 that there was an answer set before.
    case $code in 1 | 10 | 11) ;; *) say "exit code $code" && exit 1 ;; esac
done
if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck; do
        say "$tool, the book's lessons"
        compute-sanitizer --tool "$tool" --error-exitcode 99 "$bin/lessons" run --device gpu
        say "$tool, programs with everything"
        compute-sanitizer --tool "$tool" --error-exitcode 99 \
            "$bin/yasmin-conformance" --device gpu --programs 1 --seed 7 --rich 9
        for program in data/queens-8.aspif data/hamilton.aspif data/supported.aspif; do
            # The last is what there are kernels of their own for.
            for learning in "fwd --conflicts 4" "res --conflicts 4" res "res --trace $bin/search.jsonl"; do
                say "$tool, $learning, $program"
                # 99 is compute-sanitizer's: it found something. 10 and 30 are yasmin's: there are answer sets.
                code=0
                # shellcheck disable=SC2086
                compute-sanitizer --tool "$tool" --error-exitcode 99 "$bin/yasmin" --device gpu --learning $learning \
                    --models 3 "$program" >/dev/null || code=$?
                case $code in 10 | 30) ;; *) say "exit code $code" && exit 1 ;; esac
            done
        done
    done
else
    say "SKIPPED: compute-sanitizer is not installed"
fi
say "all right"
