#!/bin/bash
# mapped.t - a file that is cut short while it is mapped: model, vocabulary, folder, .knot, prompts, at whatever moment, in every
# command that maps files, on one rank and on either of two. All ranks end, with one line that names the file and status 3; or the
# file was needed no more, and the results are those of the whole file.
#
# The moments are allocations: some in `make check`, two dozen of each run in check-long, all with PHI3SAT_TORTURE=all.
. "$(dirname "$0")/torture.sh"
points() { echo $((long ? 0 : $1)); }

phi3sat pack --quiet m.gguf -o whole.knot || bail "pack failed"
cp m.gguf whole.gguf
words 3000 5 9 >whole.txt # of some pages

# cut RANKS RANK:POINTS SOURCE FILE CLAIM OUTPUTS COMMAND...: FILE is a copy of SOURCE, and the one that shrinks.
cut() {
    local ranks=$1 place=$2 source=$3 file=$4 claim=$5 outs=$6
    shift 6
    cp "$source" "$file"
    spoiled=$file spoiled_from=$source
    task "$ranks" "$outs" "$@"
    sweep "$(points "${place#*:}")" "${place%:*}:alloc" ":cut=$file" "0 3" "$file: (was cut short while it was in use|.*)" "$claim"
}

run_it=(--progress never --threads 1 --quiet --output r.csv)
cut 1 0:5 whole.gguf c.gguf "profile, one rank" "r.csv r.h5" --model c.gguf --prompts p.txt "${run_it[@]}"
cut 2 0:2 whole.gguf c.gguf "profile, rank 0 of 2 as it cuts" "r.csv r.h5" --model c.gguf --prompts p.txt "${run_it[@]}"
cut 2 1:2 whole.gguf c.gguf "profile, rank 1 of 2 as it cuts" "r.csv r.h5" --model c.gguf --prompts p.txt "${run_it[@]}"
cut 1 0:3 whole.knot c.knot "profile from a .knot" "r.csv r.h5" --model c.knot --prompts p.txt "${run_it[@]}"
cut 1 0:3 whole.txt c.txt "prompts" "r.csv r.h5" --model m.gguf --prompts c.txt --num-prompts 3 "${run_it[@]}"
cut 1 0:5 whole.gguf c.gguf "inspect" "" inspect --tensors c.gguf
cut 1 0:5 whole.knot c.knot "inspect --verify" "" inspect --verify c.knot
cut 1 0:5 whole.gguf c.gguf "pack" "c.knot" pack --quiet c.gguf -o c.knot
cut 1 0:5 whole.gguf c.gguf "tokenize" "" tokenize --model c.gguf p.txt
cut 1 0:5 whole.txt c.txt "tokenize, the text" "" tokenize --model m.gguf c.txt
cut 1 0:3 whole.gguf c.gguf "perplexity" "" perplexity --threads 1 --context 16 --chunks 2 --model c.gguf --prompts whole.txt
cut 1 0:3 whole.gguf c.gguf "prompts" "" prompts --num-prompts 3 --model c.gguf
cut 1 0:3 whole.gguf c.gguf "plan" "" plan --gflops 10 --ranks 4 --threads 1 --model c.gguf --prompts p.txt
python3 "$source_dir/tests/golden/make_hf.py" m.gguf whole --shards 2 || bail "make_hf.py failed"
cp -r whole c
for file in $(cd whole && ls); do
    cut 1 0:2 "whole/$file" "c/$file" "a folder's $file" "" inspect --tensors c
done
# Another file of the same name is another file; bytes written in place are told of.
spoiled='' spoiled_from=''
cp whole.gguf c.gguf
phi3sat --quiet --model m.gguf --prompts p.txt --output one.csv >/dev/null || bail "profile failed"
PHI3SAT_TEST_FAIL=0:alloc:200:touch=c.gguf run "$failing" --model c.gguf --prompts p.txt --threads 1 --output r.csv
expect_status 0 "a model that is written to runs"
expect_stderr_match 'c\.gguf was written to while it was in use' "with a warning"
tiny other.gguf --with-vocab --vocab 300 --hidden 32 --intermediate 70 --heads 2 --layers 2 --seed 9
cp whole.gguf c.gguf
PHI3SAT_TEST_FAIL=0:alloc:200:swap=other.gguf:c.gguf run "$failing" --model c.gguf --prompts p.txt --threads 1 --output r.csv
expect_status 0 "another takes its name"
is "$(grep -c 'was written to' "$stderr")" 0 "which is no harm"
ok "the name is the other's" test ! -e other.gguf
same one.h5 r.h5 "and the results are the old one's"
diag "$tried points"
done_testing
