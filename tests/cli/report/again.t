#!/bin/bash
# again.t - what phi3sat report makes of an archive is what the run would have printed with the same options.
. "$(dirname "$0")/../profile/profile.sh"
need_command python3

shape=(--with-vocab --vocab 300 --hidden 48 --intermediate 100 --heads 4 --layers 5 --context 120)
tiny m.gguf "${shape[@]}" --seed 4 --plant-zero 0:5
tiny nan.gguf "${shape[@]}" --seed 4 --plant-nan 2:33
{ words 20 7 30; words 2 8 200; echo the; echo the; echo; } >p.txt
run phi3sat --model m.gguf --prompts p.txt --output base.csv
expect_status 0 "a profile with the default thresholds"
cp "$stdout" base.out

run phi3sat report base.h5 --output again.csv
expect_status 0 "its archive is reported"
holds "the summary is the run's" diff base.out "$stdout"
holds "the table is the run's" cmp base.csv again.csv
expect_stderr_match '^written: again.csv$' "and said to be written"
run phi3sat report base.h5
holds "without --output the same summary" diff base.out "$stdout"
expect_empty stderr "and no word more"
mpirun_n 2 phi3sat report base.h5
holds "under mpirun one rank does it" diff base.out "$stdout"

# as OPTION...: the report of the default archive with these options, against a run with them and its own report.
as() {
    run phi3sat --model m.gguf --prompts p.txt --output own.csv "$@"
    expect_status 0 "a run with $*"
    cp "$stdout" own.out
    run phi3sat report base.h5 --output other.csv "$@"
    expect_status 0 "the first archive with $*"
    holds "$*: the summary is that run's" diff own.out "$stdout"
    holds "$*: the table is that run's" cmp own.csv other.csv
    run phi3sat report own.h5 -o other.csv
    holds "$*: the archive's own choices are the defaults" diff own.out "$stdout"
    holds "$*: for the table too" cmp own.csv other.csv
}
as --variance-threshold 0.5
as --gradient-threshold 0.1 --combine ffn
as --low-activity-ratio 0.05 --combine any
as --activity signed --low-activity-ratio 0.4
as --super-ratio 2 --combine any
plotted() { # LOCALE: a run and the report of it
    LC_ALL=$1 run phi3sat --quiet --model m.gguf --prompts p.txt --output own.csv --combine any --plot
    cp "$stdout" own.out
    LC_ALL=$1 run phi3sat report base.h5 --combine any --plot
    holds "--plot: the same from the run and from the archive ($1)" diff own.out "$stdout"
}
plotted C
expect_stdout_match '^        4 \|#.*\| +[0-9.]+% \|.*\|$' "--plot draws bars and strips in ASCII"
plotted C.UTF-8
expect_stdout_match '^        4 │█.*│ +[0-9.]+% │.*│$' "and in blocks where the locale has them"
ok "the options of this test make a difference" test "$(cat own.csv)" != "$(cat base.csv)"
run phi3sat report base.h5 --activity-threshold 0.1
expect_status 0 "the archive's own activity threshold may be given"
holds "and changes nothing" diff base.out "$stdout"

# NaN: all is written, and the status tells.
run phi3sat --model nan.gguf --prompts p.txt --output nan.csv
cp "$stdout" nan.out
run phi3sat report nan.h5 --output nans.csv
expect_status 5 "an archive with NaN: exit status 5, as the run"
holds "the summary is the run's" diff nan.out "$stdout"
holds "the table too" cmp nan.csv nans.csv

# How sure, and a criterion of one's own.
expect_section() { # TITLE CLAIM: the last run printed it
    expect_stdout_match "^=== $1 ===$" "$2"
}
run phi3sat report base.h5 --intervals sure.csv
expect_section "How sure" "the report says how sure it is"
expect_stdout_match '^Saturated neurons: +[0-9.]+% \([0-9.]+% to [0-9.]+%\)$' "with an interval"
expect_stdout_match '^Late layers \(2-4\): +[0-9.]+% \([0-9.]+% to [0-9.]+%\)$' "for bands too"
expect_stdout_match '^Verdict: (LOW|MODERATE|HIGH) all over the interval|^Verdict: more prompts could' "and whether more prompts could change the verdict"
expect_section "Beyond the linear estimate" "it says what the model would gain"
ok "intervals hold their shares, which are the archive's" python3 - <<'PY'
import csv
shares = list(csv.DictReader(open("base.csv")))
for l, row in enumerate(csv.DictReader(open("sure.csv"))):
    assert int(row["Layer"]) == l
    for name in ("LowVarGate%", "LowVarUp%", "LowVarFFN%", "Saturated%"):
        assert abs(float(row[name]) - float(shares[l][name])) < 0.051, (row, name)
    for name in ("LowVarGate%", "LowVarUp%", "LowVarFFN%", "Saturated%", "ByFFN%", "Removable%"):
        assert 0 <= float(row[name + "Low"]) <= float(row[name]) <= float(row[name + "High"]) <= 100, (row, name)
