#!/bin/bash
# hosts_start.t - what hosts have to have alike, found before the work: program, model, folders. Hosts of one name.
. "$(dirname "$0")/../cli/profile/profile.sh"
. "$source_dir/tests/mpi/hosts.sh"
need_command python3
hosts_start 3
unset SLURM_JOB_ID PBS_JOBID LSB_JOBID

tiny m.gguf --with-vocab --vocab 300 --hidden 64 --intermediate 100 --heads 2 --layers 4
words 60 3 12 >p.txt
run phi3sat --model m.gguf --prompts p.txt --output one.csv
expect_status 0 "one rank"

# Each host has a home of its own, with the same files as long as nobody changes them.
for host in "${hosts[@]}"; do
    mkdir -p "homes/$host"
    cp m.gguf p.txt "homes/$host"
    ln -s "$build_dir/phi3sat" "homes/$host/phi3sat"
done
home=homes/${hosts[0]} third=homes/${hosts[2]}
# shellcheck disable=SC2016 # the inner shell's
at_home=(bash -c 'cd "homes/$(hostname)" && exec ./phi3sat "$@"' phi3sat --model m.gguf --prompts p.txt --output r.csv)

# on_hosts RANKS-PER-HOST COMMAND...: as `run` does.
on_hosts() {
    local slots=$1
    shift
    tap_command="$*"
    (hosts_mpirun "$slots" "$@" </dev/null >"$stdout" 2>"$stderr")
    status=$?
}
refused() { # STATUS REGEX CLAIM
    expect_status "$1" "$3: status $1"
    expect_error_lines 1 "$3: one line"
    expect_stderr_match "^phi3sat: $2" "$3: that says which"
    ok "$3: and nothing is written" test ! -e "$home/r.h5" -a ! -e "$third/r.h5"
    rm -f "$home"/r.*
}
second_of=$((2 * 2)) # the first rank of the third host, with two on each

on_hosts 2 "${at_home[@]}"
expect_status 0 "the same model in other places is the same"
same one.h5 "$home/r.h5" "the archive is that of one rank"
expect_stderr_match "^warning: r.h5: rank 2 on ${hosts[1]} doesn't see this folder: the results will be on ${hosts[0]} alone\$" \
    "where the results will be is said"
is "$(find homes -name '*r.h5*' | wc -l)" 1 "and no file is left of the look"
rm "$home"/r.*

# Folders.
if ((long)); then
    on_hosts 1 "${at_home[@]}" --checkpoint c.ckpt
    expect_status 0 "a checkpoint that one host sees"
    expect_stderr_match "^warning: c.ckpt: rank 1 on ${hosts[1]} doesn't see this folder of rank 0 on ${hosts[0]}: only a run that" \
        "is warned of"
    rm "$home"/r.*
fi
SLURM_JOB_ID=7 on_hosts 1 "${at_home[@]}" --resume auto
refused 4 "r.ckpt: rank 1 on ${hosts[1]} doesn't see this folder of rank 0 on ${hosts[0]}, and Slurm may start the job again elsewhere" \
    "under Slurm"
on_hosts 1 phi3sat --model m.gguf --prompts p.txt --output r.csv --resume auto
expect_status 0 "a folder that all see"
is "$(grep -c "doesn't see" "$stderr")" 0 "needs no word"

# The model: missing, of another shape, with one byte in a layer or in the embedding changed.
rm "$third/m.gguf"
on_hosts 2 "${at_home[@]}"
refused 3 "m.gguf: rank $second_of on ${hosts[2]}: .*No such file" "a model that is missing on one host"
tiny "$third/m.gguf" --with-vocab --vocab 300 --hidden 64 --intermediate 104 --heads 2 --layers 3
on_hosts 2 "${at_home[@]}"
refused 3 "m.gguf: rank $second_of on ${hosts[2]}: the file here is not the one of rank 0: its keys" "a model of another shape"
size=$(stat -c %s m.gguf)
changed() { # OFFSET-IN-PERCENT
    cp m.gguf "$third/m.gguf"
    printf '\001\002\003' | dd of="$third/m.gguf" bs=1 seek=$((size * $1 / 100)) conv=notrunc status=none
}
# found PERCENT WHAT ARGUMENT...
found() {
    changed "$1"
    on_hosts 2 "${at_home[@]}" "${@:3}"
    expect_stderr_match "^phi3sat: m.gguf: rank [45] on ${hosts[2]}: the file here is not the one of rank 0: the weights of $2 differ; give all" \
        "three other bytes in $2 are found (${*:3})"
    ok "and the run refused (${*:3})" test "$status" = 3
}
found 6 "the embedding or the rotary factors"
found 40 "layer 1" --grid 2x3
if ((long)); then
    found 20 "layer 0"
    found 80 "layer 3"
    found 60 "layer 2" --grid 3x2
fi
cp m.gguf "$third/m.gguf"

# The program.
build=$(phi3sat --version | sed 's/^phi3sat //')
rm "$third/phi3sat"
sed "s|$build|${build/[0-9].[0-9]/9.9}|g" "$build_dir/phi3sat" >"$third/phi3sat"
chmod +x "$third/phi3sat"
on_hosts 2 "${at_home[@]}"
refused 1 "rank $second_of on ${hosts[2]}: phi3sat is another build here, 9.9.*, than on rank 0, .*; install the same" "another build"

# Two hosts of one name, prompts from standard input, more of them than ranks send each other: a host's ranks share a file.
awk 'BEGIN { for (i = 0; i < 60; i++) { line = "the model"; while (length(line) < 100000) line = line " of the"; print line } }' >large.txt
run phi3sat --model m.gguf --prompts large.txt --output one.csv --context 16
expect_status 0 "one rank, large prompts"
export HOSTS_NAME=twin
tap_command="hosts of one name"
(hosts_mpirun 2 timeout 60 phi3sat --model m.gguf --prompts - --output r.csv --context 16 <large.txt >"$stdout" 2>"$stderr")
status=$?
expect_status 0 "hosts of one name: prompts from standard input"
same one.h5 r.h5 "hosts of one name: the archive of one rank"
expect_stderr_match "^3 nodes, each: 2 ranks x 1 thread on .*: twin twin twin\$" "hosts of one name: they are told apart"
done_testing
