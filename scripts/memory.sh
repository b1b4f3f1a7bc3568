#!/usr/bin/env bash
# Prints a table: the peak memory of yasmin on the processor and of clasp on ten ground programs, from small ones to one of
# 4.9 million nogoods. Each looks for one answer set, for LIMIT seconds (60) at most.
#
# Needs `cargo build --release --workspace`, gringo, clasp and GNU time.
set -euo pipefail
cd "$(dirname "$0")/.."

limit=${LIMIT:-60}
yasmin=$PWD/target/release/yasmin
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# family, size, seed
while read -r family size seed; do
    target/release/yasmin-bench generate --family "$family" --size "$size" --seed "$seed" --out "$folder/facts.lp"
    gringo "data/bench/$family.lp" "$folder/facts.lp" >"$folder/$family-$size-$seed.aspif"
done <<'PROGRAMS'
visitall 8 1
labyrinth 11 1
sokoban 9 2
patterns 180 1
marriage 46 1
patterns 530 1
PROGRAMS

# The most memory that a command has, in KiB. That it finds no answer set in time is no failure.
peak() {
    /usr/bin/time --format=%M --output="$folder/peak" "$@" >/dev/null 2>&1 || true
    tail -n 1 "$folder/peak"
}

echo '| program | nogoods | clasp, MiB | yasmin, MiB | ratio |'
echo '| --- | --: | --: | --: | --: |'
for program in data/{queens-8,blocks,sudoku,pairs-10000}.aspif \
    "$folder"/{visitall-8-1,labyrinth-11-1,sokoban-9-2,patterns-180-1,marriage-46-1,patterns-530-1}.aspif; do
    options=("$program" --quiet=2 --time-limit="$limit")
    nogoods=$("$yasmin" "${options[@]}" --device=cpu --stats --json |
        grep --only-matching '"nogoods_before": *[0-9]*' | grep --only-matching '[0-9]*$' || true)
    theirs=$(peak clasp "${options[@]}")
    ours=$(peak "$yasmin" "${options[@]}" --device=cpu)
    awk -v name="$(basename "$program" .aspif)" -v nogoods="$nogoods" -v theirs="$theirs" -v ours="$ours" \
        'BEGIN { printf "| %s | %s | %.1f | %.1f | %.2f |\n", name, nogoods, theirs / 1024, ours / 1024, ours / theirs }'
done
