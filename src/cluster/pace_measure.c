/* pace_measure.c - runs a few batches through the model's last two layers; see pace.h.
 *
 * The batches are some that the schedule makes of the prompts at hand, and a few small ones, so that the line is
 * laid through what will be run. Hidden states are random: no kernel's time depends on values. Each batch runs several
 * times, all in turn, and counts with its median: a run lives with what disturbs here, and where nothing does the median
 * is as good as the best.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/memory.h"
#include "../base/random.h"
#include "collector.h"
#include "pace.h"
#include "schedule.h"

#define CASES 9
#define ROUNDS 15
#define LONGEST 4       /* batches of tokens that a measured prompt has at most         */
#define MERGE_SECONDS 0.02

struct one_case {
    size_t *length, count;      /* [count] tokens of each prompt                        */
    struct pace_batch batch;
    double inner[ROUNDS], last[ROUNDS];
};

struct measurement {
    const struct ranks *ranks;
    const struct pace_options *options;
    size_t first, layers;       /* that are run                                         */
    struct forward *forward;
    struct collector collector;
    struct forward_observer observer, shown;
    float *hidden;
    struct forward_prompt *prompts;
    struct collector_prompt *named;
    struct one_case cases[CASES];
    size_t case_count, rounds;
    size_t chunks, asked;       /* of the batch under way; looks at the clock            */
    double started, halfway;
};

/* The forward pass asks before each chunk: the last layer begins after as many as the first has. */
static bool look(void *context)
{
    struct measurement *m = context;
    if (m->asked++ == m->chunks)
        m->halfway = clock_seconds();
    return false;
}

static void fold(void *context, size_t layer, enum series series, size_t block, size_t prompt, const struct sums *sums,
                 uint64_t samples)
{
    struct measurement *m = context;
    m->observer.sums(m->observer.context, layer - m->first, series, block, prompt, sums, samples);
}

static enum status add_case(struct measurement *m, const size_t *length, size_t count, struct error *e)
{
    struct one_case *c = &m->cases[m->case_count];
    enum status s = memory_array(&c->length, count, sizeof *c->length, "a measurement", e);
    if (s != STATUS_OK)
        return s;
    m->case_count++;
    c->count = count;
    for (size_t i = 0; i < count; i++) {
        c->length[i] = length[i];
        pace_batch_add(&c->batch, length[i]);
    }
    pace_batch_end(&c->batch, m->options->batch_tokens);
    return STATUS_OK;
}

static enum status add_batch(struct measurement *m, const struct intake_item *items, const size_t *mine, size_t taken,
                             struct error *e)
{
    size_t *length, most = LONGEST * m->options->batch_tokens;
    enum status s = memory_array(&length, taken, sizeof *length, "a measurement", e);
    for (size_t i = 0; i < taken && s == STATUS_OK; i++)
        length[i] = items[mine[i]].length < most ? (size_t)items[mine[i]].length : most;
    if (s == STATUS_OK)
        s = add_case(m, length, taken, e);
    memory_free(length);
    return s;
}

/* Those in which a given share of all tokens is reached, and small ones. */
static enum status choose_cases(struct measurement *m, const struct config *config, const struct intake_item *items,
                                size_t count, struct error *e)
{
    static const double share[] = {0.0, 0.1, 0.3, 0.5, 0.7, 0.9};
    size_t rows = m->options->batch_tokens, *mine, mine_count, next = 0;
    struct schedule_terms terms = schedule_terms(config, 1, 1, rows);
    double all = 0.0, sum = 0.0;
    enum status s = schedule_share(items, count, &terms, 0, &mine, &mine_count, e);
    for (size_t i = 0; i < count; i++)
        all += (double)items[i].length;
    for (size_t i = 0, taken; i < mine_count && s == STATUS_OK; i += taken) {
        taken = schedule_batch(items, mine, mine_count, i, rows);
        if (next < sizeof share / sizeof *share && sum >= share[next] * all) {
            s = add_batch(m, items, mine + i, taken, e);
            while (next < sizeof share / sizeof *share && sum >= share[next] * all)
                next++;
        }
        for (size_t k = i; k < i + taken; k++)
            sum += (double)items[mine[k]].length;
    }
    memory_free(mine);
    size_t eighth = rows / 8 ? rows / 8 : 1, many[16];
    for (size_t i = 0; i < 16; i++)
        many[i] = rows / 32 ? rows / 32 : 1;
    if (s == STATUS_OK)
        s = add_case(m, &eighth, 1, e);
    return s == STATUS_OK ? add_case(m, many, 16, e) : s;
}

/* Room for the largest case. */
static enum status open_buffers(struct measurement *m, size_t hidden, struct error *e)
{
    size_t rows = 1, prompts = 1;
    for (size_t i = 0; i < m->case_count; i++) {
        size_t here = (size_t)m->cases[i].batch.terms[PACE_TOKEN];
        rows = here > rows ? here : rows;
        prompts = m->cases[i].count > prompts ? m->cases[i].count : prompts;
    }
    enum status s = memory_array(&m->hidden, rows * hidden, sizeof *m->hidden, "a measurement", e);
    if (s == STATUS_OK)
        s = memory_array(&m->prompts, prompts, sizeof *m->prompts, "a measurement", e);
    if (s == STATUS_OK)
        s = memory_array(&m->named, prompts, sizeof *m->named, "a measurement", e);
    struct random_stream stream = random_open(1, 0, 0, 0);
    if (s == STATUS_OK)
        random_normal(&stream, 1.0f, rows * hidden, m->hidden);
    return s;
}

