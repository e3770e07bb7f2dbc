#!/bin/bash
# append.t - an archive grows by the prompts that it does not hold: as if they had all been run at once.
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command python3

tiny m.gguf --with-vocab --vocab 300 --hidden 48 --intermediate 100 --heads 4 --layers 3 --context 120 --seed 4
tiny nan.gguf --with-vocab --vocab 300 --hidden 48 --intermediate 100 --heads 4 --layers 3 --context 120 --seed 4 --plant-nan 2:33
{ words 20 7 30; words 2 8 200; } | sort -u >p.txt
count=$(wc -l <p.txt)
profile=(phi3sat --model m.gguf)

run "${profile[@]}" --prompts p.txt --output one.csv
expect_status 0 "one run over all prompts"
cp "$stdout" one.out

# Three goes that overlap, on other numbers of ranks.
sed -n '1,7p' p.txt >a.txt
sed -n '5,14p' p.txt >b.txt
sort -R --random-source=p.txt p.txt >c.txt
run "${profile[@]}" --prompts a.txt --output r.csv --hdf5 grown.h5
expect_status 0 "the first prompts"
mpirun_n 3 "${profile[@]}" --prompts b.txt --output r.csv --append grown.h5
expect_status 0 "the next, on 3 ranks"
expect_stderr_match '^append: grown.h5 holds 7 prompts, 3 of the 10 given among them$' "the log says what is held"
run "${profile[@]}" --prompts c.txt --output r.csv --append grown.h5 --batch-tokens 33
expect_status 0 "all of them, in another order"
same one.h5 grown.h5 "the archive of one run"
holds "and its table" cmp one.csv r.csv
holds "and its summary" cmp one.out "$stdout"
mpirun_n 2 "${profile[@]}" --prompts p.txt --output r.csv --append grown.h5
expect_status 0 "nothing left to add"
same one.h5 grown.h5 "changes nothing"
expect_stderr_match "^append: grown.h5 holds $count prompts, $count of the $count given among them" "and is said"

# Multisets: held twice and given three times, one is run; what is held more often stays.
{ sed -n 1p p.txt; sed -n 1p p.txt; sed -n 2p p.txt; sed -n 2p p.txt; sed -n 2p p.txt; } >two.txt
{ for _ in 1 2 3; do sed -n 1p p.txt; done; sed -n 2,4p p.txt; } >three.txt
{ for _ in 1 2 3; do sed -n 1,2p p.txt; done; sed -n 3,4p p.txt; } >both.txt
run "${profile[@]}" --prompts both.txt --output both.csv
run "${profile[@]}" --prompts two.txt --output two.csv
run "${profile[@]}" --prompts three.txt --output r.csv --append two.h5
expect_stderr_match '^append: two.h5 holds 5 prompts, 3 of the 6 given among them$' "of prompts that repeat as many are run as are missing"
same both.h5 two.h5 "as one run over the larger number of each"

# NaN in the archive are still counted.
run phi3sat --model nan.gguf --prompts p.txt --output nan.csv
run phi3sat --model nan.gguf --prompts a.txt --output r.csv --hdf5 nans.h5
run phi3sat --model nan.gguf --prompts p.txt --output r.csv --append nans.h5
expect_status 5 "NaN in an archive: exit status 5"
same nan.h5 nans.h5 "the archive of one run"
run phi3sat --model nan.gguf --prompts a.txt --output r.csv --append nans.h5
expect_status 5 "even where nothing was run"
expect_stderr_match '^warning: [^ ]*[.]h5: [0-9]+ activations were NaN.*in the run before' "which is said"

# refuse STATUS REGEX CLAIM ARGUMENT...: one line; the archive is as it was.
refuse() {
    local code=$1 regex=$2 claim=$3 before ranks
    shift 3
    before=$(sha256sum ./*.h5)
    for ranks in 1 3; do
        if ((ranks == 1)); then run phi3sat "$@"; else mpirun_n 3 phi3sat "$@"; fi
        expect_status "$code" "$claim: refused ($ranks)"
        expect_error_lines 1 "in one line ($ranks)"
        expect_stderr_match "^phi3sat: $regex" "that says why ($ranks)"
    done
    is "$(sha256sum ./*.h5)" "$before" "and nothing has changed"
}
more=(--prompts b.txt --output x.csv --append one.h5)
refuse 3 'one.h5: can.t be appended to .*model_fingerprint' "another model" --model nan.gguf "${more[@]}"
refuse 3 'one.h5: .*window 0, not 20' "another window" --model m.gguf "${more[@]}" --window 20
refuse 3 'one.h5: .*--activity-threshold' "another threshold" --model m.gguf "${more[@]}" --activity-threshold 0.3
refuse 3 'none.h5: .*No such file' "an archive that there is not" --model m.gguf --prompts b.txt --output x.csv --append none.h5
refuse 3 'p.txt: is no HDF5' "no archive" --model m.gguf --prompts b.txt --output x.csv --append p.txt
refuse 2 '.*exclude each other' "another archive to write" --model m.gguf "${more[@]}" --hdf5 y.h5
refuse 2 'm.gguf: is an input' "the model" --model m.gguf --prompts b.txt --output x.csv --append m.gguf
ok "no table was made" test ! -e x.csv

# A full disk costs nothing.
# shellcheck disable=SC2016
small=(unshare -m bash -c 'mount -t tmpfs -o size="$0"k tmpfs small || exit 99
    cp one.h5 small/r.h5 && cd small && "$@"
    code=$?; cmp r.h5 ../one.h5 || code=98; exit $code')
mkdir small
size=$(($(stat -c %s one.h5) / 1024))
sed 's/$/ the/' b.txt >new.txt
if "${small[@]}" $((size + 100)) true >/dev/null 2>&1; then
    run "${small[@]}" $((size + 30)) phi3sat --model ../m.gguf --prompts ../new.txt --output r.csv --append r.h5
    expect_status 4 "a full disk: an output error; the archive is as it was"
else skip 1 "no file system can be mounted here"; fi
done_testing
