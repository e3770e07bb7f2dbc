#!/bin/bash
# tutorial.t - everything that the tutorial shows of the trained model, typed again: the same words come out. Minutes.
. "$(dirname "$0")/../lint/lint.sh"
need_command python3
if [[ -z ${PHI3SAT_DEMO:-} ]]; then
    PHI3SAT_DEMO=$(find "$source_dir/build/demo/package" -name '*.gguf' 2>/dev/null | head -n 1)
fi
[[ -n $PHI3SAT_DEMO ]] || skip_all "the demo's model is not there: ./bootstrap demo fetches it"
export PHI3SAT_DEMO
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
python3 tests/docs/docs.py run demo docs/tutorial.md | none "the tutorial's commands print what it says"
# PHI3SAT_UPDATE_PICTURES=1 bash tests/docs/tutorial.t: draws docs/pictures anew.
done_testing