assert l == 4
PY
run phi3sat report base.h5 --gflops 100 --gbytes 20
expect_stdout_match '^Prompts at 100 GFLOP/s: at most [0-9.]+ tokens/s, without these neurons [0-9.]+$' "roofs give tokens a second"
expect_stdout_match '^Decoding Q4_K at 20 GB/s: at most ' "of decoding too"
head -n 1 p.txt >one.txt
run phi3sat --quiet --model m.gguf --prompts one.txt --output one.csv
expect_stdout_match '^Not known: it takes at least 2 prompts' "one prompt: not known"
run phi3sat report base.h5 --criterion 'ffn.variance < 0.01' --output rule.csv
expect_status 0 "--criterion judges anew"
expect_stdout_match '^  Saturated means on these prompts: ffn.variance < 0.01$' "and is said"
is "$(cut -d, -f 6 rule.csv | sed 1d)" "$(cut -d, -f 5 base.csv | sed 1d)" "a criterion that is one of ours gives our share"
run phi3sat report base.h5 --criterion 'up.variance < 0.5 * median(up.variance) and not abs(ffn.mean) > 1e9' --output rule.csv
is "$(cut -d, -f 6 rule.csv | grep -c '^0\.0$')" 0 "a relative one finds some in every layer"
run phi3sat report base.h5 --criterion 'gate.max >= 0 or gate.max < 0' --neuron 1/1
expect_stdout_match '^layer 1 neuron 1 of 100: saturated' "for one neuron too"

# One neuron.
run phi3sat report base.h5 --neuron 0/5
expect_status 0 "--neuron shows one"
expect_stdout_match '^layer 0 neuron 5 of 100: saturated, over [0-9]+ samples$' "the dead one is saturated"
expect_stdout_match '^ffn meets: low_variance, zero_gradient, low_activity$' "by all three criteria"
expect_stdout_match '^  low_activity +1 +0 +[0-9]+ of 100 ' "with its activity and its rank"
expect_stdout_match '^  not among the layer.s 16 largest' "it is no extreme"
run phi3sat report base.h5 --neuron 0/5 --combine all --gradient-threshold 0 --variance-threshold 0 --low-activity-ratio 1
expect_stdout_match '^layer 0 neuron 5 of 100: not saturated' "other thresholds judge it anew"
expect_stdout_match '^gate meets no criterion$' "series by series"
if /usr/bin/python3 -c 'import h5py, numpy' 2>/dev/null; then
    cat >stand.py <<'PY'
import h5py, subprocess
with h5py.File("base.h5") as f:
    layer, neuron = 3, int(f["extremes/neuron"][3, 2])
    text = subprocess.run(["phi3sat", "report", "base.h5", "--neuron", f"{layer}/{neuron}"], stdout=subprocess.PIPE,
                          check=True).stdout.decode()
    assert "number 3 of its layer: %.6g at token %d " % (f["extremes/value"][3, 2], f["extremes/position"][3, 2]) in text, text
    shown = {}
    for line in text.splitlines():
        words = line.split()
        if words and words[0] in ("gate", "up", "ffn"):
            series = words[0]
        elif "of" in words and "%" in line:
            shown[series, words[0]] = words
    for series in ("gate", "up", "ffn"):
        for name in ("mean", "variance", "skewness", "kurtosis", "min", "max", "low_activity", "inactive"):
            values = f[f"{series}/{name}"][layer]
            words, own = shown[series, name], values[neuron]
            assert words[1] == "%.6g" % own, (words, own)
            at = words.index("of")
            below, equal = (values < own).sum(), (values == own).sum()
            assert int(words[at - 1]) == below + 1 and int(words[at + 1]) == (values == values).sum(), words
            assert words[at + 2] == "%.1f%%" % (100 * (below + 0.5 * equal) / (values == values).sum()), words
    assert shown["gate", "mean"][2] == "%.3g" % f["gate/mean_stderr"][layer, neuron]
PY
    ok "every number is the archive's, every rank right" /usr/bin/python3 stand.py
else
    skip 1 "python3-h5py is not installed"
fi
done_testing