static enum status run_case(struct measurement *m, struct one_case *c, size_t round, struct error *e)
{
    for (size_t i = 0; i < c->count; i++) {
        m->prompts[i] = (struct forward_prompt){NULL, c->length[i]};
        m->named[i] = (struct collector_prompt){.hash = {round, i}, .samples = c->length[i]};
    }
    collector_begin(&m->collector, m->named);
    m->chunks = (size_t)c->batch.terms[PACE_CHUNK];
    m->asked = 0;
    ranks_max(0.0); /* all begin together */
    m->started = m->halfway = clock_seconds();
    enum status s = forward_run_stage(m->forward, m->prompts, c->count, m->hidden, &m->shown, e);
    double end = clock_seconds();
    collector_settle(&m->collector, c->count);
    if (round < ROUNDS) {
        c->inner[round] = m->layers > 1 ? m->halfway - m->started : end - m->started;
        c->last[round] = m->layers > 1 ? end - m->halfway : end - m->started;
    }
    return s;
}

/* The lower middle one of an even number. Sorts [count] values, at least one. */
static double middle(double *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && values[k] < values[k - 1]; k--) {
            const double larger = values[k - 1];
            values[k - 1] = values[k];
            values[k] = larger;
        }
    return values[(count - 1) / 2];
}

/* Bytes of state a second. */
static double time_merging(struct measurement *m)
{
    struct accumulator_block *one = accumulator_blocks(&m->collector.state, 0, SERIES_GATE);
    struct accumulator_block *other = accumulator_blocks(&m->collector.state, 0, SERIES_UP);
    double start = clock_seconds(), seconds = 0.0;
    size_t bytes = 0;
    for (; seconds < MERGE_SECONDS; seconds = clock_seconds() - start)
        for (size_t b = 0; b < m->collector.state.blocks; b++, bytes += sizeof *one)
            accumulator_block_merge(&one[b], &other[b]);
    return (double)bytes / seconds;
}

static enum status run_all(struct measurement *m, struct pace *p, struct error *e)
{
    struct pace_batch batches[CASES];
    double seconds[CASES], inner = 0.0, last = 0.0, start = clock_seconds();
    enum status s = ranks_agree(m->ranks, run_case(m, &m->cases[0], ROUNDS, e), e); /* pages come in */
    for (bool more = true; more && s == STATUS_OK;) {
        for (size_t i = 0; i < m->case_count && s == STATUS_OK; i++)
            s = run_case(m, &m->cases[i], m->rounds, e);
        s = ranks_agree(m->ranks, s, e);
        m->rounds++;
        more = m->rounds < ROUNDS && ranks_max(clock_seconds() - start) < m->options->budget;
    }
    for (size_t i = 0; i < m->case_count && s == STATUS_OK; i++) {
        struct one_case *c = &m->cases[i];
        batches[i] = c->batch;
        seconds[i] = ranks_max(middle(c->inner, m->rounds));
        inner += seconds[i];
        last += ranks_max(middle(c->last, m->rounds));
    }
    if (s != STATUS_OK)
        return s;
    pace_fit(p, batches, seconds, m->case_count);
    p->last = last / inner;
    p->merge = -ranks_max(-time_merging(m));
    return STATUS_OK;
}

enum status pace_measure(struct pace *p, const struct ranks *r, const struct config *c, const struct weights *w,
                         const struct kernels *kernels, const struct intake_item *items, size_t count,
                         const struct pace_options *options, struct error *e)
{
    struct measurement *m;
    memset(p, 0, sizeof *p);
    enum status s = memory_array(&m, 1, sizeof *m, "a measurement", e);
    if (s == STATUS_OK) {
        m->ranks = r;
        m->options = options;
        m->layers = c->layers > 1 ? 2 : 1;
        m->first = c->layers - m->layers;
        struct forward_options how = {.batch_tokens = options->batch_tokens, .window = options->window, .mode = options->mode,
                                      .first_layer = m->first, .layers = m->layers};
        s = choose_cases(m, c, items, count, e);
        if (s == STATUS_OK)
            s = open_buffers(m, c->hidden, e);
        if (s == STATUS_OK)
            s = forward_open(&m->forward, c, w, kernels, &how, e);
        if (s == STATUS_OK)
            s = collector_open(&m->collector, kernels, 0, m->layers, c->intermediate, e);
    }
    s = ranks_agree(r, s, e);
    if (s == STATUS_OK) {
        m->observer = collector_observer(&m->collector);
        m->shown = (struct forward_observer){.context = m, .sums = fold, .stop = look, .stop_context = m};
        s = run_all(m, p, e);
    }
    if (m) {
        forward_close(m->forward);
        collector_close(&m->collector);
        memory_free(m->hidden);
        memory_free(m->prompts);
        memory_free(m->named);
        for (size_t i = 0; i < m->case_count; i++)
            memory_free(m->cases[i].length);
    }
    memory_free(m);
    return s;
}
