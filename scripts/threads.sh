#!/usr/bin/env bash
# Looks for data races between searches on the processor that run at once, each on a thread of its own, with ThreadSanitizer.
#
# Usage: scripts/threads.sh [OPTIONS]
#   --collect DIR   only build, and put the tests into DIR, for a machine without Rust
#   --binaries DIR  do not build: take what --collect put into DIR
#   --runs N        how often to run the tests (default: 1); each run is another interleaving
#   --found DIR     where to put what ThreadSanitizer says (default: target/threads/found)
#   --help          this text
# First, tests that race on purpose are run: if ThreadSanitizer does not name both places of each, its silence is worth nothing.
# Exit code 1 if a race is found, a test fails or a race on purpose is not told; 65 if something is missing. To build, the compiler needs
# the sources of Rust's library, all of which is built for ThreadSanitizer; to run, llvm-symbolizer or addr2line names the places.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

collect="" binaries="" runs=1 found=target/threads/found

say() { printf 'threads: %s\n' "$*"; }
wrong() {
    printf 'threads: error: %s\n' "$*" >&2
    exit 65
}

while [ $# -gt 0 ]; do
    case $1 in
        --help)
            sed -n '4,13s/^# \{0,1\}//p' scripts/threads.sh
            exit
            ;;
        --collect | --binaries | --runs | --found)
            [ $# -gt 1 ] || wrong "$1 needs a value; see scripts/threads.sh --help"
            declare "${1#--}=$2"
            shift 2
            ;;
        *) wrong "unknown option $1; see scripts/threads.sh --help" ;;
    esac
done
[[ $runs =~ ^[1-9][0-9]*$ ]] || wrong "--runs takes a number from 1 on, not $runs"

# Builds the tests into a folder.
collect_into() {
    local triple sources built
    command -v cargo >/dev/null || wrong "no cargo here: install Rust with rustup (https://rustup.rs)"
    triple=$(rustc -vV | sed -n 's/^host: //p')
    sources=$(rustc --print sysroot)/lib/rustlib/src/rust/library
    [ -f "$sources/std/Cargo.toml" ] ||
        wrong "$sources is missing, the sources of Rust's library: install them with 'rustup component add rust-src'"
    say "building the tests and Rust's library for ThreadSanitizer"
    # The stable compiler has the sanitizer, but asks for this variable. The search is on the processor: no kernels for the GPU. Nor does
    # any of these tests run a kernel of `simt`; watching the accesses of those takes the compiler minutes and 4 GB.
    built=$(RUSTC_BOOTSTRAP=1 CUDA_BUILDER_RUSTC=/nonexistent RUSTFLAGS="-Zsanitizer=thread" \
        cargo test -Zbuild-std -Zprofile-rustflags \
        --config 'profile.test.package.solver-gpu.rustflags=["-Cllvm-args=-tsan-instrument-memory-accesses=0"]' \
        --target "$triple" --target-dir "${CARGO_TARGET_DIR:-target}/threads" --package yasmin-search \
        --features cuda_std_alone/plain_words --lib --no-run --message-format json-render-diagnostics |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
    [ -x "$built" ] || wrong "cargo built no tests"
    mkdir -p "$1"
    cp "$built" "$1/threads-tests"
}

if [ -n "$collect" ]; then
    collect_into "$collect"
    say "collected into $collect"
    exit
fi
if [ -z "$binaries" ]; then
    binaries=target/threads/binaries
    collect_into "$binaries"
fi
tests=$binaries/threads-tests
[ -x "$tests" ] || wrong "$binaries has no threads-tests: make it with scripts/threads.sh --collect $binaries"
command -v llvm-symbolizer >/dev/null || command -v addr2line >/dev/null ||
    wrong "no llvm-symbolizer and no addr2line here, which name places (Debian: apt-get install binutils)"
mkdir -p "$found"

# What ThreadSanitizer ends a process with if it said something.
said=66
export TSAN_OPTIONS="exitcode=$said history_size=7 second_deadlock_stack=1 allow_addr2line=1"
failures=0

# Half of the first report in a log: `half LOG 1` is about the later access, `half LOG 2` about the one before.
half() {
    awk -v wanted="$2" '
        /WARNING: ThreadSanitizer: data race/ { reports++ }
        reports != 1 { next }
        /^  (Atomic )?([Ww]rite|[Rr]ead) of size/ { half = 1 }
        /^  Previous / { half = 2 }
        /^$/ { half = 0 }
        half == wanted' "$1"
}

# The first report of a log, without the frames of Rust's own library and of the tests' harness, or how the log ends.
first_report() {
    awk '/WARNING: ThreadSanitizer/ { reports++ } reports == 1' "$1" |
        grep -E 'WARNING|^  [A-Z].*(by|created)|(solver-gpu|solver-host|cuda_std)/' || tail -n 25 "$1"
}

# Runs a test that races on purpose. ThreadSanitizer has to name a place for each of two patterns, in either order.
race() {
    local name=$1 one=$2 other=$3 log=$found/race-$1.log code=0
    TSAN_OPTIONS="$TSAN_OPTIONS halt_on_error=1" "$tests" --ignored --exact "threads::races::$name" --nocapture \
        >"$log" 2>&1 || code=$?
    if [ "$code" -eq "$said" ]; then
        local first second place
        first=$(half "$log" 1) second=$(half "$log" 2)
        # The writer may be the later one, or the one before.
        [[ $first =~ $one ]] || { place=$one one=$other other=$place; }
        if [[ $first =~ $one ]]; then
            place=${BASH_REMATCH[0]##*/}
            if [[ $second =~ $other ]]; then
                say "told: the race on purpose $name, at $place and ${BASH_REMATCH[0]##*/}"
                return
            fi
        fi
    fi
    failures=$((failures + 1))
    say "the check does not see races: $name ends with $code, and its log does not name both $one and $other:"
    first_report "$log"
}

race an_element 'one_writes[^[:space:]]* [^[:space:]]*search/threads\.rs:[0-9]+' 'other_reads[^[:space:]]* [^[:space:]]*search/threads\.rs:[0-9]+'
race a_word_of_one_launch 'one_counts[^[:space:]]* [^[:space:]]*search/threads\.rs:[0-9]+' 'other_claims[^[:space:]]* [^[:space:]]*search/threads\.rs:[0-9]+'
race the_problem 'upload [^[:space:]]*device/host\.rs:[0-9]+' 'solver-gpu/[a-z_/.]*/kernels/[a-z_/]+\.rs:[0-9]+'

for ((run = 1; run <= runs; run++)); do
    log=$found/run-$run.log code=0
    "$tests" threads crew sharing::two_solvers_share_a_problem::cpu \
        --skip searchers_in_blocks --test-threads 1 >"$log" 2>&1 || code=$?
    if [ "$code" -ne 0 ]; then
        failures=$((failures + 1))
        say "FOUND: $log: exit code $code, and $(grep -c 'WARNING: ThreadSanitizer' "$log" || true) reports:"
        first_report "$log"
    else
        say "run $run: $(sed -n 's/^test result: ok\. \([0-9]* passed\).*/\1/p' "$log"), no report"
    fi
done
if [ "$failures" -gt 0 ]; then
    say "FOUND: $failures; the logs are in $found"
    exit 1
fi
say "no race found"
