#!/usr/bin/env bash
# Tests that take longer than the rest: searches on threads under ThreadSanitizer (see scripts/threads.sh), then fuzzing guided by
# coverage, and random programs of all kinds for as long as there is time.
#
# Usage: scripts/long.sh [OPTIONS]
#   --seconds N     how long to fuzz, to solve random programs, to check claims, to prove and to trace, each (default: 300)
#   --jobs N        how many processes at once (default: one for each processor)
#   --seed N        the first seed (default: YASMIN_SEED, or the time); the same seed solves the same programs
#   --only WHAT     threads (ThreadSanitizer), races (the simulated GPU), swarm (several searchers), fuzz, conformance,
#                   claims (is all true that the command says?), proofs (is it proved?), traces (do they tell what was
#                   done?), questions (the library, asked again and again, while programs grow), signals (what do runs
#                   say that are killed?), mutants (are the barriers tested?), recipes (do those of CONTRIBUTING.md
#                   build, and a git dependency?), formulas (WCNF and OPB: random ones, and those of --instances),
#                   packages (of Debian, and a container), or cluster (several ranks, which are killed as well): only that
#   --instances DIR formulas in OPB, WBO and WCNF, of which optima are compared with clasp and RC2; docs/formulas.md says
#                   where there are some
#   --found DIR     where to put inputs that fail, logs and the corpus as it grows (default: target/long)
#   --collect DIR   only build, and put into DIR what the tests need on a machine without Rust
#   --binaries DIR  do not build: take what --collect put into DIR
#   --help          this text
# Exit code 1 if anything is found, 65 if something is missing. To build the fuzzers needs a C++ compiler, and ThreadSanitizer the
# sources of Rust's library (rustup component add rust-src). Programs with variables need a
# grounder and clasp or clingo where they run, mutants need Python, and recipes need cargo, patch and git's repository. Ranks are lost
# under the Open MPI 5 in the folder YASMIN_ULFM (docs/cluster.md). Without these that part is told to be SKIPPED.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

targets=(aspif smodels dimacs opb options proof)
seconds=300 jobs=$(nproc) seed=${YASMIN_SEED:-$(date +%s)} only="" found=target/long collect="" binaries="" instances=""

say() { printf 'long: %s\n' "$*"; }
usage() {
    sed -n '5,24s/^# \{0,1\}//p' "${BASH_SOURCE[0]##*/}" 2>/dev/null || sed -n '5,24s/^# \{0,1\}//p' scripts/long.sh
}
wrong() {
    printf 'long: error: %s; see scripts/long.sh --help\n' "$*" >&2
    exit 65
}

while [ $# -gt 0 ]; do
    case $1 in
        --help)
            usage
            exit
            ;;
        --seconds | --jobs | --seed | --only | --found | --collect | --binaries | --instances)
            [ $# -gt 1 ] || wrong "$1 needs a value"
            declare "${1#--}=$2"
            shift 2
            ;;
        *) wrong "unknown option $1" ;;
    esac
done
for number in "$seconds" "$jobs" "$seed"; do
    [[ $number =~ ^[0-9]+$ ]] || wrong "$number is no number"
done
[ "$jobs" -gt 0 ] || wrong "--jobs must be at least 1"
case $only in
    "" | threads | races | swarm | fuzz | conformance | claims | proofs | traces | questions | signals | mutants | recipes | formulas | packages | cluster) ;;
    *) wrong "--only takes threads, races, swarm, fuzz, conformance, claims, proofs, traces, questions, signals, mutants, recipes, formulas, packages or cluster" ;;
esac
wants() { [ -z "$only" ] || [ "$only" = "$1" ]; }

# Builds what is wanted into a folder.
collect_into() {
    mkdir -p "$1"
    if wants threads; then scripts/threads.sh --collect "$1"; fi
    if wants mutants; then collect_mutants "$1"; fi
    if wants fuzz; then collect_fuzzers_into "$1"; fi
    if wants races || wants swarm || wants conformance || wants claims || wants proofs || wants traces; then collect_conformance_into "$1"; fi
    if wants races || wants swarm; then collect_tests_into "$1/host-tests" --package yasmin-search --lib; fi
    if wants cluster; then collect_cluster_into "$1"; fi
    if wants formulas || wants signals; then collect_tests_into "$1/formulas" --release --package yasmin-cli --test cli; fi
    if wants questions; then collect_tests_into "$1/questions" --release --package yasmin --test questions; fi
}

