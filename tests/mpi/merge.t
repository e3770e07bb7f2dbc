#!/bin/bash
# merge.t - archives of shards, merged in any order, are the archive of one run; what doesn't belong is refused.
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command python3

# Neurons that are no multiple of a block; a super neuron and NaN; prompts that repeat within and across shards
# and one that is cut.
shape=(--with-vocab --vocab 300 --hidden 48 --intermediate 100 --heads 4 --layers 3 --context 120)
tiny m.gguf "${shape[@]}" --seed 4
tiny nan.gguf "${shape[@]}" --seed 4 --plant-nan 2:33
{ words 20 7 30; words 5 7 30; words 2 8 200; echo the; echo the; echo the; } >p.txt
profile() { run phi3sat --model m.gguf --prompts p.txt "$@"; }

profile --output one.csv
expect_status 0 "one run over all prompts"
cp "$stdout" one.out
for k in 0 1 2 3; do
    ranks=$((k % 2 + 1))
    if ((ranks == 1)); then profile --shard $k/4 --output s$k.csv; else
        mpirun_n $ranks phi3sat --model m.gguf --prompts p.txt --shard $k/4 --output s$k.csv; fi
    expect_status 0 "shard $k of 4"
done
for order in "0 1 2 3" "3 2 1 0" "2 0 3 1"; do
    files=()
    for k in $order; do files+=("s$k.h5"); done
    run phi3sat merge "${files[@]}" -o all.h5 --output all.csv
    expect_status 0 "they are merged ($order)"
    same one.h5 all.h5 "into the archive of one run ($order)"
    holds "and its table ($order)" cmp one.csv all.csv
    holds "and its summary ($order)" cmp one.out "$stdout"
    is "$(attribute all.h5 run/merged_from)" "${files[*]}" "which says what it was merged from ($order)"
done
is "$(attribute all.h5 prompts_repeated)" "$(attribute one.h5 prompts_repeated)" "prompts that repeat across shards are counted"
ok "and there are some" test "$(attribute all.h5 prompts_repeated)" -gt 0

# By steps, and of one.
run phi3sat merge s3.h5 s1.h5 --hdf5 odd.h5
run phi3sat merge s0.h5 odd.h5 s2.h5 --quiet -o steps.h5
expect_status 0 "in two steps"
expect_empty stderr "--quiet says nothing"
same one.h5 steps.h5 "the same archive"
ok "no table unless asked" test ! -e steps.csv
run phi3sat merge s0.h5 -o copy.h5
same s0.h5 copy.h5 "one archive alone becomes itself"
mpirun_n 3 phi3sat merge s0.h5 s1.h5 s2.h5 s3.h5 -o all.h5
expect_status 0 "under mpirun"
same one.h5 all.h5 "one rank does it"

# A text in two archives counts twice, as it would in a file that holds it twice.
sed -n '1,6p' p.txt >few.txt
cat few.txt few.txt >twice.txt
run phi3sat --model m.gguf --prompts few.txt --output few.csv
run phi3sat --model m.gguf --prompts twice.txt --output twice.csv
cp few.h5 again.h5
run phi3sat merge few.h5 again.h5 -o added.h5
same twice.h5 added.h5 "the same prompts in two archives count twice"

# NaN are counted on.
run phi3sat --model nan.gguf --prompts p.txt --output nan.csv
for k in 0 1; do run phi3sat --model nan.gguf --prompts p.txt --shard $k/2 --output n$k.csv; done
run phi3sat merge n1.h5 n0.h5 -o nans.h5
expect_status 5 "archives with NaN: exit status 5"
expect_stderr_match '^warning: [0-9]+ activations were NaN' "with a warning"
same nan.h5 nans.h5 "the same archive"

# refuse STATUS REGEX CLAIM ARGUMENT...: one line, no output.
refuse() {
    local code=$1 regex=$2 claim=$3
    shift 3
    run phi3sat merge "$@"
    expect_status "$code" "$claim: refused"
    is "$(wc -l <"$stderr")" 1 "in one line"
    expect_stderr_match "^phi3sat: $regex" "that says why"
}
differs() { # REGEX CLAIM PROFILE-OPTION...
    local regex=$1 claim=$2
    shift 2
    run phi3sat --model m.gguf --prompts few.txt --output x.csv "$@"
    refuse 3 "x.h5: can't be merged .*$regex" "$claim" s0.h5 x.h5 -o r.h5
}
differs 'context_used 64, not 120' "another context" --context 64
differs 'window 20, not 0' "another window" --window 20
differs 'skip_first 1, not 0' "another --skip-first" --skip-first 1
differs '--activity-threshold 0.200000003, not 0.100000001' "another activity threshold" --activity-threshold 0.2
differs '--variance-threshold 0.5' "another threshold" --variance-threshold 0.5
differs '--activity signed, not absolute' "another kind of activity" --activity signed
differs '--combine ffn, not all' "another rule" --combine ffn
differs '--super-ratio 50, not 100' "another ratio" --super-ratio 50
refuse 3 "n0.h5: can't be merged .*model_fingerprint [0-9a-f]{32}, not [0-9a-f]{32}" "another model" s0.h5 n0.h5 -o r.h5
refuse 3 "none.h5: can't be read: No such file" "a missing archive" s0.h5 none.h5 -o r.h5
refuse 3 "p.txt: is no HDF5 file" "no archive" p.txt s0.h5 -o r.h5
head -c "$(($(stat -c %s s1.h5) / 2))" s1.h5 >cut.h5
refuse 3 "cut.h5: " "an archive cut short" s0.h5 cut.h5 -o r.h5
refuse 2 "s0.h5: is an input" "an input for an output" s0.h5 s1.h5 -o s0.h5
ln s1.h5 hard.h5
refuse 2 "hard.h5: is an input" "a link to one" s0.h5 s1.h5 -o hard.h5
refuse 2 "s0.h5: is an input" "an input for the table" s0.h5 s1.h5 -o r.h5 --output s0.h5
refuse 2 "./s0.h5: is the same file as 's0.h5'" "an archive named twice" s0.h5 s1.h5 ./s0.h5 -o r.h5
refuse 2 "no output" "no output" s0.h5 s1.h5
refuse 2 "" "no archive at all" -o r.h5
refuse 2 "r.h5: --output and --hdf5" "one file for both outputs" s0.h5 -o r.h5 --output ./r.h5
refuse 4 "nowhere/r.h5: " "a folder that there is not" s0.h5 -o nowhere/r.h5
ok "no output was made" test ! -e r.h5

# Damage inside: every data set of the state is read under its checksum.
cp s1.h5 bent.h5
python3 - bent.h5 <<'END'
import sys
data = bytearray(open(sys.argv[1], 'rb').read())
for at in range(len(data) // 3, len(data) // 3 + 4000): data[at] ^= 0x55
open(sys.argv[1], 'wb').write(data)
END
printf 'old archive\n' >r.h5
refuse 3 "bent.h5: " "a damaged archive" s0.h5 bent.h5 -o r.h5
is "$(cat r.h5)" "old archive" "the old output is untouched"
done_testing
