#!/usr/bin/env bash
# Builds the Python package as a wheel, installs it where the tests' tools are, and tests it.
# Usage: scripts/python.sh [arguments for pytest]      YASMIN names the command, else it is built.
# Exit code 65 if Python's tools are missing: scripts/setup.sh --tests installs them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
python="$target/test-python/bin/python"
if ! "$python" -c 'import clingo, maturin, pytest' 2>/dev/null; then
    printf 'python: error: %s has no clingo, maturin or pytest; see scripts/setup.sh --tests\n' "$python" >&2
    exit 65
fi
# The tests compare with the command.
if [ -z "${YASMIN:-}" ]; then
    cargo build --quiet --package yasmin-cli --bin yasmin
    export YASMIN=$target/debug/yasmin
fi
wheels="$target/wheels"
rm -rf "$wheels"
(cd python && CARGO_TARGET_DIR=$target "$python" -m maturin build --quiet --profile dev --interpreter "$python" --out "$wheels")
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheels"/*.whl
"$python" -m pytest --quiet -p no:cacheprovider python/tests "$@"
