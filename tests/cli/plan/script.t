#!/bin/bash
# script.t - the script that plan --sbatch writes: what it asks Slurm for, and what it starts, seen by an srun that
# only prints.
. "$(dirname "$0")/../../tap/tap.sh"

phi3sat synth --quiet -o "it's m.gguf" --layers 4 --hidden 64 --intermediate 192 --vocab 512
for i in {1..40}; do echo "This is text number $i, and it is about as long as the others are."; done >'p q.txt'
run phi3sat plan --model "it's m.gguf" --prompts 'p q.txt' --context 256 --ranks 8 --ranks-per-node 4 --threads 2 \
    --gflops 10 --sbatch
expect_status 0 "a script is written"
cp "$stdout" job.sh
for line in --nodes=2 --ntasks=8 --ntasks-per-node=4 --cpus-per-task=2 --signal=B:USR1@120 --requeue; do
    ok "it asks for $line" grep -qx "#SBATCH $line" job.sh
done
ok "it asks for time" grep -qE '^#SBATCH --time=[0-9]+$' job.sh
ok "and memory" grep -qE '^#SBATCH --mem=[0-9]+M$' job.sh
ok "it is a script" bash -n job.sh
if command -v shellcheck >/dev/null; then ok "that shellcheck has no word against" shellcheck job.sh; else skip 1 "no shellcheck"; fi

mkdir bin
cat >bin/srun <<'END'
#!/bin/bash
printf '%s\n' "$@" "threads $OMP_NUM_THREADS"
exit 3
END
chmod +x bin/srun
export PATH="$PWD/bin:$PATH" SLURM_NTASKS=8 PHI3SAT=/opt/phi3sat
run bash job.sh --verbose
expect_status 3 "the program's exit status is the job's"
expect_stdout "names with blanks and quotes arrive as they were given" <<'END'
--mpi=pmix
--ntasks=8
--cpus-per-task=2
--cpu-bind=cores
/opt/phi3sat
profile
--model
it's m.gguf
--prompts
p q.txt
--context
256
--grid
8x1
--output
phi3-saturation-report.csv
--checkpoint
phi3sat-checkpoint.h5
--resume
auto
--verbose
threads 2
END
run phi3sat plan --model "it's m.gguf" --ranks 4 --gflops 10 --memory 0.05 --sbatch
expect_status 3 "no script is written where nothing fits"
expect_stdout "not a line of it" </dev/null
done_testing
