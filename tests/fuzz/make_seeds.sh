#!/bin/bash
# make_seeds.sh - writes the seeds of fuzz targets: good files, small ones, made by the program and by our generators.
#
#   make_seeds.sh FOLDER [NAME...]     FOLDER/NAME/ for each target; without names, for all
#
# A target's seeds are what its function seeds_NAME (in seeds_*.sh) writes into the folder that it is called in. PHI3SAT_BUILDDIR
# says where the program is. Seeds are made when they are needed, so that nobody has to trust a binary in the tree.
set -euo pipefail
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck disable=SC2034 # read by seeds_*.sh
golden=$source_dir/tests/golden
export PATH="${PHI3SAT_BUILDDIR:-$source_dir/build}:$PATH"
for part in "$source_dir"/tests/fuzz/seeds_*.sh; do
    # shellcheck source=/dev/null
    . "$part"
done

# quietly COMMAND...: its output is shown only when it fails.
quietly() {
    local said
    said=$("$@" 2>&1) || {
        printf '%s: %s\n' "$*" "$said" >&2
        exit 1
    }
}

out=$1
# What several targets' seeds are made of.
kept=$(mktemp -d)
trap 'rm -rf "$kept"' EXIT
shift
names=("$@")
(($#)) || mapfile -t names < <(declare -F | sed -n 's/^declare -f seeds_//p')
for name in "${names[@]}"; do
    mkdir -p "$out/$name"
    (cd "$out/$name" && "seeds_$name")
done
