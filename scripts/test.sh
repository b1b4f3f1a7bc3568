#!/usr/bin/env bash
# Sets up, then checks: format, lints, documentation, tests.
# Usage: scripts/test.sh [--all] [arguments for cargo test]
#   --all  also what builds for itself: the crates with other features, the kernels that are shipped, the book, a crate
#          from the template, README.md's first command, the Python package, and the pages in a browser
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
all=no
if [ "${1:-}" = --all ]; then
    all=yes
    shift
fi
scripts/setup.sh --tests

step() { printf 'test: %s\n' "$*"; }

venv_python="$(realpath -m "${CARGO_TARGET_DIR:-target}")/test-python/bin/python"
if [ -z "${YASMIN_PYTHON:-}" ] && [ -x "$venv_python" ]; then
    export YASMIN_PYTHON=$venv_python
fi

# With Open MPI, one build has the features of all crates, so that each crate is compiled once.
features=()
if command -v mpirun >/dev/null && command -v mpicc >/dev/null; then
    features=(--features yasmin-mpi/mpi,yasmin-tests/mpi)
else
    step "SKIPPED: the cluster, Open MPI is missing"
fi

if cargo fmt --version >/dev/null 2>&1; then
    step "format"
    cargo fmt --all -- --check
else
    step "SKIPPED: format, rustfmt is missing"
fi
if cargo clippy --version >/dev/null 2>&1; then
    step "lints"
    cargo clippy --workspace --all-targets "${features[@]}" --quiet -- -D warnings
    if [ "$all" = yes ]; then
        # The library alone, which has no command line; and the crates that have a part for MPI, without that part.
        cargo clippy --package solver-host --quiet -- -D warnings
        cargo clippy --package yasmin-mpi --package yasmin-tests --all-targets --quiet -- -D warnings
        cargo clippy --package yasmin-fuzz --bins --features libfuzzer --quiet -- -D warnings
    fi
else
    step "SKIPPED: lints, clippy is missing"
fi
step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace "${features[@]}" --no-deps --document-private-items --quiet
step "tests"
cargo test --workspace --no-fail-fast "${features[@]}" "$@"
if [ "$all" = no ]; then
    step "what builds for itself is left out: scripts/test.sh --all"
    exit
fi
step "what builds for itself"
cargo test --workspace --no-fail-fast "${features[@]}" -- --ignored builds_for_itself
if [ "${#features[@]}" -gt 0 ]; then
    # As docs.rs would show it: no link may lead to what is private.
    RUSTDOCFLAGS="-D warnings" cargo doc --package yasmin-mpi --features mpi --no-deps --quiet
fi
mdbook=$(command -v mdbook || echo "${CARGO_HOME:-$HOME/.cargo}/bin/mdbook")
if [ -x "$mdbook" ]; then
    step "book"
    plain=()
    command -v wasm-opt >/dev/null || plain=(--plain)
    PATH=$(dirname "$mdbook"):$PATH cargo xtask book "${plain[@]}"
    "$mdbook" test course/book
else
    step "SKIPPED: book, mdbook is missing"
fi
step "the first command of README.md"
DEMO_PROFILE=dev scripts/demo.sh
# The tests that follow take the command that is there.
cargo build --quiet --workspace "${features[@]}" --bin yasmin
YASMIN=$(realpath "${CARGO_TARGET_DIR:-target}")/debug/yasmin
export YASMIN
if "$venv_python" -c 'import clingo, maturin, pytest' 2>/dev/null; then
    step "the Python package"
    scripts/python.sh
else
    step "SKIPPED: the Python package, clingo, maturin or pytest is missing"
fi
if command -v npm >/dev/null && { command -v chromium >/dev/null || [ -n "${CHROMIUM:-}" ]; }; then
    step "the page that shows traces, in a browser"
    (cd solver-cli/view && npm ci --silent --ignore-scripts && npm run --silent check && npm test --silent)
    if [ -x "$mdbook" ] && command -v wasm-opt >/dev/null; then
        step "the book's pages, in a browser"
        BOOK="$(realpath -m "${CARGO_TARGET_DIR:-target}")/book" node --test course/book/browser.test.mjs
    else
        step "SKIPPED: the book's pages, mdbook or wasm-opt is missing"
    fi
else
    step "SKIPPED: the pages in a browser, npm or chromium is missing"
fi
