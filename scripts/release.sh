#!/usr/bin/env bash
# Makes what a release publishes, and uses it as its users will: crates, and the sdist and the wheel of Python.
#
# Usage: scripts/release.sh [crates|python]
#   crates   target/release-files/*.crate, by a dry run of `cargo publish`. The packages are unpacked elsewhere, and the
#            command is built from them, without a toolchain for kernels.
#   python   target/release-files/yasmin_asp-*: the sdist, and of it the wheel for Linux with glibc 2.28 or later. The wheel
#            is installed in a new environment of each Python that PYTHONS names (python3), with clingo and without.
# Needs the network, and for `python` a Python with venv and pip. Nothing is published. `crates` refuses what is not committed.
# Exit code 1 if what was made does not do what it should.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
files=$target/release-files
outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT

say() { printf 'release: %s\n' "$*"; }
fail() {
    say "FOUND: $*"
    exit 1
}

# Runs a command that is yasmin on a program, and looks at exit code and verdict, and at what it says of the GPU.
solves() {
    local program=$root/data/$1 code=0 out
    shift
    out=$("$@" --device=cpu -q "$program" 0) || code=$?
    if [ "$code" -ne 30 ] || ! grep -q '^Models       : 92$' <<<"$out"; then
        fail "$* ends with $code and has not found 92 answer sets: $out"
    fi
    out=$("$@" --device=gpu -q "$program" 2>&1) || true
    ! grep -q 'without kernels' <<<"$out" || fail "$* has no kernels: $out"
    say "$*: 92 answer sets, and kernels for a GPU"
}

make_crates() {
    say "the PTX that is shipped is that of the sources"
    cargo xtask kernels --check
    rm -rf "$target/package" "$files"/*.crate
    cargo publish --workspace --dry-run --no-verify
    mv "$target"/package/tmp-crate/*.crate "$files"

    say "the command, built from the packages"
    local crate folder
    for crate in "$files"/*.crate; do
        tar --extract --gzip --file "$crate" --directory "$outside"
    done
    {
        printf '[workspace]\nresolver = "2"\nmembers = ["*-*"]\n\n[patch.crates-io]\n'
        for crate in "$files"/*.crate; do
            folder=$(basename "$crate" .crate)
            # The name is before the version.
            printf '%s = { path = "%s" }\n' "${folder%-*}" "$folder"
        done
    } >"$outside/Cargo.toml"
    cp Cargo.lock "$outside"
    (cd "$outside" && CUDA_BUILDER_RUSTC=/no/such/rustc CARGO_TARGET_DIR=$target/released cargo build)
    solves queens-8.aspif "$target/released/debug/yasmin"
    "$target/released/debug/yasmin-check" --version
}

# An environment of this Python, new each time, in $outside; with what else is named.
environment() {
    local python=$1 name=$2
    "$python" -m venv --clear "$outside/$name"
    shift 2
    [ $# -eq 0 ] || "$outside/$name/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
}

# The licences of the packages that are compiled into the wheel.
third_parties() {
    cargo metadata --format-version 1 --filter-platform x86_64-unknown-linux-gnu --manifest-path python/Cargo.toml |
        "$1" -c '
import json, pathlib, sys

metadata = json.load(sys.stdin)
packages = {package["id"]: package for package in metadata["packages"]}
nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
found, todo = {}, [metadata["resolve"]["root"]]
while todo:
    of = todo.pop()
    package = packages[of]
    # What a macro of the compiler is made of is not in the wheel.
    if of not in found and package["targets"][0]["kind"] != ["proc-macro"]:
        found[of] = package
        todo += (to["pkg"] for to in nodes[of]["deps"] if any(kind["kind"] is None for kind in to["dep_kinds"]))
for package in sorted((of for of in found.values() if of["source"]), key=lambda package: package["name"]):
    print("=" * 80, package["name"] + " " + package["version"], package["license"], sep="\n")
    for file in sorted(pathlib.Path(package["manifest_path"]).parent.rglob("*")):
        if file.is_file() and file.name.upper().startswith(("LICENSE", "LICENCE", "COPYING", "NOTICE")):
            print("-" * 80, file.read_text(errors="replace"), sep="\n")
'
}

make_python() {
    local tools=$outside/tools/bin/python wheel python told
    environment python3 tools 'maturin>=1.9,<2' ziglang
    rm -f "$files"/yasmin_asp-*
    "$tools" -m maturin sdist --manifest-path python/Cargo.toml --out "$files"
    tar --extract --gzip --file "$files"/yasmin_asp-*.tar.gz --directory "$outside"
    (cd "$outside"/yasmin_asp-* && third_parties "$tools" >LICENSE-THIRD-PARTIES)
    # zig links for an older glibc than this machine's.
    (cd "$outside"/yasmin_asp-* && PATH=$outside/tools/bin:$PATH CARGO_TARGET_DIR=$target/released \
        maturin build --zig --compatibility manylinux_2_28 --out "$files")
    wheel=$(ls "$files"/yasmin_asp-*.whl)
    "$tools" -m zipfile --list "$wheel" | grep -q LICENSE-THIRD-PARTIES || fail "$wheel lacks licences"
    for python in ${PYTHONS:-python3}; do
        say "$("$python" --version), of $python"
        environment "$python" alone --no-deps "$wheel"
        told=$("$outside/alone/bin/python" -c 'import yasmin; yasmin.Control().add("a(X) :- b(X).")' 2>&1) || true
        grep -q 'yasmin.Error: .*pip install clingo$' <<<"$told" || fail "without clingo, $python says: $told"
        environment "$python" whole "$wheel"
        solves queens-8.lp "$outside/whole/bin/python" -m yasmin
    done
}

mkdir -p "$files"
case "${1:-all}" in
    crates) make_crates ;;
    python) make_python ;;
    all)
        make_crates
        make_python
        ;;
    *) fail "expected crates or python; see the head of scripts/release.sh" ;;
esac
say "made:"
(cd "$files" && ls -l -- *)