# Builds tests into a file. Further arguments say which.
collect_tests_into() {
    local built to=$1
    shift
    say "building ${to##*/}"
    built=$(cargo test "$@" --no-run --message-format json-render-diagnostics |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
    [ -x "$built" ] || wrong "cargo built no tests"
    cp "$built" "$to"
}

# Builds the tests that leave out barriers into a folder.
collect_mutants() {
    if ! command -v python3 >/dev/null; then
        say "SKIPPED: mutants: no python3"
        return
    fi
    python3 scripts/mutants.py --collect "$1/mutants" || wrong "the tests for scripts/mutants.py could not be built"
}

# Builds the fuzzers into a folder.
collect_fuzzers_into() {
    local flags triple static build=${CARGO_TARGET_DIR:-target}/fuzz
    say "building the fuzzers"
    command -v g++ >/dev/null || wrong "no g++, which libFuzzer needs (Debian: apt-get install g++)"
    triple=$(rustc -vV | sed -n 's/^host: //p')
    # What cargo-fuzz passes for coverage; all of it works with the stable compiler.
    flags="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
    flags+=" -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
    flags+=" -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1"
    flags+=" -Cdebug-assertions -Coverflow-checks -Clink-arg=-static-libgcc"
    # libFuzzer is C++: its library goes into the binaries, as it may be missing where they run.
    static=$(dirname "$(g++ -print-file-name=libstdc++.a)")
    CXXSTDLIB="static=stdc++" RUSTFLAGS="$flags -Lnative=$static" \
        cargo build --release --package yasmin-fuzz --bins --features link --target "$triple" --target-dir "$build"
    for target in "${targets[@]}"; do
        cp "$build/$triple/release/fuzz-$target" "$1"
        strip "$1/fuzz-$target"
    done
    rm -rf "$1/corpus"
    cp -r tests/fuzz/corpus "$1/corpus"
}

# Builds yasmin-mpi and what judges it into a folder.
collect_cluster_into() {
    if ! command -v mpicc >/dev/null; then
        say "SKIPPED: cluster: no mpicc"
        return
    fi
    say "building yasmin-mpi, and yasmin-conformance for several ranks"
    cargo build --release --package yasmin-mpi --features mpi
    cargo build --release --package yasmin-cli
    cargo build --release --package yasmin-tests --features mpi
    cp "${CARGO_TARGET_DIR:-target}"/release/{yasmin-mpi,yasmin} "$1"
    cp "${CARGO_TARGET_DIR:-target}"/release/yasmin-conformance "$1/yasmin-conformance-ranks"
    cp scripts/cluster.py "$1"
}

# Builds yasmin-conformance into a folder.
collect_conformance_into() {
    say "building yasmin-conformance"
    cargo build --release --package yasmin-tests --package yasmin-cli
    cp "${CARGO_TARGET_DIR:-target}"/release/{yasmin,yasmin-conformance} "$1"
    strip "$1"/{yasmin,yasmin-conformance}
    if ! wants conformance; then return; fi
    say "writing structured programs and what is known of their answer sets"
    rm -rf "$1/structured"
    "$1/yasmin-conformance" --structured 45 --write "$1/structured" || say "SKIPPED: structured programs with known answers"
}

if [ -n "$collect" ]; then
    collect_into "$collect"
    say "collected into $collect"
    exit
fi
if [ -z "$binaries" ]; then
    binaries=target/long-binaries
    collect_into "$binaries"
fi
if wants races || wants swarm || wants conformance || wants claims || wants proofs || wants traces; then
    [ -x "$binaries/yasmin-conformance" ] || wrong "$binaries has no yasmin-conformance"
fi
mkdir -p "$found"
failures=0

# Waits for processes; counts those that failed. Each argument is PID:LOG.
wait_for() {
    local entry
    for entry in "$@"; do
        if ! wait "${entry%%:*}"; then
            failures=$((failures + 1))
            say "FOUND: ${entry#*:} ends with"
            tail -n 25 "${entry#*:}"
        fi
    done
}

# Fuzzes a target for so many seconds in so many processes, in the background; adds to `running`.
fuzz() {
    local target=$1 limit=$2 processes=$3 i log
    mkdir -p "$found/corpus/$target"
    for ((i = 0; i < processes; i++)); do
        log=$found/fuzz-$target-$i.log
        # Processes of a target share what they find in the first folder. A child of 2 GB or 60 s is a finding, too.
        "$binaries/fuzz-$target" -max_total_time="$limit" -timeout=60 -rss_limit_mb=2048 -max_len=4096 -reload=10 \
            -print_final_stats=1 -seed=$((seed % 1000000 + i + 1)) -artifact_prefix="$found/found-$target-" \
            "$found/corpus/$target" "$binaries/corpus/$target" >"$log" 2>&1 &
        running+=("$!:$log")
    done
}

fuzz_all() {
    local limit processes running=() i
    say "fuzzing for $seconds s in $jobs processes"
    if [ "$jobs" -ge ${#targets[@]} ]; then
        for i in "${!targets[@]}"; do
            processes=$((jobs / ${#targets[@]} + (i < jobs % ${#targets[@]})))
            fuzz "${targets[i]}" "$seconds" "$processes"
        done
        wait_for "${running[@]}"
    else
        limit=$((seconds / ${#targets[@]} + 1))
        for target in "${targets[@]}"; do
            running=()
            fuzz "$target" "$limit" "$jobs"
            wait_for "${running[@]}"
        done
    fi
    for target in "${targets[@]}"; do
        local inputs
        inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$found"/fuzz-"$target"-*.log | awk '{n += $1} END {print n + 0}')
        say "$target: $inputs inputs, $(find "$found/corpus/$target" -type f | wc -l) of them lead somewhere new"
    done
}

# Solves random programs until the time is over, from a seed on.
conformance() {
    local next=$1 until=$2 more=("${@:3}")
    while [ "$(date +%s)" -lt "$until" ]; do
        "$binaries/yasmin-conformance" --device cpu --seed "$next" --programs 200 --rich 100 "${more[@]}" || return 1
        next=$((next + 200))
    done
}

conformance_all() {
    local running=() more=() i log until
    if "$binaries/yasmin-conformance" --device cpu --programs 1 --nonground 1 --structured 1 >/dev/null 2>"$found/references.log"; then
        more=(--nonground 50 --structured 7)
    else
        say "SKIPPED: programs with variables and structured programs: $(tail -n 1 "$found/references.log")"
    fi
    if [ -d "$binaries/structured" ]; then
        say "structured programs with known answers"
        "$binaries/yasmin-conformance" --device cpu --programs 1 --expected "$binaries/structured" >"$found/expected.log" 2>&1 &
        wait_for "$!:$found/expected.log"
    fi
    say "random programs for $seconds s in $jobs processes, from seed $seed on"
    until=$(($(date +%s) + seconds))
    for ((i = 0; i < jobs; i++)); do
        log=$found/conformance-$i.log
        conformance $((seed + i * 1000000)) "$until" "${more[@]}" >"$log" 2>&1 &
        running+=("$!:$log")
    done
    wait_for "${running[@]}"
    say "$(cat "$found"/conformance-*.log | awk '/^conformance: / {n += $2} END {print n + 0}') solves"
}

# Runs yasmin-conformance with the options that follow, on so many random programs at a time, until the time is over, from a
# seed on.
in_turn() {
    local next=$1 until=$2 programs=$3 code=0
    shift 3
    while [ "$(date +%s)" -lt "$until" ]; do
        "$binaries/yasmin-conformance" --seed "$next" "$@" || code=1
        next=$((next + programs))
    done
    return "$code"
}

# The same in all processes. What is looked at (claims, proofs or traces) is the name in the logs and in the last line of each.
in_turn_all() {
    local what=$1 running=() more i log until
    shift
    say "$what for $seconds s in $jobs processes, from seed $seed on"
    until=$(($(date +%s) + seconds))
    for ((i = 0; i < jobs; i++)); do
        log=$found/$what-$i.log
        more=()
        # Programs of some processes have difference constraints.
        if ((i % 4 == 1)) && [[ $what != traces ]]; then more=(--differences); fi
        in_turn $((seed + i * 1000000)) "$until" "$@" "${more[@]}" >"$log" 2>&1 &
        running+=("$!:$log")
    done
    wait_for "${running[@]}"
    say "$(cat "$found/$what"-*.log | awk -v what="$what:" '$1 == what && / runs, / {n += $2} END {print n + 0}') runs"
}

threads_all() {
    local code=0
    scripts/threads.sh --binaries "$binaries" --found "$found/threads" --runs 3 || code=$?
    case $code in
        0) ;;
        1) failures=$((failures + 1)) ;;
        *) exit "$code" ;;
    esac
}

# Searches for data races on the simulated GPU: in many orders of the threads of three blocks, and with all options. And compares
# each launch of searches for many programs with the reference.
races_all() {
    say "races: each launch beside its reference, many programs"
    "$binaries/host-tests" --ignored many_programs >"$found/races-lockstep.log" 2>&1 &
    wait_for "$!:$found/races-lockstep.log"
    say "races: random programs on the simulated GPU"
    "$binaries/yasmin-conformance" --device simt --programs 200 --rich 40 --searchers 3 --threads 64 --step 100003 --simt-schedules 20 \
        >"$found/races-blocks.log" 2>&1 &
    wait_for "$!:$found/races-blocks.log"
    "$binaries/yasmin-conformance" --device simt --programs 1500 --runs 4 --rich 300 --step 100003 --data data \
        >"$found/races.log" 2>&1 &
    wait_for "$!:$found/races.log"
}

# Searches by several searchers: random programs with few and with many, on threads and on the simulated GPU, and the same
# enumerations 500 times.
swarm_all() {
    local searchers log
    say "swarm: the same enumerations again and again"
    log=$found/swarm-enumerations.log
    "$binaries/host-tests" crew::tests::the_same_enumeration_five_hundred_times --ignored --exact >"$log" 2>&1 &
    wait_for "$!:$log"
    for searchers in 2 7 64; do
        say "swarm: random programs by $searchers searchers on the processor"
        log=$found/swarm-$searchers.log
        "$binaries/yasmin-conformance" --device cpu --seed "$seed" --step 100003 --programs 5000 --searchers "$searchers" --rich 1000 \
            >"$log" 2>&1 &
        wait_for "$!:$log"
    done
    say "swarm: random programs by 3 searchers on the simulated GPU"
    log=$found/swarm-simt.log
    "$binaries/yasmin-conformance" --device simt --seed "$seed" --step 100003 --programs 2000 --searchers 3 --rich 400 >"$log" 2>&1 &
    wait_for "$!:$log"
}

# Leaves out each barrier, fence and atomic of the kernels in turn; as long as that takes.
mutants_all() {
    if ! command -v python3 >/dev/null; then
        say "SKIPPED: mutants: no python3"
        return
    fi
    local code=0
    python3 scripts/mutants.py --binaries "$binaries/mutants" --jobs "$jobs" --table "$found/mutants.md" || code=$?
    if [ "$code" -ne 0 ]; then
        failures=$((failures + 1))
        say "FOUND: scripts/mutants.py ends with $code; its table is $found/mutants.md"
    fi
}

# Applies the recipes to a copy of the sources, and checks the types there.
recipes_all() {
    local copy=$found/recipes log=$found/recipes.log
    local tool
    for tool in cargo git patch; do
        command -v "$tool" >/dev/null && continue
        say "SKIPPED: recipes: no $tool"
        return
    done
    if ! git rev-parse --git-dir >/dev/null 2>&1; then
        say "SKIPPED: recipes: the sources are in no repository"
        return
    fi
    say "recipes: the patches of tests/recipes"
    rm -rf "$copy"
    mkdir -p "$copy"
    git ls-files -z --cached --others --exclude-standard | tar -c --null --files-from=- | tar -x -C "$copy"
    check_recipes "$copy" >"$log" 2>&1 &
    wait_for "$!:$log"
    say "recipes: a project that depends on yasmin by git"
    cargo test --package yasmin --test outside -- --ignored >"$found/recipes-git.log" 2>&1 &
    wait_for "$!:$found/recipes-git.log"
}

# Type-checks the sources in a folder, with the recipes. No kernels for the GPU are made.
check_recipes() {
    local recipe
    for recipe in tests/recipes/*.patch; do
        patch --directory="$1" --strip=1 --fuzz=0 <"$recipe" || return 1
    done
    (cd "$1" && CUDA_BUILDER_RUSTC=/nonexistent CARGO_TARGET_DIR=../recipes-target cargo check --package yasmin-cli --tests)
}

# Sequences of questions about programs that grow.
questions_all() {
    local end=$((SECONDS + seconds)) first=$seed job log
    say "questions: sequences of questions about programs that grow, for $seconds s"
    while [ "$SECONDS" -lt "$end" ]; do
        local running=()
        for ((job = 0; job < jobs; job++)); do
            log=$found/questions-$job.log
            YASMIN_SEED=$first YASMIN_TIMES=10 "$binaries/questions" >"$log" 2>&1 &
            running+=("$!:$log")
            first=$((first + 3000))
        done
        wait_for "${running[@]}"
    done
    say "questions: seeds $seed to $((first - 1))"
}

# Random runs that signals end.
signals_all() {
    local log=$found/signals.log built=${CARGO_TARGET_DIR:-target}/release/yasmin
    if [ ! -x "$built" ]; then
        say "SKIPPED: signals: the tests run $built, which is not there"
        return
    fi
    say "signals: 312 random runs are killed, from seed $seed on"
    YASMIN_SEED=$seed YASMIN_TIMES=13 "$binaries/formulas" any_signal >"$log" 2>&1 &
    wait_for "$!:$log"
}

# Formulas with costs: random ones, whose optima are those of all assignments and of clasp, and instances in a folder.
formulas_all() {
    local log=$found/formulas.log built=${CARGO_TARGET_DIR:-target}/release/yasmin
    if [ -x "$built" ]; then
        say "formulas: $((seconds * 10)) random ones of each kind, from seed $seed on"
        YASMIN_SEED=$seed YASMIN_TIMES=$((seconds / 15 + 1)) "$binaries/formulas" formulas:: >"$log" 2>&1 &
        wait_for "$!:$log"
    else
        say "SKIPPED: formulas: the tests run $built, which is not there"
        return
    fi
    if [ -z "$instances" ]; then
        say "SKIPPED: formulas: public instances; name a folder with --instances"
        return
    fi
    log=$found/instances.log
    "${YASMIN_PYTHON:-python3}" scripts/formulas.py "$instances" --yasmin "$built" --table "$found/instances.md" >"$log" 2>&1 &
    wait_for "$!:$log"
    say "$(tail -n 1 "$log")"
}

# The packages, where the tools are there that make them.
packages_all() {
    local what log code
    for what in deb container; do
        log=$found/package-$what.log code=0
        say "packages: $what"
        scripts/package.sh "$what" >"$log" 2>&1 || code=$?
        case $code in
            0) ;;
            65) say "SKIPPED: packages: $(tail -n 1 "$log")" ;;
            *)
                failures=$((failures + 1))
                say "FOUND: scripts/package.sh $what ends with $code:"
                tail -n 25 "$log"
                ;;
        esac
    done
}

# Compares the model of many ranks with runs of few.
cluster_model() {
    python3 scripts/cluster-model.py --measured "$found/cluster-model.json" --measure "$binaries/yasmin-mpi" &&
        python3 scripts/cluster-model.py --measured "$found/cluster-model.json" --within 2
}

# Several ranks on this machine: random programs of every goal, and ranks that are killed, stopped and interrupted.
cluster_all() {
    local ranks log
    if [ ! -x "$binaries/yasmin-mpi" ] || ! command -v mpirun >/dev/null; then
        say "SKIPPED: cluster: no yasmin-mpi or no mpirun"
        return
    fi
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    for ranks in 2 4 8; do
        say "cluster: random programs by $ranks ranks"
        log=$found/cluster-$ranks.log
        # Each start solves all of them.
        mpirun --oversubscribe -n "$ranks" "$binaries/yasmin-conformance-ranks" --ranks --device cpu --seed "$seed" \
            --claims 3500 >"$log" 2>&1 &
        wait_for "$!:$log"
        say "cluster: proofs of random programs by $ranks ranks"
        log=$found/cluster-proofs-$ranks.log
        mpirun --oversubscribe -n "$ranks" "$binaries/yasmin-conformance-ranks" --ranks --device cpu --seed "$seed" \
            --proofs 1500 >"$log" 2>&1 &
        wait_for "$!:$log"
        say "cluster: random programs by $ranks ranks, each in a start of its own"
        log=$found/cluster-starts-$ranks.log
        printf '#!/bin/sh\nexec "%s" --mpirun "mpirun --oversubscribe" --ranks %s --rank-children 3 --rank-wait "$@"\n' \
            "$(realpath "$binaries")/yasmin-mpi" "$ranks" >"$found/cluster-$ranks"
        chmod +x "$found/cluster-$ranks"
        "$binaries/yasmin-conformance-ranks" --device cpu --seed "$seed" --claims 100 --command "$found/cluster-$ranks" \
            >"$log" 2>&1 &
        wait_for "$!:$log"
    done
    say "cluster: kills, hangs and signals"
    log=$found/cluster-ends.log
    python3 "$binaries/cluster.py" --command "$binaries/yasmin-mpi" --seed "$seed" --ranks 2,4,8 \
        --kills 200 --hangs 20 --signals 20 >"$log" 2>&1 &
    wait_for "$!:$log"
    if [ -x "${YASMIN_ULFM:-}/bin/mpirun" ]; then
        say "cluster: ranks that are lost, and the others go on"
        log=$found/cluster-losses.log
        LD_LIBRARY_PATH=$YASMIN_ULFM/lib python3 "$binaries/cluster.py" --command "$binaries/yasmin-mpi" --seed "$seed" \
            --ranks 2,4,8 --kills 0 --hangs 0 --signals 0 --losses 100 \
            --lives "$YASMIN_ULFM/bin/mpirun --oversubscribe --with-ft ulfm" >"$log" 2>&1 &
        wait_for "$!:$log"
    else
        say "SKIPPED: cluster: losses: YASMIN_ULFM names no folder with Open MPI 5 (docs/cluster.md)"
    fi
    say "cluster: the model beside runs of 2 to 16 ranks"
    log=$found/cluster-model.log
    cluster_model >"$log" 2>&1 &
    wait_for "$!:$log"
}

if wants recipes; then recipes_all; fi
if wants threads; then threads_all; fi
if wants races; then races_all; fi
if wants swarm; then swarm_all; fi
if wants fuzz; then fuzz_all; fi
if wants conformance; then conformance_all; fi
# What the command says of random programs: is it true, is it proved, and is it what the traces tell?
if wants claims; then in_turn_all claims 2000 --claims 2000 --shrink 120; fi
if wants proofs; then in_turn_all proofs 20000 --device cpu --proofs 20000; fi
if wants traces; then in_turn_all traces 1000 --device cpu --traces 1000; fi
if wants questions; then questions_all; fi
if wants signals; then signals_all; fi
if wants formulas; then formulas_all; fi
if wants packages; then packages_all; fi
if wants cluster; then cluster_all; fi
if wants mutants; then mutants_all; fi
if [ "$failures" -gt 0 ]; then
    say "FOUND: $failures processes found something; inputs and logs are in $found"
    exit 1
fi
say "nothing found"
