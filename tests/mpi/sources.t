#!/bin/bash
# sources.t - the same prompts in any form give the same archive, on any number of ranks.
. "$(dirname "$0")/../tap/tap.sh"
need_command python3 gzip mpirun
python3 "$source_dir/tests/golden/make_tiny.py" --layers 1 --hidden 32 --intermediate 32 --with-vocab --vocab 300 \
    --name phi3 --chat-template '<|user|>\n<|end|><|assistant|>' -o m.gguf || bail "make_tiny.py failed"
awk 'BEGIN { for (i = 0; i < 60; i++) print "the of " i " and to" (i % 7 ? "" : " in is that") }' >text
sed 's/.*/{"text":"&"}/' text >lines.jsonl
{ echo '['; sed 's/.*/{"prompt":"&"},/' text | sed '$ s/,$//'; echo ']'; } >array.json
mkdir folder
split -l 23 text folder/part-
gzip -nc lines.jsonl >lines.gz

profile() { # RANKS NAME ARGUMENT...
    local ranks=$1 name=$2
    shift 2
    mpirun_n "$ranks" phi3sat --model m.gguf --output "$name.csv" --quiet "$@"
}
same() { # NAME CLAIM
    ok "$2" "$build_dir/tests/archive/archive_same" wanted.h5 "$1.h5"
}
profile 1 wanted --prompts text
expect_status 0 "a text is profiled"
for source in text lines.jsonl array.json folder lines.gz; do
    profile 3 "got" --prompts "$source"
    expect_status 0 "$source is profiled on 3 ranks"
    same got "and gives the same archive"
done
run bash -c "cat lines.gz | OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 '${PHI3SAT_MPIRUN:-mpirun}' \
    --oversubscribe --bind-to none -np 1 phi3sat --model m.gguf --output got.csv --quiet --prompts - : -np 2 phi3sat --model m.gguf --output got.csv --quiet --prompts -"
same got "a pipe into rank 0 too"

# Above 4 MB the ranks share a temporary file; few of the prompts are run.
{
    cat text
    awk 'BEGIN { for (i = 0; i < 9000; i++) { printf "%d", i; for (k = 0; k < 100; k++) printf " and to"; print "" } }'
} >large
gzip -nc large >large.gz
profile 1 wanted --prompts large --num-prompts 60
profile 3 got --prompts large.gz --num-prompts 60
expect_status 0 "a temporary file is shared by the ranks"
same got "and gives the same archive"
mpirun_n 2 env TMPDIR=text/none phi3sat --model m.gguf --output got.csv --quiet --prompts large.gz
expect_status 1 "no room for it ends all ranks"
expect_error_lines 1 "with one line"
{ cat lines.jsonl && printf '{"x":1}\n{\n\xff\xfe"'; } >faulty.jsonl
profile 1 wanted --prompts text
profile 2 got --prompts faulty.jsonl
same got "records that are skipped change nothing"
profile 2 chat --prompts text --chat
expect_status 0 "--chat runs"
ok "and is something else" test "$("$build_dir/tests/archive/archive_same" wanted.h5 chat.h5 >/dev/null 2>&1; echo $?)" != 0
profile 1 folder/got --prompts folder
expect_status 2 "an output in the folder of the prompts is refused"
expect_stderr_match '^phi3sat: folder/got.csv: lies in the folder of the prompts' "by name"
{ cat text && printf '\n\r\n\0 the\n'; } >odd
run phi3sat --model m.gguf --output got.csv --quiet --prompts odd
expect_stdout_match '^=== Prompts ===$' "the summary tells of odd prompts"
expect_stdout_match '^  2 blank lines of the source, skipped$' "what was skipped"
expect_stdout_match '^  1 prompts with NUL bytes$' "and what was run all the same"
ok "the archive too" grep -q 'nul_prompts.*= 1' <(h5dump -a /run/nul_prompts got.h5 2>/dev/null | tr '\n' ' ' | sed 's/(0): /= /')
profile 2 got --prompts text --tokens text
expect_status 2 "two sources are too many"
profile 1 got --tokens text --chat
expect_status 2 "--tokens and --chat exclude each other"
done_testing
