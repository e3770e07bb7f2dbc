/* bench_ffn_archive.h - which neurons an archive shows to matter, for `bench ffn --archive`. */
#ifndef PHI3SAT_COMMANDS_BENCH_FFN_ARCHIVE_H
#define PHI3SAT_COMMANDS_BENCH_FFN_ARCHIVE_H

#include "bench_ffn_plan.h"

/* Fills order, saturated, active and active_count of the plan, whose weights are open. A neuron counts by the mean square of what it
 * gives to the layer's output: E[ffn^2] times the squared length of its column of down. STATUS_INPUT: no archive, or
 * one of another shape. */
enum status bench_ffn_archive_read(struct bench_ffn_plan *p, struct error *e) ERROR_MUST_USE;

#endif
