#!/bin/bash
# checkpoint_refused.t - what is no checkpoint of this run is refused with the difference named; what can't be written
# is said; nothing that was there before is lost.
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command python3

shape=(--with-vocab --vocab 300 --hidden 48 --intermediate 100 --heads 4 --layers 3 --context 120)
tiny m.gguf "${shape[@]}" --seed 4
tiny other.gguf "${shape[@]}" --seed 5
tiny nan.gguf "${shape[@]}" --seed 4 --plant-nan 2:33
{ words 20 7 30; words 2 8 200; } | sort -u >p.txt
sed '1s/$/ the/' p.txt >q.txt
profile=(phi3sat --model m.gguf --prompts p.txt --output r.csv --batch-tokens 50)

# stop NAME ARGUMENT...: leaves NAME, a checkpoint from the middle of a run.
stop() {
    PHI3SAT_TEST_SIGNAL=0:10:9 run phi3sat --batch-tokens 50 --checkpoint "$@"
    expect_status 75 "a checkpoint is made: $1"
}
run "${profile[@]}" --output one.csv
stop good.ckpt --model m.gguf --prompts p.txt --output r.csv

# refuse STATUS REGEX CLAIM ARGUMENT...: alone and on 3 ranks, in one line; all files are as they were.
refuse() {
    local code=$1 regex=$2 claim=$3 before ranks
    shift 3
    before=$(sha256sum ./*)
    for ranks in 1 3; do
        if ((ranks == 1)); then run phi3sat "$@"; else mpirun_n 3 phi3sat "$@"; fi
        expect_status "$code" "$claim: refused ($ranks)"
        expect_error_lines 1 "in one line ($ranks)"
        expect_stderr_match "^phi3sat: $regex" "that says why ($ranks)"
        is "$(sha256sum ./*)" "$before" "and nothing has changed ($ranks)"
    done
}

given=(--prompts p.txt --output r.csv --checkpoint good.ckpt)
on=("${given[@]}" --resume auto)
refuse 3 'good.ckpt: is the checkpoint of another run: it has model_fingerprint' "another model" --model other.gguf "${on[@]}"
refuse 3 'good.ckpt: .*another set of prompts: 22 of them, where 22' "other prompts" --model m.gguf "${on[@]}" --prompts q.txt
refuse 3 'good.ckpt: .*another set of prompts: 22 of them, where 5' "fewer prompts" --model m.gguf "${on[@]}" --num-prompts 5
refuse 3 'good.ckpt: .*--variance-threshold 0.0[0-9]*, not 0.5' "another threshold" --model m.gguf "${on[@]}" --variance-threshold 0.5
refuse 3 'good.ckpt: .*--activity-threshold' "another activity threshold" --model m.gguf "${on[@]}" --activity-threshold 0.2
refuse 3 'good.ckpt: .*window 0, not 20' "another window" --model m.gguf "${on[@]}" --window 20
refuse 3 'good.ckpt: .*skip_first 0, not 2' "another --skip-first" --model m.gguf "${on[@]}" --skip-first 2

# What is none, under its own name and under the name that checkpoints would get.
head -c 30000 good.ckpt >short.ckpt
python3 - good.ckpt bad.ckpt <<'P'
import sys
b = bytearray(open(sys.argv[1], "rb").read())
for at in range(len(b) // 3, len(b) * 2 // 3, 997):
    b[at] ^= 0x55
open(sys.argv[2], "wb").write(b)
P
for from in none.ckpt:'.*No such file' p.txt:'is no HDF5' one.h5:'is an HDF5 file, but no checkpoint' short.ckpt:'.' bad.ckpt:'.'; do
    refuse 3 "${from%%:*}: ${from#*:}" "--resume ${from%%:*}" --model m.gguf --prompts p.txt --output r.csv \
        --resume "${from%%:*}" --checkpoint new.ckpt
done
refuse 3 'one.h5: is an HDF5 file, but no checkpoint' "an archive where the checkpoint goes" --model m.gguf --prompts p.txt \
    --output r.csv --checkpoint one.h5
refuse 3 'good.ckpt: is a checkpoint, and no archive yet' "a checkpoint to append to" --model m.gguf --prompts p.txt \
    --output r.csv --append good.ckpt
run phi3sat inspect good.ckpt
expect_stderr_match 'good.ckpt: is a checkpoint.*--resume' "inspect says what it is"
run phi3sat merge one.h5 good.ckpt -o x.h5
expect_stderr_match 'good.ckpt: is a checkpoint' "so does merge"

# A checkpoint that is something else too.
refuse 2 'm.gguf: is an input' "the model" --model m.gguf --prompts p.txt --output r.csv --checkpoint m.gguf
refuse 2 './p.txt: is an input' "the prompts" --model m.gguf --prompts p.txt --output r.csv --checkpoint ./p.txt
refuse 2 'r.csv: is to be a checkpoint and the table' "the table" --model m.gguf --prompts p.txt --output r.csv --checkpoint r.csv
refuse 2 './r.h5: is to be a checkpoint and the archive' "the archive" --model m.gguf --prompts p.txt --output r.csv \
    --checkpoint ./r.h5
refuse 2 'good.ckpt: is to be a checkpoint and the archive' "a checkpoint to go on from as archive" --model m.gguf \
    --prompts p.txt --output r.csv --hdf5 good.ckpt --resume good.ckpt --checkpoint x.ckpt
refuse 2 'one.h5: is to be a checkpoint and the archive' "the archive that is appended to" --model m.gguf --prompts p.txt \
    --output r.csv --append one.h5 --checkpoint one.h5
refuse 2 '--checkpoint-every' "a time that is none" --model m.gguf --prompts p.txt --checkpoint-every soon
refuse 4 'none/c.ckpt: .*No such file' "a folder that there is not" --model m.gguf --prompts p.txt --output r.csv \
    --checkpoint none/c.ckpt

# Not gone on from, it is replaced, which is said.
cp good.ckpt old.ckpt
PHI3SAT_TEST_SIGNAL=0:15:3 run "${profile[@]}" --checkpoint old.ckpt
expect_status 143 "a new run under the name of an old checkpoint"
expect_stderr_match '^warning: old.ckpt is the checkpoint of an earlier run and will be replaced' "replaces it with a warning"
run "${profile[@]}" --checkpoint new.ckpt --resume good.ckpt
expect_status 0 "a checkpoint of another name"
same one.h5 r.h5 "is gone on from"
ok "and stays" test -s good.ckpt

# The first value that is none is remembered.
run phi3sat --model nan.gguf --prompts p.txt --output nan.csv
grep -o 'the first: .*' "$stderr" >first
stop nan.ckpt --model nan.gguf --prompts p.txt --output r.csv
mpirun_n 2 phi3sat --model nan.gguf --prompts p.txt --output r.csv --resume nan.ckpt
expect_status 5 "NaN before the checkpoint: exit status 5"
same nan.h5 r.h5 "the archive of a run without a break"
is "$(grep -o 'the first: .*' "$stderr")" "$(cat first)" "the first of them is named"

# With --append: three goes, each stopped once.
rm -f r.*
head -n 9 p.txt >a.txt
run phi3sat --model m.gguf --prompts a.txt --output r.csv --hdf5 grown.h5
cp grown.h5 before.h5
stop grown.ckpt --model m.gguf --prompts p.txt --output r.csv --append grown.h5
ok "a stop leaves the archive as it was" cmp grown.h5 before.h5
mpirun_n 3 phi3sat --model m.gguf --prompts p.txt --output r.csv --append grown.h5 --resume auto
expect_status 0 "--append and --resume"
same one.h5 grown.h5 "the archive of one run"
ok "its checkpoint is gone" test ! -e grown.ckpt
# Killed between the last two acts: the archive is there, and so is the checkpoint.
cp before.h5 grown.h5
stop grown.ckpt --model m.gguf --prompts p.txt --output r.csv --append grown.h5
cp one.h5 grown.h5
run phi3sat --model m.gguf --prompts p.txt --output r.csv --append grown.h5 --resume auto
expect_status 0 "an archive that has all prompts needs no checkpoint"
same one.h5 grown.h5 "and stays as it is"
ok "which goes" test ! -e grown.ckpt

# A full disk: at the start an error; later a warning, and the old checkpoint stays.
# shellcheck disable=SC2016
small=(unshare -m bash -c 'mount -t tmpfs -o size="$0"k tmpfs small || exit 99
    [[ -z $1 ]] || cp good.ckpt small/c.ckpt
    shift; "$@"; code=$?; ls small; exit $code')
mkdir small
size=$(($(stat -c %s good.ckpt) / 1024))
if "${small[@]}" 16 "" true >/dev/null 2>&1; then
    run "${small[@]}" 1 "" "${profile[@]}" --checkpoint small/c.ckpt
    run "${small[@]}" $((size / 2)) "" "${profile[@]}" --checkpoint small/c.ckpt --checkpoint-every 0
    expect_status 0 "a disk without room for a checkpoint is no matter where none is written"
    run "${small[@]}" $((size / 2)) "" "${profile[@]}" --checkpoint small/c.ckpt --checkpoint-every 0.00001
    expect_status 0 "a run whose checkpoints can't be written goes on"
    expect_stderr_match '^warning: small/c.ckpt: no checkpoint: ' "with a warning"
    same one.h5 r.h5 "to the same archive"
    PHI3SAT_TEST_SIGNAL=0:15:5 run "${small[@]}" $((size + 40)) old "${profile[@]}" --checkpoint small/c.ckpt --resume auto
    expect_status 4 "the last checkpoint can't be written: an output error"
    expect_error_lines 1 "in one line"
    expect_stdout_match '^c.ckpt$' "the old one stays"
else skip 7 "no file system can be mounted here"; fi
done_testing
