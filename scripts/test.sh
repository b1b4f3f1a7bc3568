#!/usr/bin/env bash
# Sets up, then checks everything: format, lints, documentation, tests.
# Usage: scripts/test.sh [arguments for cargo test]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/setup.sh --tests

step() { printf 'test: %s\n' "$*"; }

venv_python="$(realpath -m "${CARGO_TARGET_DIR:-target}")/test-python/bin/python"
if [ -z "${YASMIN_PYTHON:-}" ] && [ -x "$venv_python" ]; then
    export YASMIN_PYTHON=$venv_python
fi

if cargo fmt --version >/dev/null 2>&1; then
    step "format"
    cargo fmt --all -- --check
else
    step "SKIPPED: format, rustfmt is missing"
fi
if cargo clippy --version >/dev/null 2>&1; then
    step "lints"
    cargo clippy --workspace --all-targets --quiet -- -D warnings
    # The library alone, which has no command line.
    cargo clippy --package solver-host --quiet -- -D warnings
    cargo clippy --package yasmin-fuzz --bins --features libfuzzer --quiet -- -D warnings
else
    step "SKIPPED: lints, clippy is missing"
fi
step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items --quiet
mdbook=$(command -v mdbook || echo "${CARGO_HOME:-$HOME/.cargo}/bin/mdbook")
if [ -x "$mdbook" ]; then
    step "book"
    "$mdbook" build book --dest-dir "$(realpath -m "${CARGO_TARGET_DIR:-target}")/book"
    "$mdbook" test book
else
    step "SKIPPED: book, mdbook is missing"
fi
step "tests"
cargo test --workspace "$@"
if "$venv_python" -c 'import clingo, maturin, pytest' 2>/dev/null; then
    step "the Python package"
    scripts/python.sh
else
    step "SKIPPED: the Python package, clingo, maturin or pytest is missing"
fi
if command -v npm >/dev/null && { command -v chromium >/dev/null || [ -n "${CHROMIUM:-}" ]; }; then
    step "the page that shows traces, in a browser"
    YASMIN=$(realpath "${CARGO_TARGET_DIR:-target}")/debug/yasmin
    export YASMIN
    cargo build --quiet --package yasmin-cli --bin yasmin
    (cd view && npm ci --silent --ignore-scripts && npm run --silent check && npm test --silent)
else
    step "SKIPPED: the page that shows traces, npm or chromium is missing"
fi
if command -v mpirun >/dev/null && command -v mpicc >/dev/null; then
    step "the cluster"
    cargo clippy --package yasmin-mpi --features mpi --all-targets --quiet -- -D warnings
    cargo test --release --package yasmin-mpi --features mpi
    RUSTDOCFLAGS="-D warnings" cargo doc --quiet --package yasmin-mpi --features mpi --no-deps
    RUSTDOCFLAGS="-D warnings" cargo doc --quiet --package yasmin-mpi --features mpi --no-deps --document-private-items
    cargo clippy --package yasmin-tests --features mpi --all-targets --quiet -- -D warnings
    cargo test --release --package yasmin-tests --features mpi --test ranks
else
    step "SKIPPED: the cluster, Open MPI is missing"
fi
