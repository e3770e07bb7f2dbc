#!/bin/bash
# basics.t - phi3sat compare: what differs, what is sampling, and what can't be compared.
. "$(dirname "$0")/../profile/profile.sh"
need_command python3

shape=(--with-vocab --vocab 300 --hidden 48 --intermediate 100 --heads 4 --layers 5 --context 120)
tiny m.gguf "${shape[@]}" --seed 4 --plant-zero 0:5 --plant-zero 1:7
tiny other.gguf "${shape[@]}" --seed 5
words 80 7 40 >all.txt
awk 'NR % 2' all.txt >odd.txt
awk '(NR + 1) % 2' all.txt >even.txt
sed -n '1,50p' all.txt >most.txt
profile() { # NAME MODEL PROMPTS OPTION...
    local name=$1 model=$2 prompts=$3
    shift 3
    run phi3sat --quiet --model "$model" --prompts "$prompts" --output "$name.csv" "$@"
    expect_status 0 "a profile: $name"
}
profile a m.gguf odd.txt
profile b m.gguf even.txt
run phi3sat synth -o q4.gguf --layers 5 --hidden 256 --intermediate 512 --heads 4 --type Q4_K --seed 3
head -n 20 all.txt >few.txt
profile exact q4.gguf few.txt
profile fast q4.gguf few.txt --precision int8
profile other other.gguf odd.txt
profile most m.gguf most.txt
profile ffn m.gguf odd.txt --combine ffn

run phi3sat compare a.h5 a.h5 --output same.csv
expect_status 0 "an archive with itself"
expect_stdout_match '^Verdict: NO difference: the same prompts, and every number' "no difference"
expect_stdout_match '^0 of 500 neurons change class \(0\.00%\)$' "no class changes"
expect_stdout_match '^all +[1-9][0-9]* ' "some neurons are saturated"
expect_stdout_match '^    0( +=){11}$' "no column changes"
ok "the sets are one: Jaccard 1" test "$(awk '$1 == "all" { print $5 }' "$stdout")" = 1.000
expect_stderr_match '^written: same.csv$' "the table is written"
is "$(head -n 1 same.csv)" 'Pair,Layer,LowVarGate%,LowVarUp%,LowVarFFN%,Saturated%,AvgVarGate,AvgVarUp,AvgVarFFN,AvgMeanGate,AvgMeanUp,AvgMeanFFN,EstSpeedup,SaturatedA,SaturatedB,SaturatedBoth,ClassChanges,Jaccard,RankSaturated,RankAll,P' "with its header"
is "$(wc -l <same.csv)" 6 "and a row a layer"
is "$(cut -d, -f 3-13 same.csv | sed 1d | tr -d '0,\n')" "" "that says no change"

run phi3sat compare a.h5 b.h5
expect_status 0 "two halves of the same prompts"
expect_stdout_match '^Verdict: NO difference beyond what sampling gives at the 5% level \(p = 0\.' "are no different"
expect_stdout_match '^A: a\.h5: 40 prompts, [0-9]+ tokens, f32$' "each is named with its prompts"
run phi3sat compare a.h5 other.h5
expect_stdout_match '^Verdict: the same prompts, so that the difference is not the sample' "another model, the same prompts: no sampling"
expect_stdout_match '^B has model_fingerprint' "what it differs in is said"
profile apart other.gguf even.txt
run phi3sat compare a.h5 apart.h5
expect_stdout_match '^Verdict: the difference EXCEEDS what sampling gives at the 5% level' "another model, other prompts: more than sampling"
expect_stdout_match '^  by layer: 5 of 5 exceed it' "in every layer"
run phi3sat compare a.h5 most.h5
expect_stdout_match '^25 prompts are in both' "common prompts are counted"
run phi3sat compare exact.h5 fast.h5 --output fast.csv
expect_stdout_match '^B has precision .int8., not .f32.$' "another precision"
expect_stdout_match '^Verdict: the same prompts, so' "differs by itself"
expect_stdout_match '^  Of [0-9]+ means and activity shares that differ, [0-9]\.[0-9]% differ by more' "by less than other prompts would make"
run phi3sat compare a.h5 ffn.h5
expect_stdout_match '^B has --combine ffn, not all$' "archives judged by other rules say so"
run phi3sat compare a.h5 ffn.h5 --combine any
expect_stdout_match '^0 of 500 neurons change class' "a rule given here judges both"
run phi3sat compare a.h5 b.h5 most.h5 other.h5 --quiet --output three.csv
expect_status 0 "three against the first"
is "$(grep -c '^A: a.h5' "$stdout")" 3 "are three comparisons"
is "$(cut -d, -f 1 three.csv | sort | uniq -c | tr -s ' \n' ' ')" " 5 1 5 2 5 3 1 Pair " "and three parts of the table"
expect_empty stderr "--quiet says nothing"
run phi3sat compare a.h5 b.h5 --level 0.4999
expect_stdout_match ' at the 49.99% level' "--level is the verdict's"

