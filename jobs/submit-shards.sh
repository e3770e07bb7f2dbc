#!/bin/bash
# submit-shards.sh - sends a job array that profiles N shards, and a job that merges them when all are done.
#
#     jobs/submit-shards.sh N NAME --model M.gguf --prompts P.txt
#
# makes NAME-K.csv and NAME-K.h5 for each shard K, then NAME.csv and NAME.h5, which are those of one run over all
# prompts. Everything behind NAME goes to phi3sat.
#
# Edit: nothing here; see the heads of shard.sbatch and merge.sbatch.

set -euo pipefail

if (($# < 3)) || [[ ! $1 =~ ^[1-9][0-9]*$ ]]; then
    echo "usage: ${0##*/} N NAME PHI3SAT-OPTION..." >&2
    exit 2
fi
shards=$1 name=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)

archives=()
for ((k = 0; k < shards; k++)); do archives+=("$name-$k.h5"); done
array=$(PHI3SAT_SHARDS=$name sbatch --parsable --array="0-$((shards - 1))" "$here/shard.sbatch" "$@")
array=${array%%;*} # a cluster's name may follow
merge=$(sbatch --parsable --dependency="afterok:$array" --kill-on-invalid-dep=yes "$here/merge.sbatch" \
    "${archives[@]}" -o "$name.h5" --output "$name.csv")
echo "array $array, then merge ${merge%%;*}"
