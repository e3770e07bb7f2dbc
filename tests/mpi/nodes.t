#!/bin/bash
# nodes.t - what is said at the start of ranks, threads and cores, and the warnings about them.
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command python3 taskset
unset SLURM_CPUS_PER_TASK OMP_NUM_THREADS

tiny m.gguf --with-vocab --vocab 300 --hidden 32 --intermediate 40 --heads 2 --layers 1
words 20 1 6 >p.txt
profile=(phi3sat --model m.gguf --prompts p.txt --output r.csv)
mapfile -t may < <(taskset -cp $$ | sed 's/.*: //' | tr , '\n' |
    awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
first=${may[0]} all=$(IFS=,; echo "${may[*]}")

# Machines that hwloc makes up: a core each processor, or two processors a core.
export HWLOC_SYNTHETIC="numa:2(memory=8GiB) core:64 pu:1"
node() { # RANKS-AND-THREADS CORES CLAIM
    expect_status 0 "$3: it runs"
    expect_stderr_match "^1 node: $1 on $2, 2 NUMA domains, 17.2 GB: [^ ]+\$" "$3: told in one line"
    is "$(grep -c '^[0-9]* nodes*[:,]' "$stderr")" 1 "$3: and once"
}
warned() { # COUNT REGEX CLAIM: of warnings about cores and threads
    is "$(grep -cE '^warning: (ranks share|rank [0-9]+ on)' "$stderr")" "$1" "$3: $1 of these warnings" || tap_show
    (($1 == 0)) || expect_stderr_match "^warning: $2" "$3: it says which"
}

run taskset -c "$first" "${profile[@]}"
node "1 rank x 1 thread" "1 core" "a rank bound to a core"
warned 0 "" "a rank bound to a core"
run taskset -c "$first" "${profile[@]}" --threads 3
node "1 rank x 3 threads" "1 core" "three threads"
warned 1 "rank 0 on [^ ]+ has 3 threads and is kept to 1 core; .*PE=3.*--threads 1\$" "three threads"
OMP_NUM_THREADS=2 run taskset -c "$first" "${profile[@]}"
warned 1 "rank 0 on [^ ]+ has 2 threads" "two by OMP_NUM_THREADS"
mpirun_n 3 taskset -c "$first" "${profile[@]}"
node "3 ranks x 1 thread" "1 core" "three ranks on it"
warned 1 "ranks share cores: 3 ranks on [^ ]+ have 3 threads on 1 core; start fewer" "three ranks on it"
run taskset -c "$first" "${profile[@]}" --threads 3 --quiet
ok "--quiet says nothing of it" test ! -s "$stderr"

if ((${#may[@]} > 1)); then
    second=${may[1]}
    # shellcheck disable=SC2016 # the inner shell's
    apart=(bash -c 'core=$(($1 + ($2 - $1) * OMPI_COMM_WORLD_RANK)) && shift 2 && exec taskset -c "$core" "$@"' bash)
    mpirun_n 2 "${apart[@]}" "$first" "$second" "${profile[@]}"
    node "2 ranks x 1 thread" "2 cores" "two ranks on a core each"
    warned 0 "" "two ranks on a core each"
    HWLOC_SYNTHETIC="numa:2(memory=8GiB) core:64 pu:2" mpirun_n 2 "${apart[@]}" "$first" "$second" "${profile[@]}"
    node "2 ranks x 1 thread" "$((first / 2 == second / 2 ? 1 : 2)) cores?" "two processors of a core"
    warned $((first / 2 == second / 2)) "ranks share cores: 2 ranks on [^ ]+ have 2 threads on 1 core" "two processors of a core"
    mpirun_n $((2 * ${#may[@]})) taskset -c "$all" "${profile[@]}"
    warned 1 "ranks share cores: $((2 * ${#may[@]})) ranks on [^ ]+ have $((2 * ${#may[@]})) threads on ${#may[@]} cores" \
        "more ranks than cores, unbound"
else
    skip 11 "there is one processor only"
fi

# What Slurm gives, and what the environment asks for.
contradiction() { # THREADS CPUS COUNT CLAIM ARGUMENT...
    local threads=$1 cpus=$2 count=$3 claim=$4
    shift 4
    HWLOC_SYNTHETIC="numa:1 core:64 pu:1" OMP_NUM_THREADS=$threads SLURM_CPUS_PER_TASK=$cpus run "${profile[@]}" "$@"
    is "$(grep -c "^warning: rank 0 on [^ ]* has OMP_NUM_THREADS=$threads, and Slurm gives it $cpus processors (SLURM_CPUS_PER_TASK)\$" \
        "$stderr")" "$count" "OMP_NUM_THREADS $threads, SLURM_CPUS_PER_TASK $cpus: $claim"
}
contradiction 2 2 0 "the same"
contradiction 4 2 1 "more than Slurm gives"
contradiction 1 2 1 "less"
contradiction 1 2 0 "--threads stands above both" --threads 2
contradiction 2 '' 0 "no Slurm"

# This machine, as hwloc finds it.
unset HWLOC_SYNTHETIC
run "${profile[@]}"
expect_stderr_match '^1 node: 1 rank x [0-9]+ threads? on [0-9]+ cores?, [0-9]+ NUMA domains?, [0-9.]+ GB: [^ ]+$' "this machine"
done_testing
