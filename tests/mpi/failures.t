#!/bin/bash
# failures.t - what can go wrong before the work: exit status, one line, old outputs untouched.
#
# Each case runs alone and on 4 ranks. There are old outputs, and the folder must look afterwards
# as before. All faults here are found before the model runs: nothing but the one line is said.
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command python3

tiny m.gguf --with-vocab --vocab 300 --hidden 32 --intermediate 40 --heads 2 --layers 1 --context 16
tiny bare.gguf --hidden 32 --intermediate 40 --heads 2 --layers 1
words 5 1 6 >p.txt
printf '1 2 3\n4 5\n' >ids.txt
model_size=$(stat -c %s m.gguf)

# before, after: what is in the folder.
listing() { find . -type f -exec sha256sum {} + | sort -k 2; }

# once RANKS STATUS REGEX ARGUMENT...: prints what is wrong.
once() {
    local ranks=$1 code=$2 regex=$3 before lines
    shift 3
    before=$(listing)
    if ((ranks == 1)); then run_with "$input" phi3sat "$@"; else mpirun_n "$ranks" phi3sat "$@"; fi
    lines=$(wc -l <"$stderr")
    ((status == code)) || echo "status $status, not $code"
    (($(grep -c '^phi3sat: ' "$stderr") == 1)) || echo "not one line"
    ((ranks > 1 || lines == 1)) || echo "$lines lines on standard error"
    grep -Eq '^(model|run|prompts|warning|note|written): |%' "$stderr" && echo "said more than the error"
    grep -Eq -- "$regex" "$stderr" || echo "no line matches: $regex"
    [[ ! -s $stdout ]] || echo "printed something"
    [[ $(listing) == "$before" ]] || diff <(echo "$before") <(listing)
}

# refuse STATUS REGEX CLAIM ARGUMENT...
refuse() {
    local code=$1 regex="^phi3sat: .*$2" claim=$3 ranks wrong
    shift 3
    printf 'old table\n' >r.csv
    printf 'old archive\n' >r.h5
    for ranks in ${only:-1 4}; do
        wrong=$(once "$ranks" "$code" "$regex" "$@")
        if [[ -z $wrong ]]; then pass "$claim: status $code, one line ($ranks)"; else
            fail "$claim: status $code, one line ($ranks)"
            diag "$wrong"
            diag "arguments: $*"
            diag "$(grep -a . "$stderr" | head -n 5)"
        fi
    done
}
input=/dev/null
good=(--model m.gguf --prompts p.txt)
out=(--output r.csv)

# The command line.
refuse 2 'no model' "no model" --prompts p.txt "${out[@]}"
refuse 2 '--seed has no use' "a seed for given prompts" "${good[@]}" --seed 2 "${out[@]}"
refuse 2 "unknown option '--nonsense'" "an unknown option" "${good[@]}" --nonsense "${out[@]}"
refuse 2 '--threads needs a value' "an option without its value" "${good[@]}" "${out[@]}" --threads
refuse 2 "--num-prompts '0'" "no prompts wanted" "${good[@]}" --num-prompts 0 "${out[@]}"
refuse 2 'exclude each other' "prompts and tokens at once" "${good[@]}" --tokens ids.txt "${out[@]}"
refuse 2 "unknown command 'frobnicate'" "an unknown command" frobnicate
refuse 2 'same file' "one file for both outputs" "${good[@]}" "${out[@]}" --hdf5 ./r.csv
PHI3SAT_KERNELS=x refuse 2 "PHI3SAT_KERNELS 'x'" "kernels that there are not" "${good[@]}" "${out[@]}"

# The model: missing, foreign, cut short in the header, the keys and the tensors' data.
refuse 3 'none.gguf: .*No such file' "a missing model" --model none.gguf --prompts p.txt "${out[@]}"
refuse 3 'p.txt: ' "a text for a model" --model p.txt --prompts p.txt "${out[@]}"
refuse 3 'is a folder' "a folder for a model" --model . --prompts p.txt "${out[@]}"
printf '\211HDF\r\n\032\n%4096d' 0 >foreign
refuse 3 'foreign: .*HDF5' "an HDF5 file for a model" --model foreign --prompts p.txt "${out[@]}"
printf '\020\0\0\0\0\0\0\0{"__metadata__":1}%4096d' 0 >foreign
refuse 3 'foreign: .*safetensors' "a safetensors file for a model" --model foreign --prompts p.txt "${out[@]}"
sed 's/phi3/bert/g' m.gguf >foreign
refuse 3 'foreign: .*bert' "another architecture" --model foreign --prompts p.txt "${out[@]}"
for size in 0 3 20 100 5000 $((model_size / 2)) $((model_size - 1)); do
    head -c "$size" m.gguf >cut.gguf
    tried=1
    ((size == 100 || size == 5000 || long)) && tried="1 4"
    only=$tried refuse 3 'cut.gguf: ' "a model cut short to $size of $model_size bytes" --model cut.gguf --prompts p.txt "${out[@]}"
