/* generation.c - see generation.h. */
#include "generation.h"

#include "../base/clock.h"
#include "../base/memory.h"

/* One variant's work. */
struct job {
    const struct generation_variant *variant;
    const int32_t *ids;
    size_t tokens, vocabulary;
    int32_t id;      /* the last one chosen                                        */
    double seconds;  /* in all steps                                              */
    enum status status;
    struct error error;
};

static void feed(struct job *job, const int32_t *ids, size_t count)
{
    struct decode *d = job->variant->decode;
    const enum status s = decode_feed(d, ids, count, NULL, &job->error);
    if (s != STATUS_OK)
        job->status = s;
    else
        job->id = decode_greedy(decode_logits(d), job->vocabulary);
}

static void run_first(void *context)
{
    struct job *job = context;
    decode_separate(job->variant->decode, job->variant->separate);
    decode_rewind(job->variant->decode, 0);
    feed(job, job->ids, job->tokens);
}

/* Always at the same depth. */
static void run_step(void *context)
{
    struct job *job = context;
    const double start = clock_seconds();
    decode_separate(job->variant->decode, job->variant->separate);
    decode_rewind(job->variant->decode, job->tokens);
    feed(job, &job->ids[job->tokens - 1], 1);
    job->seconds += clock_seconds() - start;
}

/* One kind of run of all variants. */
static enum status time_runs(struct timing_subject *subjects, struct job *jobs, size_t count, void (*run)(void *context),
                             const struct timing_plan *plan, struct error *e)
{
    struct timing_subject **all;
    enum status s = memory_array(&all, count, sizeof *all, "a benchmark's variants", e);
    if (s != STATUS_OK)
        return s;
    for (size_t i = 0; i < count; i++) {
        subjects[i].run = run;
        subjects[i].context = &jobs[i];
        all[i] = &subjects[i];
    }
    timing_alternate(plan, all, count);
    memory_free(all);
    for (size_t i = 0; i < count && s == STATUS_OK; i++)
        if (jobs[i].status != STATUS_OK) {
            *e = jobs[i].error;
            s = jobs[i].status;
        }
    return s;
}

/* Where the time of the steps went: what the session counted since `before`, as a share of all. */
static void share_out(struct generation_result *r, const struct decode_times *before, const struct decode_times *after,
                      double seconds)
{
    r->ffn = (after->ffn - before->ffn) / seconds;
    r->attention = (after->attention - before->attention) / seconds;
    r->head = (after->head - before->head) / seconds;
    r->rest = 1 - r->ffn - r->attention - r->head;
}

/* The shares of one variant's steps: by runs of their own, since variants may have one session together. */
static void measure_shares(struct generation_result *r, struct job *job, const struct timing_subject *steps)
{
    const struct decode_times before = decode_times(job->variant->decode);
    job->seconds = 0;
    for (size_t i = 0; i < steps->count * steps->repeat; i++)
        run_step(job);
    const struct decode_times after = decode_times(job->variant->decode);
    share_out(r, &before, &after, job->seconds);
}

enum status generation_time(const struct generation_variant *variants, size_t count, const int32_t *ids, size_t tokens,
                            size_t vocabulary, const struct timing_plan *plan, struct generation_result *results,
                            struct error *e)
{
    struct timing_subject *subjects = NULL;
    struct job *jobs = NULL;
    enum status s = memory_array(&subjects, count, sizeof *subjects, "a benchmark's samples", e);
    if (s == STATUS_OK)
        s = memory_array(&jobs, count, sizeof *jobs, "a benchmark's variants", e);
    for (size_t i = 0; i < count && s == STATUS_OK; i++)
        jobs[i] = (struct job){.variant = &variants[i], .ids = ids, .tokens = tokens, .vocabulary = vocabulary};
    if (s == STATUS_OK)
        s = time_runs(subjects, jobs, count, run_first, plan, e);
    for (size_t i = 0; i < count && s == STATUS_OK; i++)
        results[i].first = timing_spread(subjects[i].seconds, subjects[i].count);
    if (s == STATUS_OK)
        s = time_runs(subjects, jobs, count, run_step, plan, e);
    for (size_t i = 0; i < count && s == STATUS_OK; i++) {
        results[i].step = timing_spread(subjects[i].seconds, subjects[i].count);
        measure_shares(&results[i], &jobs[i], &subjects[i]);
    }
    memory_free(subjects);
    memory_free(jobs);
    return s;
}
