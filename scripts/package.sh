#!/usr/bin/env bash
# Makes a package of yasmin, and runs what is in the package.
#
# Usage: scripts/package.sh deb|container
#   deb         target/debian/yasmin_*.deb: yasmin, yasmin-check, the manual page, completions and the pages of docs/.
#               Needs cargo-deb (cargo install cargo-deb) and dpkg-deb.
#   container   the image yasmin, by Containerfile. Needs podman or docker, and the network.
# Exit code 1 if what is in the package does not run, 65 if something is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'package: %s\n' "$*"; }
missing() {
    printf 'package: error: %s\n' "$*" >&2
    exit 65
}

# Runs a command that is yasmin on a program of data/, and looks at the exit code and the verdict.
runs() {
    local code=0 out
    out=$("$@" --device cpu -q - 0 <data/queens-8.aspif) || code=$?
    if [ "$code" -ne 30 ] || ! grep -q '^Models       : 92$' <<<"$out"; then
        printf '%s\n' "$out"
        say "FOUND: $1 ends with $code and has not found the 92 answer sets of data/queens-8.aspif"
        exit 1
    fi
    say "$*: 92 answer sets, exit code 30"
}

make_deb() {
    local target=${CARGO_TARGET_DIR:-target} built root
    cargo deb --version >/dev/null 2>&1 || missing "no cargo-deb: cargo install cargo-deb"
    command -v dpkg-deb >/dev/null || missing "no dpkg-deb: a package of Debian is made on Debian"
    cargo build --release --package yasmin-cli --package yasmin-check
    mkdir -p target/package
    "$target/release/yasmin" --man >target/package/yasmin.1
    "$target/release/yasmin-check" --man >target/package/yasmin-check.1
    "$target/release/yasmin" --completions bash >target/package/yasmin.bash
    "$target/release/yasmin" --completions zsh >target/package/_yasmin
    "$target/release/yasmin" --completions fish >target/package/yasmin.fish
    rm -f "$target"/debian/yasmin_*.deb
    # What a panic tells of its place needs debug information, which Debian's packages are without.
    cargo deb --package yasmin-cli --no-build --strip
    built=$(ls "$target"/debian/yasmin_*.deb)
    dpkg-deb --info "$built"
    root=$(mktemp -d)
    # shellcheck disable=SC2064
    trap "rm -rf '$root'" EXIT
    dpkg-deb --extract "$built" "$root"
    for file in usr/bin/yasmin usr/bin/yasmin-check usr/share/man/man1/yasmin.1.gz \
        usr/share/man/man1/yasmin-check.1.gz usr/share/doc/yasmin/docs/clingo.md \
        usr/share/bash-completion/completions/yasmin usr/share/zsh/vendor-completions/_yasmin; do
        if ! [ -e "$root/$file" ] && ! [ -e "$root/$file.gz" ]; then
            say "FOUND: the package has no $file"
            exit 1
        fi
    done
    "$root/usr/bin/yasmin-check" --version
    runs "$root/usr/bin/yasmin"
    say "$built"
}

make_container() {
    local tool
    for tool in podman docker; do
        if "$tool" info >/dev/null 2>&1; then
            "$tool" build --file Containerfile --tag yasmin .
            runs "$tool" run --rm --interactive yasmin
            return
        fi
    done
    missing "neither podman nor docker can be asked for containers here"
}

case "${1:-}" in
    deb) make_deb ;;
    container) make_container ;;
    *) missing "expected deb or container; see the head of scripts/package.sh" ;;
esac
