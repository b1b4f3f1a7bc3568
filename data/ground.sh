#!/usr/bin/env bash
# Makes the ground programs of this folder again, from the .lp files; needs gringo. All but `loop`, of which gringo leaves
# only the constraint: its ground files are written by hand.
set -euo pipefail
cd "$(dirname "$0")"
for source in *.lp; do
    [ "$source" = loop.lp ] || gringo --warn=none "$source" >"${source%.lp}.aspif"
done
for name in choice queens-8; do
    gringo --warn=none -o smodels "$name.lp" >"$name.sm"
done
