#!/bin/bash
# shell.t - shellcheck has nothing to say about any script of the tree.
. "$(dirname "$0")/lint.sh"
need_command shellcheck

mapfile -t scripts < <(find bootstrap .ci/run build-aux/build-id.sh build-aux/tap-totals.sh jobs tests \
    -type f \( -name '*.t' -o -name '*.sh' -o -name bootstrap -o -name run -o -name '*.sbatch' -o -name '*.pbs' \
    -o -name '*.lsf' \) | sort)
for script in "${scripts[@]}"; do
    shellcheck -x -P SCRIPTDIR -e SC1090,SC1091 "$script" 2>&1 | none "$script is clean"
done
done_testing
