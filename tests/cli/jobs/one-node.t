#!/bin/bash
# one-node.t - what jobs/one-node.sbatch starts, seen by an srun that only prints.
. "$(dirname "$0")/../../tap/tap.sh"

mkdir bin
cat >bin/srun <<'END'
#!/bin/bash
printf '%s\n' "$@" "threads $OMP_NUM_THREADS"
exit 75
END
chmod +x bin/srun
export PATH="$PWD/bin:$PATH" SLURM_CPUS_ON_NODE=12 PHI3SAT=/opt/phi3sat
PHI3SAT_RANKS=3 run "$source_dir/jobs/one-node.sbatch" --model "a b.gguf" --output r.csv
expect_status 75 "the program's exit status is the job's"
expect_stdout "ranks, threads and arguments arrive as they were given" <<'END'
--mpi=pmix
--ntasks=3
--cpus-per-task=4
--cpu-bind=cores
/opt/phi3sat
--model
a b.gguf
--output
r.csv
threads 4
END

SLURM_CPUS_ON_NODE=2 PHI3SAT_RANKS=5 run "$source_dir/jobs/one-node.sbatch"
is "$(tail -n 1 "$stdout")" "threads 1" "more ranks than cores still get one thread each"
done_testing