done
refuse 3 'bare.gguf: .*(vocabulary|tokenizer)' "text for a model without a tokenizer" \
    --model bare.gguf --prompts p.txt "${out[@]}"

# The prompts.
refuse 3 'none.txt: .*No such file' "missing prompts" --model m.gguf --prompts none.txt "${out[@]}"
mkdir empty-folder
refuse 3 'empty-folder: the folder holds no files' "a folder without prompts" --model m.gguf --prompts empty-folder "${out[@]}"
refuse 2 'r.csv: lies in the folder of the prompts' "an output among the prompts" --model m.gguf --prompts . "${out[@]}"
: >empty.txt
refuse 3 'empty.txt: .*no prompts' "an empty file of prompts" --model m.gguf --prompts empty.txt "${out[@]}"
refuse 3 'no prompts' "nothing on standard input" --model m.gguf --prompts - "${out[@]}"
printf '\n \t\r\n\n' >blank.txt
refuse 3 'blank.txt: .*3 lines, all blank' "blank lines only" --model m.gguf --prompts blank.txt "${out[@]}"
refuse 3 'p.txt: .*no prompts.*shard' "a shard without prompts" "${good[@]}" --shard 5/6 "${out[@]}"
refuse 3 'p.txt: .*--skip-first' "every position skipped" "${good[@]}" --skip-first 100 "${out[@]}"
wrong_ids() { # REGEX CLAIM LINE
    printf '1 2\n\n%s\n7\n' "$3" >wrong.txt
    refuse 3 "wrong.txt: .*$1.*line 3" "$2" --model m.gguf --tokens wrong.txt "${out[@]}"
}
wrong_ids "'300' is outside the vocabulary" "a token id outside the vocabulary" "299 300"
wrong_ids "'99999999999999999999' is outside" "a token id that no integer holds" "99999999999999999999"
wrong_ids "'-1' is negative" "a negative token id" "4 -1"
wrong_ids "'2x' is not a number" "a token id that is no number" "1 2x"
# Of two lines that are too long the first is told, though a lower rank has the second.
printf 'a\na\n%s\na\n%s\n' 'the model of the neuron' 'the model of the neuron layer' >long.txt
refuse 3 'long.txt: .*longer than the context of 4 \(line 3\)' "an overlong prompt, where that is an error" \
    --model m.gguf --prompts long.txt --context 4 --overlong error "${out[@]}"

refuse 3 'p.txt: .*nothing to measure .the longest has 16 tokens' "no position left to measure" \
    "${good[@]}" --skip-first 16 "${out[@]}"

# The outputs.
refuse 4 'nowhere/r.csv: .*No such file' "a folder that there is not" "${good[@]}" --output nowhere/r.csv
refuse 4 'p.txt/r.csv: .*Not a directory' "a file for a folder" "${good[@]}" --output p.txt/r.csv
refuse 4 'nowhere/r.h5: .*No such file' "an archive's folder that there is not" "${good[@]}" "${out[@]}" \
    --hdf5 nowhere/r.h5
mkdir folder
refuse 4 'folder: .*directory' "a folder for an output" "${good[@]}" --output folder
refuse 4 'folder: .*directory' "a folder for an archive" "${good[@]}" "${out[@]}" --hdf5 folder
refuse 4 '/proc/r.csv: ' "a folder that takes no files" "${good[@]}" --output /proc/r.csv
refuse 2 'm.gguf: .*input' "the model for an output" "${good[@]}" --output m.gguf
refuse 2 'm.gguf: .*input' "the model for an archive" "${good[@]}" "${out[@]}" --hdf5 ./m.gguf
refuse 2 'p.txt: .*input' "the prompts for an output" "${good[@]}" --output p.txt
ln -s m.gguf soft.csv
ln p.txt hard.csv
refuse 2 'soft.csv: .*input' "the model by a symbolic link" "${good[@]}" --output soft.csv
refuse 2 'hard.csv: .*input' "the prompts by a hard link" "${good[@]}" --output hard.csv
ln -s r.csv link.h5
refuse 2 'same file' "one file for both outputs by a link" "${good[@]}" "${out[@]}" --hdf5 link.h5
input=p.txt
only=1 refuse 2 "p.txt: .*input" "standard input for an output" --model m.gguf --prompts - --output p.txt
refuse 2 'device' "a device for the table, and no name for the archive" "${good[@]}" --output /dev/full
only=1 refuse 2 '/dev/fd/3: .*open already' "an open file for the table" "${good[@]}" --output /dev/fd/3 --hdf5 r.h5 3>>r.csv
done_testing
