#!/bin/bash
# launchers.t - what each script of jobs/ starts, with srun and with mpirun, seen by launchers that only print.
. "$(dirname "$0")/../../tap/tap.sh"

mkdir bin
for launcher in srun mpirun sbatch scontrol; do
    cat >"bin/$launcher" <<'END'
#!/bin/bash
printf '%s\n' "${0##*/}" "$@" "threads ${OMP_NUM_THREADS:-none}" >>"$PRINTED"
[[ ! ${WRITES:-} || ${0##*/} == scontrol ]] || { echo new >"$WRITES.new" && mv "$WRITES.new" "$WRITES"; }
[[ ! ${ENDS:-} || ${0##*/} == scontrol ]] || { trap "" TERM && kill -TERM "$PPID" && sleep 0.2; }
[[ ${0##*/} != sbatch ]] || echo "$((40 + $(grep -c '^sbatch$' "$PRINTED")))"
exit "${STATUS:-0}"
END
    chmod +x "bin/$launcher"
done
export PATH="$PWD/bin:$PATH" PRINTED=$PWD/printed PHI3SAT=/opt/phi3sat
export SLURM_CPUS_ON_NODE=8 SLURM_NTASKS=16 SLURM_JOB_NUM_NODES=2 SLURM_JOB_ID=7 SLURM_CPUS_PER_TASK=4
export SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=3 PHI3SAT_RANKS=2 PHI3SAT_DOMAINS=2

# start SCRIPT LAUNCHER ARGUMENT...
start() {
    local script=$1
    : >printed
    export PHI3SAT_LAUNCHER=$2
    shift 2
    run "$source_dir/jobs/$script" "$@"
}

for script in one-node.sbatch many-nodes.sbatch many-nodes-hybrid.sbatch shard.sbatch requeue.sbatch; do
    STATUS=3 start "$script" srun --model 'a b.gguf' --verbose
    expect_status 3 "$script: the program's exit status is the job's"
    is "$(head -n 1 printed)" srun "$script: srun starts it"
    ok "$script: with pmix" grep -qx -- --mpi=pmix printed
    ok "$script: arguments arrive as they were given" grep -qx 'a b.gguf' printed
    STATUS=3 start "$script" mpirun --model 'a b.gguf' --verbose
    expect_status 3 "$script: so it is with mpirun"
    is "$(head -n 4 printed | tr '\n' ' ')" "mpirun --mca odls_base_sigkill_timeout 10 " "$script: which leaves ranks time to end"
    ok "$script: arguments arrive there too" grep -qx 'a b.gguf' printed
done

start many-nodes-hybrid.sbatch srun
ok "hybrid: ranks are domains times nodes" grep -qx -- --ntasks=4 printed
is "$(tail -n 1 printed)" "threads 4" "hybrid: a domain's cores are its threads"
start many-nodes.sbatch srun
is "$(tail -n 1 printed)" "threads 1" "pure MPI: one thread a rank"
start shard.sbatch srun --model m
ok "an array's task knows its shard" grep -qx 1/3 printed
ok "and its output" grep -qx phi3sat-shard-1.csv printed
start requeue.sbatch srun --model m
ok "requeue: a checkpoint of the job's own" grep -qx phi3sat-7.checkpoint printed
is "$(grep -c '^scontrol$' printed)" 0 "requeue: what has ended stays ended"
STATUS=75 start requeue.sbatch srun --model m
is "$(grep -A 2 '^scontrol$' printed | tr '\n' ' ')" "scontrol requeue 7 " "requeue: what has stopped queues itself again"

# queued STATUS: how often a run that ends so is queued again.
queued() {
    STATUS=$1 start requeue.sbatch srun --model m
    grep -c '^scontrol$' printed
}
checkpoint=phi3sat-7.checkpoint
rm -f "$checkpoint"
for code in 1 137; do
    is "$(queued "$code")" 0 "requeue: $code without a checkpoint is a failure"
    is "$(WRITES=$checkpoint queued "$code")" 1 "requeue: $code with one of this piece goes on"
    is "$(queued "$code")" 0 "requeue: $code with one of an earlier piece is a failure"
    is "$(WRITES=$checkpoint SLURM_RESTART_COUNT=9 queued "$code")" 1 "requeue: $code for the tenth time goes on"
    is "$(WRITES=$checkpoint SLURM_RESTART_COUNT=10 queued "$code")" 0 "requeue: $code for the eleventh time stays ended"
    is "$(WRITES=$checkpoint SLURM_RESTART_COUNT=2 PHI3SAT_RESTARTS=2 queued "$code")" 0 "requeue: so it does after as many as are named"
    is "$(WRITES=$checkpoint ENDS=1 queued "$code")" 0 "requeue: $code of a job that was told to end stays ended"
done
for code in 2 3 4 143; do
    is "$(WRITES=$checkpoint queued "$code")" 0 "requeue: $code stays ended"
done
is "$(SLURM_RESTART_COUNT=99 queued 75)" 1 "requeue: 75 goes on, however often"

start submit-shards.sh srun 3 out --model m
expect_status 0 "an array and its merge are sent"
expect_stdout "and named" <<<"array 41, then merge 42"
ok "the array has all shards" grep -qx -- --array=0-2 printed
ok "the merge waits for it" grep -qx -- --dependency=afterok:41 printed
is "$(grep -c '^out-[012].h5$' printed)" 3 "and is given all archives"
start submit-shards.sh srun 0 out --model m
expect_status 2 "no shards are wrong usage"

printf '%s\n' a a b b >hosts
PBS_NODEFILE=$PWD/hosts PBS_O_WORKDIR=$PWD start many-nodes.pbs none
expect_status 0 "the PBS example starts mpirun"
ok "with a rank a line of the node file" grep -qx 4 printed
LSB_DJOB_HOSTFILE=$PWD/hosts STATUS=75 start many-nodes.lsf none
expect_status 75 "the LSF example leaves 75 to LSF"
ok "and has a rank a line of the host file" grep -qx 4 printed
done_testing
