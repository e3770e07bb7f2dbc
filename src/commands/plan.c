/* plan.c - from options to predictions, the same steps on every rank; see plan.h.
 *
 * Open the model, look at the prompts, measure (or take what is given), simulate, print. Prompts beyond a few
 * thousand are sampled, so that a plan takes seconds however long the run will take.
 */
#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/caches.h"
#include "../base/clock.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../base/threads.h"
#include "../bench/roof.h"
#include "../cluster/link.h"
#include "../model/batch_size.h"
#include "../model/fingerprint.h"
#include "../report/token_lines.h"
#include "plan_grids.h"
#include "plan_options.h"
#include "plan_sheet.h"
#include "profile_prompts.h"

/* Prompts that are looked at, and made. */
#define SAMPLE 4000
#define MADE 600
/* Taken where nothing is given or measured: 10 Gbit/s Ethernet; copies through shared memory. */
#define BANDWIDTH 1.25e9
#define LATENCY 30e-6
#define LOCAL_BANDWIDTH 4e9
/* MPI's start: a constant, and a share of a rank of a node. */
#define BEGIN_SECONDS 0.3
#define BEGIN_RANK_SECONDS 0.01

struct plan {
    struct plan_options options;
    struct ranks ranks;
    struct model_file *file;
    struct config config;
    struct weights weights;
    struct footprint_weights sizes;
    struct tokenizer *tokenizer;
    struct chat chat;
    struct profile_prompts made;
    const struct kernels *kernels;
    struct intake intake;
    struct intake_item *items;     /* [terms.count]: those looked at, repeated             */
    struct plan_terms terms;
    struct link link;
    double opened, made_seconds, tokenised, hashed; /* seconds: of one prompt each the middle two; of all layers the last */
    size_t threads;
    uint64_t tokens, longest, shortest;
};

static enum status open_model(struct plan *p, struct error *e)
{
    const struct profile_options *o = &p->options.input;
    enum status s = model_file_open(&p->file, o->model, e);
    if (s == STATUS_OK)
        s = config_read(&p->config, p->file, e);
    if (s == STATUS_OK)
        s = weights_find(&p->weights, &p->config, p->file, e);
    if (s == STATUS_OK)
        s = footprint_weights_read(&p->sizes, p->file, p->config.layers, e);
    if (s == STATUS_OK && (o->prompts || o->chat || (profile_prompts_wanted(o) && tokenizer_present(p->file))))
        s = tokenizer_open(&p->tokenizer, p->file, e);
    if (s == STATUS_OK && o->chat)
        s = chat_open(&p->chat, p->file, p->tokenizer, e);
    return s == STATUS_OK ? kernels_select(getenv("PHI3SAT_KERNELS"), &p->kernels, e) : s;
}

/* Made prompts have lengths spread evenly, whatever their number: some hundred show them. */
static enum status make_prompts(struct plan *p, size_t context, struct error *e)
{
    struct profile_options few = p->options.input;
    double start = clock_seconds();
    few.num_prompts = few.num_prompts < MADE ? few.num_prompts : MADE;
    enum status s = profile_prompts_make(&p->made, &few, p->tokenizer, &p->config, context, p->ranks.rank == 0, e);
    p->made_seconds = (clock_seconds() - start) / (double)few.num_prompts;
    return ranks_agree(&p->ranks, s, e);
}

static enum status open_prompts(struct plan *p, struct error *e)
{
    const struct profile_options *o = &p->options.input;
    size_t context = o->context ? (size_t)o->context : p->config.context;
    bool made = profile_prompts_wanted(o);
    enum status s = made ? make_prompts(p, context, e) : STATUS_OK;
    if (s != STATUS_OK)
        return s;
    struct intake_options how = {
        .path = made ? p->made.name : o->prompts ? o->prompts : o->tokens, .token_ids = !p->tokenizer, .in_memory = made,
        .bytes = p->made.bytes, .size = p->made.size,
        .format = made ? RECOGNISE_AS_TEXT : (enum recognise_wish)o->input_format, .chat = o->chat ? &p->chat : NULL,
        .limit = o->limit, .sample = SAMPLE, .shard = made ? 0 : o->shard_index, .shards = made ? 1 : o->shard_count,
        .context = context, .vocabulary = p->config.vocabulary, .overlong = (enum intake_overlong)o->overlong,
        .no_bos = o->no_bos};
    double start = clock_seconds();
    s = intake_open(&p->intake, &p->ranks, &how, p->tokenizer, e);
    profile_prompts_free(&p->made);
    if (s == STATUS_OK)
        p->tokenised = (clock_seconds() - start) * (double)p->ranks.size / (double)p->intake.count;
    return s;
}

