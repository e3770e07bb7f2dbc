#!/bin/bash
# surroundings.t - what stands around a run is odd: decimal commas, a home and a temporary folder that nobody may write to, clocks that jump,
# file systems without locks, closed descriptors, limits on files and memory, and a small disk that is really full.
. "$(dirname "$0")/torture.sh"

phi3sat --quiet --model m.gguf --prompts p.txt --output a.csv >/dev/null || bail "profile failed"
awk 'NR % 2' p.txt >odd.txt
phi3sat --quiet --model m.gguf --prompts odd.txt --output b.csv >/dev/null || bail "profile failed"
run_it=(--model m.gguf --prompts p.txt --threads 1 --progress never --quiet --output r.csv)

# everything CLAIM PREFIX...: each command, under PREFIX, does as it does without.
everything() {
    local claim=$1 wrong=''
    shift
    one() {
        read -ra outputs <<<"$1"
        local file
        shift
        rm -rf "$tap_io/good"
        mkdir "$tap_io/good"
        run phi3sat "$@"
        ((status == 0)) || { wrong+="$*: fails untroubled: $(tail -n 1 "$stderr")"$'\n'; return; }
        cp "$stdout" "$tap_io/good.stdout"
        ((!${#outputs[@]})) || mv "${outputs[@]}" "$tap_io/good"
        run "${prefix[@]}" "$failing" "$@"
        ((status == 0)) || wrong+="$*: status $status: $(tail -n 1 "$stderr")"$'\n'
        [[ $1 == --model || $1 == plan ]] || cmp -s "$stdout" "$tap_io/good.stdout" || wrong+="$*: prints something else"$'\n'
        for file in "${outputs[@]}"; do is_good "$file" || wrong+="$*: another $file"$'\n'; done
        rm -f "${outputs[@]}"
    }
    local prefix=("$@")
    one "r.csv r.h5 r.html" "${run_it[@]}" --html r.html
    one "r.csv i.csv r.html" report a.h5 --output r.csv --intervals i.csv --html r.html
    one "r.csv" report a.h5 --output r.csv --criterion 'ffn.kurtosis > 3.5'
    one "" report a.h5 --neuron 1/5
    one "c.csv c.html" compare a.h5 b.h5 --output c.csv --html c.html
    one "e.npz e.csv e.imatrix" export a.h5 --npz e.npz --long e.csv --imatrix e.imatrix --quiet
    one "m.h5 m.csv" merge a.h5 b.h5 -o m.h5 --output m.csv --quiet
    one "" inspect --json --tensors m.gguf
    one "" inspect a.h5
    one "m.knot" pack --quiet m.gguf -o m.knot
    one "s.gguf s.json" synth --quiet -o s.gguf --layers 1 --hidden 64 --intermediate 64 --vocab 320 --threads 1 \
        --plant-dead 1 --manifest s.json
    one "" plan --model m.gguf --prompts p.txt --ranks 8 --gflops 10.5 --bandwidth 1.5 --latency 2.5 --threads 1
    one "" tokenize --model m.gguf p.txt
    one "" perplexity --model m.gguf --prompts p.txt --context 16 --threads 1
    one "" prompts --model m.gguf --num-prompts 2 --json
    if [[ -z $wrong ]]; then pass "$claim"; else
        fail "$claim"
        diag "$wrong"
    fi
}

if locale -a 2>/dev/null | grep -qi 'de_DE.utf'; then
    everything "decimal commas change nothing" env LC_ALL=de_DE.UTF-8
else
    skip 1 "no locale with decimal commas is installed"
fi
((!long)) || everything "the C locale changes nothing" env LC_ALL=C LANG=C
# In /proc not even root makes a file.
everything "no home that could be written to" env HOME=/proc
((!long)) || everything "no home at all" env -u HOME -u USER -u LOGNAME -u TERM
for how in back jump both; do
    ((long)) || [[ $how == both ]] || continue
    everything "clocks: $how" env PHI3SAT_TEST_CLOCK=$how
done
PHI3SAT_TEST_CLOCK=both mpirun_n 2 "$failing" "${run_it[@]}" --checkpoint-every 0.001
expect_status 0 "clocks that jump on two ranks, with checkpoints"
same a.h5 r.h5 "and the archive is the same"

# ---- locks that are refused: flock fails with 11 (somebody has it), 37 (NFS), 524 (Lustre) ----
unset HDF5_USE_FILE_LOCKING
for reason in 37 524; do
    PHI3SAT_TEST_FAIL=0:lock:0+:$reason run "$failing" "${run_it[@]}"
    expect_status 0 "errno $reason for each lock: a run doesn't need any"
    same a.h5 r.h5 "and writes its archive"
    PHI3SAT_TEST_FAIL=0:lock:0+:$reason run "$failing" report a.h5 --output r.csv --quiet
    expect_status 0 "a report does without"
    ok "and is the run's" cmp a.csv r.csv
    PHI3SAT_TEST_FAIL=0:lock:0+:$reason run "$failing" merge a.h5 b.h5 -o m.h5 --quiet
    expect_status 0 "a merge too"
done
PHI3SAT_TEST_FAIL=0:lock:0+:11 run "$failing" "${run_it[@]}"
expect_status 0 "errno 11: nobody else knows the file that a run writes"
PHI3SAT_TEST_FAIL=0:lock:0+:11 run "$failing" report a.h5 --output r.csv --quiet
expect_status 3 "but one that is read may be somebody's"
expect_stderr_match 'a\.h5.*HDF5_USE_FILE_LOCKING=FALSE' "which is said, with what helps"
export HDF5_USE_FILE_LOCKING=FALSE

# ---- descriptors ----
# The summary goes to standard output: where there is none, status 4, when all else is there.
for closed in "0<&-" "1>&-" "2>&-" "0<&- 1>&- 2>&-"; do
    rm -f r.csv r.h5
    eval "phi3sat ${run_it[*]} >'$stdout' $closed"
    ended=$?
    is $ended "$([[ $closed == *1* ]] && echo 4 || echo 0)" "started with $closed it comes to its end"
    same a.h5 r.h5 "and to its archive"
done
(ulimit -n 16 && run phi3sat "${run_it[@]}" && cp "$stderr" few) 2>/dev/null
ok "with few descriptors it runs, or says so in a line" test "$(grep -c . few)" -le 1

# ---- limits ----
cp a.h5 r.h5
cp b.csv r.csv
(
    ulimit -f 4
    run phi3sat "${run_it[@]}"
    echo $status >limited
    cp "$stderr" limited.stderr
)
is "$(cat limited)" 4 "files may have 4 KB: an output that can't be written"
ok "in one line" test "$(grep -c '^phi3sat: ' limited.stderr)" -eq 1
ok "the old archive is whole" cmp a.h5 r.h5
ok "and so is the table" cmp b.csv r.csv
ok "nothing else is left" test -z "$(find . -name '*.part-*')"

# ---- a disk that is full ----
# full SIZE: a run into a new tmpfs of SIZE KB; its status, then what it said, then what is there.
full() {
    # shellcheck disable=SC2016 # for the inner shell
    unshare -m bash -c 'mkdir -p disk && mount -t tmpfs -o size="$1"k tmpfs disk && cp b.csv disk/r.csv && shift && "$@" >out 2>err
        echo $? >ended; ls -A disk >there; cmp b.csv disk/r.csv 2>/dev/null && echo old || cp disk/r.csv disk.csv; cp disk/r.h5 disk.h5 2>/dev/null || true' \
        bash "$1" phi3sat --model m.gguf --prompts p.txt --threads 1 --progress never --quiet --output disk/r.csv --checkpoint-every 0
}
if unshare -m mount -t tmpfs tmpfs /mnt 2>/dev/null; then
    wrong='' failed=0 went=0 whole=$(($(stat -c %s a.h5) / 1024))
    for ((size = 8; size <= whole * 5 / 4; size += long ? 4 : whole / 5)); do
        rm -f disk.csv disk.h5
        old=$(full "$size")
        case $(cat ended) in
        0)
            ((++went))
            "$build_dir/tests/archive/archive_same" a.h5 disk.h5 || wrong+="$size KB: another archive"$'\n'
            ;;
        4)
            ((++failed))
            (($(grep -c '^phi3sat: .*No space left' err) == 1)) || wrong+="$size KB: $(cat err)"$'\n'
            [[ $old == old ]] || wrong+="$size KB: the old table is gone"$'\n'
            ! grep part- there || wrong+="$size KB: left $(tr '\n' ' ' <there)"$'\n'
            ;;
        *) wrong+="$size KB: status $(cat ended): $(tail -n 1 err)"$'\n' ;;
        esac
    done
    is "$wrong" "" "disks of 8 KB and more: the archive, or one line and the old outputs"
    ok "of both kinds some" test $failed -gt 0 -a $went -gt 0
else
    skip 2 "no file system may be mounted here"
fi
done_testing
