#!/usr/bin/env bash
# Proves that nothing is left, and has a verified checker for SAT solvers check that: the formally verified cake_lpr (Tan,
# Heule and Myreen 2021). Each ground program is searched to the end with --proof, yasmin-check writes the completion and
# the proof as clauses (LRAT), and cake_lpr checks that.
#
# Usage: scripts/verified.sh [OPTIONS] PROGRAM...
#   --threads N     how many searchers (default: 1)
#   --limit N       how many seconds a search, and each check, may take (default: 300)
#   --checker DIR   take cake_lpr.S and basis_ffi.c from there (default: clone them from GitHub)
#   --help          this text
# A line for each program: its name, conflicts, seconds of the search, of yasmin-check and of cake_lpr, bytes of the proof
# and of the LRAT proof, and the verdict: verified; none (the proof needs more than clauses); or open (a limit).
# Exit code 1 if a checker refuses a proof, 65 if something is missing. A C compiler and an x86-64 processor are needed.
set -euo pipefail

threads=1 limit=300 sources=""
wrong() {
    printf 'verified: error: %s; see scripts/verified.sh --help\n' "$*" >&2
    exit 65
}
programs=()
while [ $# -gt 0 ]; do
    case $1 in
        --help)
            sed -n '2,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
            exit
            ;;
        --threads | --limit)
            [[ ${2:-} =~ ^[0-9]+$ ]] || wrong "$1 needs a number"
            declare "${1#--}=$2"
            shift 2
            ;;
        --checker)
            [ -d "${2:-}" ] || wrong "--checker needs a folder"
            sources=$(realpath "$2")
            shift 2
            ;;
        -*) wrong "unknown option $1" ;;
        *)
            [ -r "$1" ] || wrong "$1 cannot be read"
            programs+=("$(realpath "$1")")
            shift
            ;;
    esac
done
[ ${#programs[@]} -gt 0 ] || wrong "no program is named"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
command -v cc >/dev/null || wrong "there is no C compiler"

# Builds the checker, unless it is there.
checker=$(realpath -m "${CARGO_TARGET_DIR:-target}")/verified/cake_lpr
mkdir -p "$(dirname "$checker")"
if [ ! -x "$checker" ]; then
    if [ -z "$sources" ]; then
        sources=$(dirname "$checker")/sources
        rm -rf "$sources"
        git clone --quiet --depth 1 https://github.com/tanyongkiam/cake_lpr "$sources" || wrong "cake_lpr cannot be cloned"
    fi
    cc -std=c99 -O2 -w "$sources/basis_ffi.c" "$sources/cake_lpr.S" -o "$checker"
fi
cargo build --release --quiet --package yasmin-cli --package yasmin-check
built=$(realpath "${CARGO_TARGET_DIR:-target}")/release

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
seconds() { awk "BEGIN { printf \"%.2f\", $(date +%s.%N) - $1 }"; }
size() { stat -c %s "$1" 2>/dev/null || echo -; }

refused=0
printf '%-28s %10s %8s %8s %8s %10s %10s  %s\n' program conflicts search check cake_lpr proof lrat verdict
for program in "${programs[@]}"; do
    rm -f proof cnf lrat
    conflicts=- check=- cake=- verdict=open began=$(date +%s.%N)
    code=0
    "$built/yasmin" --device cpu -t "$threads" -q --stats --time-limit "$limit" --proof proof --proof-format binary "$program" 0 \
        >out 2>err || code=$?
    search=$(seconds "$began")
    conflicts=$(sed -n 's/^Conflicts *: *\([0-9]*\).*/\1/p' out)
    if [ $((code & 20)) -eq 20 ] && [ "$code" -lt 64 ]; then
        began=$(date +%s.%N) code=0
        timeout "$limit" "$built/yasmin-check" --cnf cnf --lrat lrat "$program" proof >out 2>err || code=$?
        check=$(seconds "$began")
        case $code in
            0) verdict=checked ;;
            124) ;;
            *) if grep -q 'as clauses' err; then verdict=none; else verdict=REFUSED; fi ;;
        esac
    elif [ $((code & 1)) -eq 0 ]; then
        verdict=FAILED
    fi
    if [ "$verdict" = checked ]; then
        verdict=open began=$(date +%s.%N)
        timeout "$limit" "$checker" cnf lrat >out 2>&1 || true
        cake=$(seconds "$began")
        if grep -q 's VERIFIED UNSAT' out; then verdict=verified; elif [ -s out ]; then verdict=REFUSED; fi
    fi
    case $verdict in REFUSED | FAILED) refused=1 ;; esac
    printf '%-28s %10s %8s %8s %8s %10s %10s  %s\n' "$(basename "$program")" "${conflicts:--}" "$search" "$check" "$cake" \
        "$(size proof)" "$(size lrat)" "$verdict"
done
exit "$refused"
