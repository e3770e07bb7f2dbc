#!/bin/bash
# slurm.t - every script of jobs/ under a real Slurm, by srun and by mpirun: archives equal to that of a direct run;
# a stop by signal and what follows it; an array and its merge.
. "$(dirname "$0")/../tap/tap.sh"
. "$source_dir/tests/mpi/slurm.sh"
jobs=$source_dir/jobs
same=$build_dir/tests/archive/archive_same
slurm_start 2

# Two nodes of one machine: TCP over the loopback device. Jobs are small: four ranks share the cores.
export OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PHI3SAT=$build_dir/phi3sat

phi3sat synth --quiet -o m.gguf --layers 4 --hidden 64 --intermediate 192 --vocab 512
input=(--model "$PWD/m.gguf" --num-prompts 60 --progress never)
run phi3sat "${input[@]}" --output direct.csv
expect_status 0 "the direct run"

# ended CLAIM ARCHIVE: the job is done, and its archive is that of the direct run.
ended() {
    slurm_end 120
    is "$state $code" "COMPLETED 0" "$1: the job ends well" || diag "$(tail -n 5 "phi3sat-$job.log" 2>/dev/null)"
    run "$same" direct.h5 "$2"
    expect_status 0 "$1: its archive is that of the direct run"
}

for launcher in srun mpirun; do
    export PHI3SAT_LAUNCHER=$launcher
    PHI3SAT_RANKS=2 slurm_send "$jobs/one-node.sbatch" "${input[@]}" --output "one-$launcher.csv"
    ended "one node, $launcher" "one-$launcher.h5"
    slurm_send --nodes=2 --ntasks-per-node=2 "$jobs/many-nodes.sbatch" "${input[@]}" --output "many-$launcher.csv"
    ended "two nodes, $launcher" "many-$launcher.h5"
    PHI3SAT_DOMAINS=1 slurm_send --nodes=2 "$jobs/many-nodes-hybrid.sbatch" "${input[@]}" --output "hybrid-$launcher.csv"
    ended "two nodes, hybrid, $launcher" "hybrid-$launcher.h5"
    run "$jobs/submit-shards.sh" 3 "whole-$launcher" "${input[@]}"
    expect_status 0 "an array and its merge are sent, $launcher"
    job=$(grep -oE '[0-9]+$' "$stdout")
    ended "array and merge, $launcher" "whole-$launcher.h5"
done

export PHI3SAT_LAUNCHER=srun # mpirun takes 20 s to end after a rank that failed
slurm_send "$jobs/one-node.sbatch" --model none.gguf --output x.csv
slurm_end 60
is "$state $code" "FAILED 3" "what the program fails with is the job's exit status"

# The script that plan writes.
run phi3sat plan "${input[@]:0:4}" --ranks 4 --ranks-per-node 2 --gflops 10 --memory 3 --sbatch
cp "$stdout" planned.sh
if phi3sat profile --help | grep -q -- '--grid '; then
    slurm_send planned.sh
    ended "the script of plan" phi3-saturation-report.h5
else
    skip 2 "this phi3sat has no grids"
fi
. "$source_dir/tests/mpi/slurm_requeue.sh"
done_testing
