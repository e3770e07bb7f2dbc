/* sample.h - a whole profile of invented numbers, for tests of archive and report.
 *
 * The numbers pass through the real accumulator, moments, criteria and summary; the
 * samples themselves come from a seed. One neuron of layer 0 is a super neuron, one
 * of each layer saw no finite sample, and the list of extremes has unused entries
 * when there are fewer than 16 neurons.
 */
#ifndef PHI3SAT_TESTS_ARCHIVE_SAMPLE_H
#define PHI3SAT_TESTS_ARCHIVE_SAMPLE_H

#include "archive/archive_writer.h"

struct sample {
    struct accumulator state;
    struct metrics *metrics;      /* [layers] */
    struct summary_row *rows;     /* [layers] */
    struct archive_facts facts;
    struct archive_run run;
    struct prompt_set prompts;
};

/* Ends the test on failure. The prompts number 5, of which one came twice. */
void sample_make(struct sample *s, size_t layers, size_t neurons, uint64_t seed);
void sample_free(struct sample *s);

/* Writes it; layers last to first when `backwards`. */
enum status sample_write(const struct sample *s, const char *path, bool backwards, struct error *e) ERROR_MUST_USE;

#endif