/* Each prompt looked at stands for several. */
static enum status repeat_items(struct plan *p, struct error *e)
{
    const struct profile_options *o = &p->options.input;
    const struct intake *in = &p->intake;
    size_t all = in->stride == 1 ? in->count : in->count * in->stride;
    if (profile_prompts_wanted(o))
        all = ((size_t)o->num_prompts + o->shard_count - 1 - o->shard_index) / o->shard_count;
    else if (in->stride > 1 && all > in->source.count / o->shard_count + 1 && o->overlong != 1)
        all = in->source.count / o->shard_count + 1; /* the last stride is a part of one */
    all += all == 0;
    enum status s = memory_array(&p->items, all, sizeof *p->items, "prompts", e);
    p->shortest = UINT64_MAX;
    for (size_t i = 0; i < all && s == STATUS_OK; i++) {
        uint64_t length = in->items[i % in->count].length;
        p->items[i] = in->items[i % in->count];
        p->tokens += length;
        p->longest = length > p->longest ? length : p->longest;
        p->shortest = length < p->shortest ? length : p->shortest;
    }
    p->terms.items = p->items;
    p->terms.count = all;
    return s;
}

/* Ranks, nodes, threads, cores: what is not given follows from what is. */
static void choose_machine(struct plan *p)
{
    const struct plan_options *o = &p->options;
    struct simulate_machine *m = &p->terms.machine;
    struct caches caches = caches_read(NULL);
    const char *variable = getenv("OMP_NUM_THREADS");
    long asked = variable ? strtol(variable, NULL, 10) : 0;
    p->terms.ranks = o->ranks ? (size_t)o->ranks : (size_t)p->ranks.size;
    m->ranks_per_node = o->ranks_per_node ? (size_t)o->ranks_per_node : p->terms.ranks;
    if (m->ranks_per_node > p->terms.ranks)
        m->ranks_per_node = p->terms.ranks;
    double cores = o->cores / (double)m->ranks_per_node;
    p->threads = o->input.threads ? (size_t)o->input.threads : asked > 0 && asked <= 4096 ? (size_t)asked : cores >= 1.0 ? (size_t)cores : 1;
    m->cores = o->cores > 0.0 ? o->cores / (double)p->threads : (double)m->ranks_per_node;
    p->terms.groups = o->groups;
    p->terms.stages = o->stages;
    p->terms.memory = o->memory > 0.0 ? (uint64_t)(o->memory * 0x1p30) : (uint64_t)roof_machine_memory();
    p->terms.load = (struct footprint_load){.threads = p->threads, .longest = (size_t)p->longest, .shortest = (size_t)p->shortest,
                                            .mode = (enum kernels_mode)o->input.precision};
    p->terms.load.batch_tokens = o->input.batch_tokens ? (size_t)o->input.batch_tokens
                                                       : batch_size(&caches, &p->config, p->threads, p->terms.ranks);
}

static enum status measure_pace(struct plan *p, struct error *e)
{
    const struct profile_options *o = &p->options.input;
    size_t layers = p->config.layers, last = layers > 1 ? 2 : 1;
    struct pace_options how = {.batch_tokens = p->terms.load.batch_tokens, .budget = p->options.seconds,
                               .mode = (enum kernels_mode)o->precision,
                               .window = o->window_given ? o->window_size : p->config.window};
    uint64_t hash[2];
    int available = threads_available();
    if (p->options.gflops > 0.0) {
        pace_assume(&p->terms.pace, &p->config, p->options.gflops);
        return STATUS_OK;
    }
    threads_set((int)p->threads < available ? (int)p->threads : available);
    log_phase("measuring");
    enum status s = weights_layers(&p->weights, &p->config, layers - last, last, e);
    double start = clock_seconds();
    if (s == STATUS_OK)
        s = fingerprint_known(p->file, &p->config, &p->weights, layers - 1, hash, e);
    p->hashed = (clock_seconds() - start) * (double)layers;
    s = ranks_agree(&p->ranks, s, e);
    if (s == STATUS_OK)
        s = pace_measure(&p->terms.pace, &p->ranks, &p->config, &p->weights, p->kernels, p->intake.items, p->intake.count, &how, e);
    for (int i = 0; i < PACE_TERMS && (int)p->threads > available; i++) /* more than there are here: as many times faster */
        p->terms.pace.seconds[i] *= (double)available / (double)p->threads;
    return s;
}

