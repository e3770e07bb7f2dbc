/* job_script.h - a Slurm script for a planned run on standard output. */
#ifndef PHI3SAT_REPORT_JOB_SCRIPT_H
#define PHI3SAT_REPORT_JOB_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"

struct job_script {
    size_t ranks, ranks_per_node, threads;
    double seconds;              /* predicted                                        */
    double efficiency;           /* 0..1                                            */
    uint64_t node_bytes;         /* of the fullest node                               */
    const char *grid;            /* "64x1"                                          */
    const char *const *word;     /* [words]: options of profile; any bytes, they are quoted */
    size_t words;
};

/* Writes it and flushes. STATUS_OUTPUT when standard output fails. */
enum status job_script_print(const struct job_script *job, struct error *e) ERROR_MUST_USE;

#endif
