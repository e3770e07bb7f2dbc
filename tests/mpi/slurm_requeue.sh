# shellcheck shell=bash disable=SC2154 # set by slurm.t
# slurm_requeue.sh - the part of slurm.t that stops jobs: by Slurm's warning, which they follow with a checkpoint and
# a return to the queue, by a node's loss, and by that of a rank.

phi3sat synth --quiet -o slow.gguf --layers 8 --hidden 256 --intermediate 768 --vocab 512
slow=(--model "$PWD/slow.gguf" --num-prompts "${PHI3SAT_SLOW_PROMPTS:-100}" --progress always)
run phi3sat "${slow[@]}" --output slow.csv
expect_status 0 "the direct run of a longer job"

# Waits until the job is at work: its ranks have told how far they are, and so listen to signals.
runs() {
    local end=$((SECONDS + 120))
    while ((SECONDS < end)); do
        ! grep -qs 'tokens/s' "phi3sat-$job.log" || return 0
        sleep 0.2
    done
    return 1
}

# Slurm holds back what was queued again for two minutes; a second has to pass, since the node takes a start within the
# second of the end for a part of what was ended.
hasten() {
    local end=$((SECONDS + 120))
    while ((SECONDS < end)); do
        if [[ $(slurm_field "$job" JobState) == PENDING ]]; then
            sleep 2
            scontrol update JobId="$job" StartTime=now >/dev/null 2>&1
            return 0
        fi
        sleep 0.2
    done
    return 1
}

for launcher in srun mpirun; do
    export PHI3SAT_LAUNCHER=$launcher
    slurm_send "$jobs/requeue.sbatch" "${slow[@]}" --output "requeue-$launcher.csv"
    ok "requeue, $launcher: the job runs" runs
    scancel -s USR1 -b "$job"
    ok "requeue, $launcher: told, it goes back into the queue" hasten
    ok "requeue, $launcher: and leaves a checkpoint" test -s "phi3sat-$job.checkpoint"
    slurm_end 300
    is "$state $code" "COMPLETED 0" "requeue, $launcher: it ends well" || diag "$(tail -n 20 "phi3sat-$job.log")"
    ok "requeue, $launcher: in more than one piece" test "$(slurm_field "$job" Restarts)" -ge 1
    run "$same" slow.h5 "requeue-$launcher.h5"
    expect_status 0 "requeue, $launcher: the archive is that of a run without a break"
done

# What Slurm does when a node is lost: the job is ended without a warning and queued again.
export PHI3SAT_LAUNCHER=srun
slurm_send "$jobs/requeue.sbatch" "${slow[@]}" --checkpoint-every 0.02 --output lost.csv
ok "lost node: the job runs" runs
scontrol requeue "$job"
ok "lost node: it is queued again" hasten
slurm_end 300
is "$state $code" "COMPLETED 0" "lost node: it ends well" || diag "$(tail -n 20 "phi3sat-$job.log")"
run "$same" slow.h5 lost.h5
expect_status 0 "lost node: the archive is that of a run without a break"

# What is left of a lost node where Slurm doesn't see it: a launcher that ends with a failure.
slurm_send "$jobs/requeue.sbatch" "${slow[@]}" --checkpoint-every 0.02 --output killed.csv
ok "killed rank: the job runs" runs
for round in {1..300}; do
    [[ ! -s phi3sat-$job.checkpoint ]] || break
    sleep 0.1
done
: "$round"
kill -9 "$(pgrep -f -- "^[^ ]*phi3sat --checkpoint phi3sat-$job.checkpoint .*$PWD/slow.gguf" | tail -n 1)"
ok "killed rank: the job queues itself again" hasten
slurm_end 300
is "$state $code" "COMPLETED 0" "killed rank: it ends well" || diag "$(tail -n 20 "phi3sat-$job.log")"
run "$same" slow.h5 killed.h5
expect_status 0 "killed rank: the archive is that of a run without a break"
