#!/bin/bash
# architectures.t - every architecture, scaling and window beside Hugging Face transformers, neuron by neuron.
#
# Models and results: tests/golden/make_architectures.py. A file's other forms must give the same archive but for names,
# and that a test can fail is shown where a wrong run lies near (the wrong window, the wrong factors).
. "$(dirname "$0")/profile.sh"
command -v python3 >/dev/null || skip_all "python3 is not installed"
script=$source_dir/tests/golden/make_architectures.py
golden=$source_dir/tests/golden/architectures.txt
export PYTHONDONTWRITEBYTECODE=1

# results NAME RUN: the golden's, as CSV.
results() { python3 "$script" --results "$golden" "$1" "$2"; }

# sets A.h5: all that is the same for the same statistics, whatever the model is called.
sets() {
    local set sets=()
    for set in {gate,up,ffn}/{count,mean,variance,min,max,low_activity,skewness} extremes/{value,neuron}; do sets+=(-d "$set"); done
    h5dump "${sets[@]}" "$1" | tail -n +2
}

# profile NAME-FORM RUN SKIP OPTION...
profile() {
    local model=$1 run=$2 skip=$3
    shift 3
    run phi3sat --quiet --model "$model.gguf" --tokens "${model%-*}.$run.txt" --skip-first "$skip" --output r.csv "$@"
}

# shellcheck disable=SC2317 # `holds` calls it
# perplexity NAME FORM: of 64 tokens, within 1e-4 (the golden is float64's).
perplexity() {
    phi3sat perplexity --model "$1-$2.gguf" --prompts "$1.txt" --context 64 --chunks 1 --json >p.json &&
        python3 -c '
import json, sys
got, wanted = json.load(open("p.json"))[-1]["perplexity"], float(sys.argv[1])
print(f"got {got:.9g}, wanted {wanted:.9g}")
sys.exit(abs(got - wanted) > 1e-4 * wanted)' "$(results "$1" perplexity | tail -n 1)"
}

python3 "$script" --list >list || bail "make_architectures.py failed"
while read -r name forms runs; do
    python3 "$script" --write . "$name" || bail "make_architectures.py failed"
    for run in $runs; do
        skip=${run#*:} run=${run%:*}
        results "$name" "$run" >wanted.csv
        first=
        for form in ${forms//,/ }; do
            profile "$name-$form" "$run" "$skip"
            expect_status 0 "$name, $run, $form: it runs"
            holds "$name, $run, $form: the statistics are transformers'" values golden r.h5 wanted.csv
            [[ $forms == own ]] && continue
            sets r.h5 >sets.txt
            [[ -n $first ]] && ok "$name, $run, $form: and those of the file's other form to the bit" cmp first.txt sets.txt
            first=yes
            cp sets.txt first.txt
        done
    done
    for form in ${forms//,/ }; do
        holds "$name, $form: the perplexity is transformers'" perplexity "$name" "$form"
    done
done <list

# What would be wrong by one is seen.
results phi3-mini-4k 2048 >wanted.csv
for window in 2046 2048; do
    profile phi3-mini-4k-own 2048 2044 --window $window
    ok "a window of $window is another" test "$status" = 0 -a "$(values golden r.h5 wanted.csv >/dev/null; echo $?)" = 1
done
results phi3-mini-128k 4096 >wanted.csv
cut -d' ' -f-4096 phi3-mini-128k.4097.txt >phi3-mini-128k.cut.txt
profile phi3-mini-128k-own cut 0
cp r.h5 cut.h5
profile phi3-mini-128k-own 4097 0
ok "4096 tokens use other factors than 4097, at all positions" test "$(values show cut.h5 gate/mean 1 3)" != "$(values show r.h5 gate/mean 1 3)"
done_testing
