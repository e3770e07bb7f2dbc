#!/bin/bash
# files.t - a full disk and a broken one: the nth write, fsync, rename or open of an output fails, once or from then on. Status 4, one line,
# the old outputs whole, nothing left beside them.
#
# `make check` tries some of the calls, check-long two dozen of each kind, PHI3SAT_TORTURE=all all.
. "$(dirname "$0")/torture.sh"

phi3sat --quiet --model m.gguf --prompts p.txt --output a.csv >/dev/null || bail "profile failed"
reason="can.t be (written|opened|read)|is of no more use"

# broken CLAIM POINTS OUTPUTS COMMAND...: POINTS of each kind in `make check`; 0: none.
broken() {
    local claim=$1 points=$2 outs=$3 kind
    shift 3
    ((long || points)) || return
    task 1 "$outs" "$@"
    ((!long)) || points=0
    for kind in "write :28" "write +:28" "write :5" "sync :5" "rename :5" "open :28"; do
        (($(calls "${kind% *}"))) || continue
        # what fails once and is tried again may come out right
        sweep "$points" "0:${kind% *}" "${kind#* }" "0 4" "$reason" "$claim, ${kind#* }"
    done
    (($(calls write) == 0)) || sweep "$points" 0:write :short "0 4" "$reason" "$claim, short"
}

broken "profile" 1 "r.csv r.h5 r.html" --model m.gguf --prompts p.txt --threads 1 --quiet --output r.csv --html r.html
broken "report" 2 "r.csv i.csv r.html" report a.h5 --output r.csv --intervals i.csv --html r.html --quiet
broken "export" 2 "e.npz e.csv e.imatrix" export a.h5 --npz e.npz --compress --long e.csv --imatrix e.imatrix --quiet
broken "pack" 2 "m.knot" pack --quiet m.gguf -o m.knot
broken "synth" 2 "s.gguf s.json" synth --quiet -o s.gguf --layers 1 --hidden 64 --intermediate 64 --vocab 320 --threads 1 --manifest s.json
broken "merge" 1 "m.h5 m.csv" merge a.h5 -o m.h5 --output m.csv --quiet
diag "$tried points"
done_testing
