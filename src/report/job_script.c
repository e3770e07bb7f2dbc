/* job_script.c - see job_script.h. The body is that of jobs/requeue.sbatch. */
#include "job_script.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The time asked for: half as much again as predicted, and ten minutes. */
#define SPARE 1.5
#define SPARE_SECONDS 600.0

/* In single quotes, as a shell reads back byte for byte. Plain words stay plain. */
static void quote(FILE *to, const char *word)
{
    if (*word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%") == strlen(word)) {
        fputs(word, to);
        return;
    }
    fputc('\'', to);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", to);
        else
            fputc(*word, to);
    fputc('\'', to);
}

static void print_head(FILE *to, const struct job_script *j)
{
    size_t nodes = (j->ranks + j->ranks_per_node - 1) / j->ranks_per_node;
    double limit = ceil((SPARE * j->seconds + SPARE_SECONDS) / 60.0);
    double memory = ceil(1.1 * (double)j->node_bytes / 0x1p20);
    fprintf(to, "#!/bin/bash\n"
                "# Written by phi3sat plan: grid %s, predicted %.0f s at %.1f %% efficiency.\n"
                "#\n"
                "# Edit: your site's --account, --partition and `module load` lines; --time and --mem, which leave half\n"
                "# and a tenth to spare; the outputs' names. Other words on sbatch's command line go to phi3sat.\n"
                "#\n"
                "# Two minutes before its time is over the job is told, writes a checkpoint and queues itself again; the\n"
                "# next run goes on from there. PHI3SAT names the program where it isn't in PATH.\n\n",
            j->grid, j->seconds, 100.0 * j->efficiency);
    fprintf(to, "#SBATCH --job-name=phi3sat\n#SBATCH --nodes=%zu\n#SBATCH --ntasks=%zu\n#SBATCH --ntasks-per-node=%zu\n"
                "#SBATCH --cpus-per-task=%zu\n#SBATCH --mem=%.0fM\n#SBATCH --time=%.0f\n",
            nodes, j->ranks, j->ranks_per_node < j->ranks ? j->ranks_per_node : j->ranks, j->threads, memory, limit);
    fputs("#SBATCH --signal=B:USR1@120\n#SBATCH --requeue\n#SBATCH --open-mode=append\n"
          "#SBATCH --output=phi3sat-%j.log\n\nset -uo pipefail\n\n",
          to);
}

static void print_body(FILE *to, const struct job_script *j)
{
    fprintf(to, "export OMP_NUM_THREADS=%zu OMP_PROC_BIND=close OMP_PLACES=cores\n\n", j->threads);
    fputs("srun --mpi=pmix --ntasks=\"$SLURM_NTASKS\" --cpus-per-task=\"$OMP_NUM_THREADS\" --cpu-bind=cores \\\n"
          "    \"${PHI3SAT:-phi3sat}\" profile",
          to);
    for (size_t i = 0; i < j->words; i++) {
        fputs(j->word[i][0] == '-' && j->word[i][1] == '-' ? " \\\n    " : " ", to);
        quote(to, j->word[i]);
    }
    fputs(" \\\n    --output phi3-saturation-report.csv --checkpoint phi3sat-checkpoint.h5 --resume auto \"$@\" &\nstep=$!\n\n"
          "# The batch shell gets the signal and hands it on: all ranks write one checkpoint and end with 75.\n"
          "told=0\ntrap 'told=1; kill -USR1 \"$step\"' USR1\n\n# A signal ends the wait, not the program.\n"
          "while :; do\n    told=0\n    wait \"$step\"\n    status=$?\n    ((told)) || break\ndone\n\n"
          "if ((status == 75)); then\n    scontrol requeue \"$SLURM_JOB_ID\"\nfi\nexit \"$status\"\n",
          to);
}

enum status job_script_print(const struct job_script *job, struct error *e)
{
    print_head(stdout, job);
    print_body(stdout, job);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    error_set(e, STATUS_OUTPUT, "standard output can't be written: %s", strerror(errno));
    return error_advice(e, "free some space, or write to another place");
}