static const char *choose_network(struct plan *p)
{
    struct simulate_machine *m = &p->terms.machine;
    const bool far = p->link.measured && p->link.far;
    const bool both = p->options.bandwidth >= 0.0 && p->options.latency >= 0.0;
    m->bandwidth = p->options.bandwidth >= 0.0 ? 1e9 * p->options.bandwidth : far ? p->link.bandwidth : BANDWIDTH;
    m->latency = p->options.latency >= 0.0 ? 1e-6 * p->options.latency : far ? p->link.latency : LATENCY;
    m->local = p->link.measured && !far ? p->link.bandwidth : LOCAL_BANDWIDTH;
    return both ? "given" : far ? "measured between two hosts" : "assumed: 10 Gbit/s; give --bandwidth and --latency";
}

/* Until the first batch: MPI, the model, the prompts (made by one, tokenised by all), the fingerprint. */
static void predict_start(struct plan *p)
{
    const struct simulate_machine *m = &p->terms.machine;
    double ranks = (double)p->terms.ranks, nodes = (double)((p->terms.ranks + m->ranks_per_node - 1) / m->ranks_per_node);
    double able = ranks < nodes * m->cores ? ranks : nodes * m->cores;
    p->terms.start = BEGIN_SECONDS + BEGIN_RANK_SECONDS * (double)m->ranks_per_node + p->opened +
                     p->made_seconds * (double)p->options.input.num_prompts +
                     p->tokenised * (double)p->terms.count / able + p->hashed / able;
}

static enum status prepare(struct plan *p, struct error *e)
{
    double start = clock_seconds();
    enum status s = ranks_agree(&p->ranks, open_model(p, e), e);
    p->opened = clock_seconds() - start;
    if (s == STATUS_OK)
        s = open_prompts(p, e);
    if (s == STATUS_OK)
        s = ranks_agree(&p->ranks, repeat_items(p, e), e);
    if (s != STATUS_OK)
        return s;
    choose_machine(p);
    s = measure_pace(p, e);
    return s == STATUS_OK ? link_measure(&p->link, &p->ranks, e) : s;
}

static enum status run(struct plan *p, struct error *e)
{
    struct plan_grids grids;
    enum status s = prepare(p, e);
    if (s != STATUS_OK || p->ranks.rank != 0)
        return s;
    p->terms.config = &p->config;
    p->terms.weights = &p->sizes;
    const char *network = choose_network(p);
    predict_start(p);
    s = plan_grids_make(&grids, &p->terms, e);
    if (s != STATUS_OK)
        return s;
    const struct profile_options *o = &p->options.input;
    const struct plan_sheet sheet = {.options = &p->options, .terms = &p->terms, .grids = &grids, .tokens = p->tokens,
                                     .longest = p->longest, .sampled = p->intake.count, .threads = p->threads,
                                     .prompts = profile_prompts_wanted(o) ? p->made.name : o->prompts ? o->prompts : o->tokens,
                                     .network = network, .measured = p->options.gflops <= 0.0};
    log_release();
    return p->options.sbatch ? plan_sheet_script(&sheet, e) : plan_sheet_print(&sheet, e);
}

static void close_all(struct plan *p)
{
    intake_close(&p->intake);
    tokenizer_close(p->tokenizer);
    weights_free(&p->weights);
    footprint_weights_free(&p->sizes);
    model_file_close(p->file);
    memory_free(p->items);
}

enum status plan_command(int argc, char **argv, struct error *e)
{
    static struct plan p; /* large, one a process */
    bool help;
    enum status s = plan_options_read(&p.options, argc, argv, &help, e);
    if (s == STATUS_OK && help)
        return ranks_speaks() ? token_lines_help(&plan_options_table, e) : STATUS_OK;
    struct error mpi;
    if (ranks_start(&p.ranks, &argc, &argv, &mpi) != STATUS_OK) {
        *e = mpi;
        return mpi.status;
    }
    if (s != STATUS_OK)
        return s; /* the same on all ranks */
    log_open(p.ranks.rank == 0, LOG_NORMAL, LOG_PROGRESS_AUTO);
    s = ranks_agree(&p.ranks, run(&p, e), e);
    close_all(&p);
    return s;
}
