#!/bin/bash
# unusual.t - NaN, and super neurons: seen, named, never in the way.
. "$(dirname "$0")/profile.sh"
need_command python3
shape=(--with-vocab --vocab 300 --hidden 32 --intermediate 70 --heads 2 --layers 3 --context 64 --seed 4)
words 10 5 20 >p.txt

# A NaN weight in the last layer: that neuron's up and ffn are kept out, all else stays.
tiny good.gguf "${shape[@]}"
tiny nan.gguf "${shape[@]}" --plant-nan 2:33
run phi3sat --model good.gguf --prompts p.txt --output good.csv
expect_status 0 "it runs"
for ranks in 1 3; do
    if ((ranks == 1)); then run phi3sat --model nan.gguf --prompts p.txt --output nan.csv; else
        mpirun_n 3 phi3sat --model nan.gguf --prompts p.txt --output nan3.csv; fi
    expect_status 5 "it says that there were NaN"
    expect_error_lines 0 "no error is said"
    expect_stderr_match 'layer 2, neuron 33 \(up\), prompt 0 .*token 0' "the first NaN's place is said ($ranks)"
done
same nan.h5 nan3.h5 "NaN or not, ranks can't be seen"
count=$(values show nan.h5 ffn/count 2)
is "$(values show nan.h5 up/nonfinite 2 33)" "$count" "every sample of its up is counted as non-finite"
is "$(values show nan.h5 gate/nonfinite 2 33)" 0 "none of its gate"
is "$(values show nan.h5 up/mean 2 33)" nan "it has no mean"
is "$(values show nan.h5 up/mean 2 32)" "$(values show good.h5 up/mean 2 32)" "its neighbour has the mean it had"
is "$(values show nan.h5 saturation/flags 2 33)" "$(($(values show good.h5 saturation/flags 2 33) & 255))" \
    "a missing value meets no criterion"

# In an early layer it makes NaN of all that follows: those layers have no shares.
tiny early.gguf "${shape[@]}" --plant-nan 0:33
run phi3sat --model early.gguf --prompts p.txt --output early.csv
expect_status 5 "a NaN that spreads is said too"
is "$(cut -d, -f1,6,13 early.csv | tail -n 2 | tr '\n' ' ')" "1,nan,nan 2,nan,nan " "layers without values are nan in the table, not 0 %"
expect_stdout_match '^Not measured: 2 layers are without a finite value' "the summary says so"
expect_stdout_match '^Late layers \(1-2\): +not measured$' "and has no share of their band"
is "$(values show early.h5 summary/saturated 2)" nan "nor has the archive"

# A super neuron is quiet on all tokens but one. By activity alone it would be removed.
tiny super.gguf "${shape[@]}" --plant-super 1:17 --super-token 280
phi3sat tokenize --model super.gguf p.txt >ids.txt
printf '1 5 9 280 7\n' >>ids.txt
sed -i '1,10 s/\b280\b/281/g' ids.txt
tail -n 1 ids.txt >last.txt
run phi3sat --model super.gguf --tokens last.txt --output last.csv
hash=$(values show last.h5 state/prompt_hash 0)
for rule in all any ffn; do
    run phi3sat --model super.gguf --tokens ids.txt --output super.csv --combine $rule
    expect_status 0 "it runs"
    is "$(values show super.h5 extremes/neuron 1 0)" 17 "extremes begin with it (--combine $rule)"
    is "$(values show super.h5 extremes/position 1 0)" 3 "at its token"
    is "$(values show super.h5 extremes/prompt_hash 1 0)" "$hash" "of its prompt"
    expect_stdout_match 'layer 1 neuron 17: max' "the summary names it"
    holds "it is flagged super" test $(($(values show super.h5 saturation/flags 1 17) >> 24)) = 1
    holds "the table follows from the arrays" values recompute super.h5 super.csv
    is "$(values show super.h5 saturation/saturated 1 17)" 1 "its quiet makes it saturated"
    # What could be removed is what is saturated, less the super neurons.
    removable=$(paste <(values show super.h5 saturation/saturated) <(values show super.h5 saturation/flags) |
        awk '$1 == 1 && $2 < 16777216' | wc -l)
    expect_stdout_match "$(awk -v k="$removable" 'BEGIN { printf "%.1f%% of neurons are saturated, super neurons left out", 100 * k / 210 }')" \
        "the recommendation doesn't count it"
done
done_testing