# The numbers, worked out again by another program.
if /usr/bin/python3 -c 'import h5py, numpy' 2>/dev/null; then
    cat >again.py <<'PY'
import csv, h5py, numpy as np
def rank(x):
    order = np.argsort(x, kind="stable"); r = np.empty(len(x)); r[order] = np.arange(len(x))
    return np.array([r[x == v].mean() for v in x])
def spearman(x, y): return np.corrcoef(rank(x), rank(y))[0, 1] if len(x) > 1 else np.nan
a, b = h5py.File("exact.h5"), h5py.File("fast.h5")
columns = {"LowVarGate%": "low_var_gate", "LowVarUp%": "low_var_up", "LowVarFFN%": "low_var_ffn", "Saturated%": "saturated",
           "AvgVarGate": "avg_var_gate", "AvgVarUp": "avg_var_up", "AvgVarFFN": "avg_var_ffn", "AvgMeanGate": "avg_mean_gate",
           "AvgMeanUp": "avg_mean_up", "AvgMeanFFN": "avg_mean_ffn", "EstSpeedup": "est_speedup"}
for l, row in enumerate(csv.DictReader(open("fast.csv"))):
    for column, name in columns.items():
        change = (b["summary/" + name][l] - a["summary/" + name][l]) * (100 if "%" in column else 1)
        assert abs(float(row[column]) - change) < 1e-7, (row, column, change)
    x, y = a["saturation/saturated"][l] > 0, b["saturation/saturated"][l] > 0
    u, v = a["ffn/variance"][l], b["ffn/variance"][l]
    assert [int(row[k]) for k in ("SaturatedA", "SaturatedB", "SaturatedBoth")] == [x.sum(), y.sum(), (x & y).sum()]
    either = x | y
    if either.any(): assert abs(float(row["Jaccard"]) - (x & y).sum() / either.sum()) < 1e-8
    else: assert row["Jaccard"] == "nan"
    np.testing.assert_allclose(float(row["RankAll"]), spearman(u, v), atol=1e-8)
    if either.sum() > 1: np.testing.assert_allclose(float(row["RankSaturated"]), spearman(u[either], v[either]), atol=1e-8)
PY
    ok "changes, sets and rank correlations are those that numpy finds" /usr/bin/python3 again.py
else
    skip 1 "python3-h5py is not installed"
fi

# refuse STATUS REGEX CLAIM ARGUMENT...
refuse() {
    local code=$1 regex=$2 claim=$3
    shift 3
    run phi3sat compare "$@"
    expect_status "$code" "$claim: refused"
    is "$(wc -l <"$stderr")" 1 "in one line"
    expect_stderr_match "^phi3sat: $regex" "that says why"
    expect_empty stdout "and prints nothing"
}
tiny small.gguf --with-vocab --vocab 300 --hidden 48 --intermediate 96 --heads 4 --layers 5 --context 120
tiny flat.gguf --with-vocab --vocab 300 --hidden 48 --intermediate 100 --heads 4 --layers 4 --context 120
profile small small.gguf odd.txt
profile flat flat.gguf odd.txt
refuse 3 "small.h5: has 5 layers of 96 neurons, but 'a.h5' 5 of 100: they can't be compared" "another width" a.h5 small.h5
refuse 3 "flat.h5: has 4 layers of 100 neurons, but 'a.h5' 5 of 100" "another number of layers" a.h5 b.h5 flat.h5 --output x.csv
refuse 2 '' "one archive" a.h5
refuse 2 '' "none"
refuse 2 'b.h5: is an input' "an input for an output" a.h5 b.h5 --output b.h5
refuse 2 'a.h5: was measured with --activity-threshold' "another activity threshold" a.h5 b.h5 --activity-threshold 0.2
refuse 3 'none.h5: can.t be read' "a missing archive" a.h5 none.h5
refuse 3 'all.txt: is no HDF5 file' "no archive" all.txt a.h5
head -c "$(($(stat -c %s b.h5) * 2 / 3))" b.h5 >cut.h5
refuse 3 'cut.h5: ' "an archive cut short" a.h5 cut.h5 --output x.csv
cp b.h5 bent.h5
python3 - bent.h5 <<'END'
import sys
data = bytearray(open(sys.argv[1], 'rb').read())
for at in range(len(data) // 3, len(data) // 3 + 4000): data[at] ^= 0x55
open(sys.argv[1], 'wb').write(data)
END
refuse 3 'bent.h5: ' "a damaged one behind a whole one" a.h5 most.h5 bent.h5 --output x.csv
ok "no table was made" test ! -e x.csv

# One prompt: nothing is known of sampling.
head -n 1 all.txt >one.txt
profile one m.gguf one.txt
run phi3sat compare one.h5 b.h5
expect_stdout_match '^Not known: standard errors need at least 2 prompts' "one prompt: not known"
run phi3sat compare --help
expect_status 0 "--help"
done_testing
