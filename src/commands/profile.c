/* profile.c - the main job from options to outputs, the same steps on every rank.
 *
 * Check everything first (model, tokenizer, outputs, prompts), run, merge, write. After each
 * step that can fail on one rank only, the ranks agree (cluster/ranks.h), so that all leave together
 * with one message. Notes wait until the checks are over.
 */
#include "profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "../archive/archive_reader.h"
#include "../base/clock.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../base/signals.h"
#include "../base/threads.h"
#include "../cluster/alike.h"
#include "../cluster/batches.h"
#include "../cluster/foundation.h"
#include "../cluster/grid.h"
#include "../cluster/merge.h"
#include "../cluster/nodes.h"
#include "../cluster/schedule.h"
#include "../cluster/watch.h"
#include "../model/fingerprint.h"
#include "../report/token_lines.h"
#include "build_id.h"
#include "model_words.h"
#include "profile_alike.h"
#include "profile_checkpoint.h"
#include "profile_layout.h"
#include "profile_options.h"
#include "profile_outputs.h"
#include "profile_prompts.h"
#include "profile_results.h"

/* Below this many tokens the log says that the verdict stands on little. */
#define FEW_TOKENS 1000

/* Everything a run owns; zeroed members are not there yet. */
struct profile {
    struct profile_options options;
    struct ranks ranks;
    int argc;
    char **argv;
    struct model_file *file;
    struct config config;
    struct weights weights;
    struct tokenizer *tokenizer;
    struct chat chat;        /* with --chat */
    struct profile_prompts made;
    const struct kernels *kernels;
    struct intake intake;
    struct forward *forward;
    struct grid grid;
    struct collector collector;
    struct merge *merge;
    struct foundation foundation; /* --append, --resume                              */
    struct prompt_set planned;    /* all prompts of the archive to be                */
    struct archive_facts facts;   /* of that archive                                 */
    struct archive_run run;       /* the seconds and the end come when they are known */
    struct checkpoint checkpoint;
    struct partial partial;
    struct orders orders;
    const char *resumed_from;     /* NULL: nothing                                   */
    char *hosts, *command_line, grid_text[48], layers_text[400];
    uint64_t (*hashes)[2];   /* [layers + 1]: layers, then globals */
    char started[32];
    double start, step;
};

static enum status open_model(struct profile *p, struct error *e)
{
    enum status s = model_file_open(&p->file, p->options.model, e);
    if (s == STATUS_OK)
        s = config_read(&p->config, p->file, e);
    if (s == STATUS_OK)
        s = weights_find(&p->weights, &p->config, p->file, e);
    /* made prompts are text where the model has a tokenizer */
    if (s == STATUS_OK && (p->options.prompts || p->options.chat ||
                           (profile_prompts_wanted(&p->options) && tokenizer_present(p->file))))
        s = tokenizer_open(&p->tokenizer, p->file, e);
    if (s == STATUS_OK && p->options.chat)
        s = chat_open(&p->chat, p->file, p->tokenizer, e);
    if (s == STATUS_OK)
        s = kernels_select(getenv("PHI3SAT_KERNELS"), &p->kernels, e);
    return s;
}

static size_t window_of(const struct profile *p)
{
    return p->options.window_given ? p->options.window_size : p->config.window;
}

static size_t context_of(const struct profile *p)
{
    return p->options.context ? (size_t)p->options.context : p->config.context;
}

static size_t longest_prompt(const struct profile *p)
{
    uint64_t longest = 0;
    for (size_t i = 0; i < p->intake.count; i++)
        longest = p->intake.items[i].length > longest ? p->intake.items[i].length : longest;
    return (size_t)longest;
}

static enum status make_prompts(struct profile *p, struct error *e)
{
    if (!profile_prompts_wanted(&p->options))
        return STATUS_OK;
    enum status s = profile_prompts_make(&p->made, &p->options, p->tokenizer, &p->config, context_of(p),
                                         p->ranks.rank == 0, e);
    return ranks_agree(&p->ranks, s, e);
}

static enum status open_prompts(struct profile *p, struct error *e)
{
    bool made = profile_prompts_wanted(&p->options);
    enum status s = make_prompts(p, e);
    if (s != STATUS_OK)
        return s;
    struct intake_options o = {
        .path = made ? p->made.name : p->options.prompts ? p->options.prompts : p->options.tokens,
        .token_ids = !p->tokenizer, .in_memory = made, .bytes = p->made.bytes, .size = p->made.size,
        .format = made ? RECOGNISE_AS_TEXT : (enum recognise_wish)p->options.input_format, .chat = p->options.chat ? &p->chat : NULL,
        .limit = p->options.limit, .shard = p->options.shard_index, .shards = p->options.shard_count,
        .context = context_of(p), .vocabulary = p->config.vocabulary,
        .overlong = (enum intake_overlong)p->options.overlong, .no_bos = p->options.no_bos};
    s = intake_open(&p->intake, &p->ranks, &o, p->tokenizer, e);
    profile_prompts_free(&p->made);
    if (s != STATUS_OK || longest_prompt(p) > p->options.skip_first)
        return s;
    error_set(e, STATUS_INPUT, "has no prompt longer than --skip-first, so there is nothing to measure");
    error_where(e, "the longest has %zu tokens", longest_prompt(p));
    error_advice(e, "use a smaller --skip-first");
    return error_file(e, o.path);
}

static enum status open_forward(struct profile *p, struct error *e)
{
    struct forward_options o = {.batch_tokens = (size_t)p->options.batch_tokens,
                                .skip_first = (size_t)p->options.skip_first,
                                .activity_threshold = p->options.choice.criteria.activity_threshold, .window = window_of(p),
                                .mode = (enum kernels_mode)p->options.precision,
                                .first_layer = p->grid.layers.first, .layers = p->grid.layers.count,
                                .longest = p->grid.stages > 1 ? (size_t)schedule_longest(p->intake.items, p->intake.count) : 0};
    enum status s = weights_layers(&p->weights, &p->config, o.first_layer, o.layers, e);
    if (s == STATUS_OK)
        s = forward_open(&p->forward, &p->config, &p->weights, p->kernels, &o, e);
    if (s == STATUS_OK)
        s = collector_open(&p->collector, p->kernels, o.first_layer, o.layers, p->config.intermediate, e);
    return s;
}

/* Collective. The next step, unless a rank has failed (`s`, all ranks') or a signal has come to one meanwhile. */
static enum status go_on(const struct profile *p, enum status s, struct error *e)
{
    if (profile_checkpoint_is_stop(s)) /* it broke off because of one; which it was for all, is still to be agreed */
        error_clear(e);
    else if (s != STATUS_OK)
        return s;
    return profile_checkpoint_early(&p->options);
}

/* A signal ends it early: `go_on` sees to that. The groups take turns with a stage's layers, so that nobody touches another's. */
static enum status fingerprint(struct profile *p, struct error *e)
{
    const struct grid *g = &p->grid;
    size_t layers = p->config.layers;
    enum status s = alike_weights(&p->ranks, g, &p->config, &p->weights, p->options.model, e);
    if (s != STATUS_OK)
        return s;
    s = memory_array(&p->hashes, layers + 1, sizeof *p->hashes, "model fingerprints", e);
    for (size_t i = g->group; i < g->layers.count && s == STATUS_OK && !signals_seen(); i += g->groups) {
        size_t l = g->layers.first + i;
        log_phase("reading the model: layer %zu of %zu", l, layers);
        s = fingerprint_known(p->file, &p->config, &p->weights, l, p->hashes[l], e);
    }
    if (s == STATUS_OK && g->stage == 0 && g->group == g->layers.count % g->groups)
        s = fingerprint_known(p->file, &p->config, &p->weights, layers, p->hashes[layers], e);
    s = ranks_agree(&p->ranks, s, e);
    if (s == STATUS_OK)
        ranks_sum(&p->hashes[0][0], 2 * (layers + 1));
    return s;
}

static void tell_counts(const struct profile *p)
{
    const struct intake_counts *c = &p->intake.counts;
    const struct {
        uint64_t count;
        const char *what;
    } oddities[] = {{c->cut, "prompts longer than the context were cut"},
                    {c->skipped, "prompts longer than the context were skipped"},
                    {c->empty, "prompts were empty after tokenising and skipped"},
                    {c->malformed, "prompts hold malformed UTF-8"},
                    {c->unknown, "bytes have no token in the vocabulary"},
                    {c->double_bos, "prompts begin with the BOS token: one is kept"},
                    {c->repeated, "prompts are repeated; each counts"}};
    for (size_t i = 0; i < sizeof oddities / sizeof *oddities; i++)
        if (oddities[i].count)
            log_warning("%llu %s", (unsigned long long)oddities[i].count, oddities[i].what);
    prompts_tell(&p->intake.source, p->options.chat);
    uint64_t tokens = p->intake.counts.tokens + prompt_set_tokens(&p->foundation.prompts);
    if (tokens < FEW_TOKENS)
        log_warning("%llu tokens are few: variances are small by chance; profile hundreds of prompts before a verdict",
                    (unsigned long long)tokens);
}

/* --verbose: what a step took, on rank 0. */
static void tell_step(struct profile *p, const char *what)
{
    struct rusage usage;
    double now = clock_seconds();
    getrusage(RUSAGE_SELF, &usage);
    log_detail("%s: %.2f s; rank 0 holds at most %.0f MB so far, the mapped model included", what, now - p->step,
               1e-3 * 1.024 * (double)usage.ru_maxrss);
    p->step = now;
}

/* How many matrices the precision asked for really has a form for. */
static void tell_precision(const struct profile *p)
{
    const enum kernels_mode mode = (enum kernels_mode)p->options.precision;
    size_t all = 0, other = 0;
    for (size_t l = 0; l < p->config.layers; l++) {
        const struct weights_layer *w = &p->weights.layer[l];
        const struct weight *const matrix[] = {&w->q, &w->k, &w->v, &w->output, &w->gate, &w->up, &w->down};
        for (size_t i = 0; i < sizeof matrix / sizeof *matrix; i++, all++)
            other += p->kernels->way(mode, matrix[i]->tensor->format->id)->mode != mode;
    }
    if (other)
        log_line("precision: %zu of %zu weight matrices have no form for %s and run in a more exact one (docs/methods.md)",
                 other, all, p->facts.precision);
}

/* Collective: what all nodes run is among it. */
static enum status tell_start(const struct profile *p, struct error *e)
{
    const struct config *c = &p->config;
    size_t longest = longest_prompt(p);
    log_line("model: %s, %s, %zu layers, hidden %zu, intermediate %zu (%s)", p->options.model, c->architecture,
             c->layers, c->hidden, c->intermediate, p->weights.types);
    log_line("prompts: %zu with %llu tokens, the longest %zu%s%s", p->intake.count,
             (unsigned long long)p->intake.counts.tokens, longest, *p->made.name ? "; " : "", p->made.name);
    log_line("run: %d rank%s x %d thread%s, kernels %s, precision %s, batches of %llu tokens", p->ranks.size,
             p->ranks.size == 1 ? "" : "s", threads_count(), threads_count() == 1 ? "" : "s", p->kernels->name,
             p->facts.precision, (unsigned long long)p->options.batch_tokens);
    enum status s = nodes_tell(&p->ranks, (size_t)threads_count(), !p->options.threads, e);
    if (s != STATUS_OK)
        return s;
    profile_layout_tell(&p->grid, &p->ranks);
    tell_precision(p);
    if (p->tokenizer && tokenizer_note(p->tokenizer))
        log_warning("%s", tokenizer_note(p->tokenizer));
    if (p->options.chat)
        log_line("chat format: %s", p->chat.name);
    if (context_of(p) > c->context && longest > c->context)
        log_warning("prompts go beyond the model's context of %zu tokens", c->context);
    if (window_of(p) && longest > window_of(p))
        log_line("attention looks back %zu tokens (%s); other engines may not", window_of(p),
                 p->options.window_given ? "--window" : "the file's sliding window");
    tell_counts(p);
    log_release();
    return STATUS_OK;
}

static void fill_model_facts(struct profile *p)
{
    struct archive_facts *f = &p->facts;
    const struct config *c = &p->config;
    memcpy(f->globals_fingerprint, p->hashes[c->layers], sizeof f->globals_fingerprint);
    f->layer_fingerprint = p->hashes;
    fingerprint_model(f->globals_fingerprint, (const uint64_t (*)[2])p->hashes, c->layers, f->model_fingerprint);
    snprintf(f->architecture, sizeof f->architecture, "%s", c->architecture);
    f->layers = c->layers;
    f->hidden_size = c->hidden;
    f->intermediate_size = c->intermediate;
    f->heads = c->heads;
    f->kv_heads = c->kv_heads;
    f->head_dimension = c->head_dim;
    f->rotary_dimension = c->rotary;
    f->vocabulary = c->vocabulary;
    f->context = c->context;
    f->rms_epsilon = c->epsilon;
    f->rope_base = c->rope_base;
    f->context_used = context_of(p);
    f->window = window_of(p);
    model_words_rotary(c, p->weights.factors_long != NULL, p->weights.longrope, f->rotary, sizeof f->rotary);
    snprintf(f->precision, sizeof f->precision, "%s", profile_options_precisions[p->options.precision]);
    f->skip_first = p->options.skip_first;
    f->criteria = p->options.choice.criteria;
}

/* Collective. What an archive holds already is not run again. */
static enum status append(struct profile *p, struct error *e)
{
    size_t given = p->intake.count;
    const struct foundation_ways ways = {&p->ranks, p->merge};
    enum status s = foundation_append(&p->foundation, &ways, p->options.append, &p->facts, &p->intake, e);
    if (s == STATUS_OK)
        log_line("append: %s holds %llu prompts, %zu of the %zu given among them", p->options.append,
                 (unsigned long long)prompt_set_prompts(&p->foundation.prompts), given - p->intake.count, given);
    return s;
}

/* Collective. An archive that lacks nothing has no use for the checkpoint that led to it. */
static enum status resume(struct profile *p, struct error *e)
{
    enum status s = profile_checkpoint_find(&p->options, &p->ranks, &p->resumed_from, e);
    if (s != STATUS_OK)
        return s;
    if (!p->resumed_from || !p->intake.count)
        return ranks_agree(&p->ranks, memory_array(&p->checkpoint.layers, p->intake.count, sizeof *p->checkpoint.layers,
                                                   "prompts", e), e);
    const struct foundation_ways ways = {&p->ranks, p->merge};
    s = foundation_resume(&p->foundation, &ways, p->resumed_from, &p->facts, &p->intake, &p->collector.first,
                          &p->checkpoint.layers, e);
    if (s == STATUS_OK)
        log_line("resume: %s holds %llu of %llu prompts", p->resumed_from,
                 (unsigned long long)prompt_set_prompts(&p->foundation.prompts), (unsigned long long)p->facts.prompts);
    return s;
}

/* Collective. What this run adds to; the facts are then those of the archive in the end. */
static enum status stand_on(struct profile *p, struct error *e)
{
    fill_model_facts(p);
    enum status s = p->options.append ? append(p, e) : STATUS_OK;
    if (s == STATUS_OK)
        s = ranks_agree(&p->ranks, foundation_facts(&p->foundation, &p->intake, &p->planned, &p->facts, e), e);
    s = s == STATUS_OK ? resume(p, e) : s;
    archive_reader_dismiss(); /* nothing more to read in a run of hours */
    return s;
}

static enum status prepare(struct profile *p, struct error *e)
{
    enum status s = go_on(p, ranks_agree(&p->ranks, open_model(p, e), e), e);
    if (s == STATUS_OK)
        s = grid_suits(p->options.grid_wish, (size_t)p->ranks.size, p->config.layers, e);
    if (s == STATUS_OK)
        s = ranks_agree(&p->ranks, p->ranks.rank == 0 ? profile_outputs_check(&p->options, p->file, e) : STATUS_OK, e);
    if (s == STATUS_OK)
        s = profile_alike_check(&p->options, &p->ranks, p->file, e);
    tell_step(p, "opened the model");
    if (s == STATUS_OK)
        s = go_on(p, open_prompts(p, e), e);
    if (s != STATUS_OK)
        return s;
    tell_step(p, "read and tokenised the prompts");
    s = profile_layout_choose(&p->grid, &p->options, &p->ranks, &p->config, p->file, &p->intake, e);
    if (s == STATUS_OK)
        s = ranks_agree(&p->ranks, open_forward(p, e), e);
    if (s == STATUS_OK)
        s = merge_open(&p->merge, &p->ranks, &p->grid, &p->collector.state, e);
    if (s == STATUS_OK)
        s = go_on(p, fingerprint(p, e), e);
    return s == STATUS_OK ? go_on(p, stand_on(p, e), e) : s;
}

/* Collective: how many ranks have nothing to run. */
static void tell_idle(const struct profile *p, bool idle)
{
    uint64_t ranks = idle;
    ranks_sum(&ranks, 1);
    if (ranks && p->intake.count)
        log_line("%llu of %d ranks have no prompts and wait for the others", (unsigned long long)ranks, p->ranks.size);
}

/* Collective. */
static enum status run_share(struct profile *p, struct error *e)
{
    const struct config *c = &p->config;
    size_t batch_tokens = (size_t)p->options.batch_tokens;
    const struct grid *g = &p->grid;
    struct schedule_terms terms = schedule_terms(c, g->groups, g->stages, batch_tokens);
    size_t *mine, count;
    enum status s = schedule_share(p->intake.items, p->intake.count, &terms, g->group, &mine, &count, e);
    struct batches b = {&p->intake, mine, count, batch_tokens, c->layers, c->hidden, (size_t)p->options.skip_first,
                        &p->ranks, g, &p->orders, &p->checkpoint, &p->partial};
    double start = clock_seconds();
    if (s == STATUS_OK && p->partial.path)
        s = partial_first(&p->checkpoint, mine, count, e);
    tell_idle(p, s == STATUS_OK && !count);
    s = batches_run(&b, p->forward, &p->collector, s, e);
    s = ranks_agree(&p->ranks, s, e);
    memory_free(mine);
    if (s == STATUS_OK && !p->orders.signal)
        batches_finish(&b, clock_seconds() - start);
    return s;
}

static enum status join_command_line(const struct profile *p, char **line, struct error *e)
{
    size_t size = 8;
    for (int i = 0; i < p->argc; i++)
        size += strlen(p->argv[i]) + 1;
    enum status s = memory_array(line, size, 1, "the command line", e);
    if (s != STATUS_OK)
        return s;
    size_t used = (size_t)snprintf(*line, size, "phi3sat");
    for (int i = 1; i < p->argc; i++)
        used += (size_t)snprintf(*line + used, size - used, " %s", p->argv[i]);
    return s;
}

/* Collective. How it is run, for checkpoints and the archive. */
static enum status describe_run(struct profile *p, struct error *e)
{
    enum status s = ranks_agree(&p->ranks, ranks_hosts(&p->ranks, &p->hosts, e), e);
    if (s == STATUS_OK)
        s = ranks_agree(&p->ranks, join_command_line(p, &p->command_line, e), e);
    snprintf(p->grid_text, sizeof p->grid_text, "%zux%zu", p->grid.groups, p->grid.stages);
    grid_layers_text(&p->grid, p->layers_text, sizeof p->layers_text);
    const struct prompts_counts *found = &p->intake.source.counts;
    p->run = (struct archive_run){
        .program_version = PACKAGE_VERSION, .build = BUILD_ID, .started = p->started,
        .command_line = p->command_line, .model_file = p->options.model, .model_kind = model_file_kind(p->file),
        .weight_types = p->weights.types, .prompts_source = p->intake.options.path, .hosts = p->hosts,
        .grid = p->grid_text, .stage_layers = p->layers_text, .resumed_from = p->resumed_from,
        .kernels = p->kernels->name, .ranks = (uint64_t)p->ranks.size, .threads = (uint64_t)threads_count(),
        .batch_tokens = p->options.batch_tokens,
        .blank_lines = p->intake.counts.blank, .empty_prompts = p->intake.counts.empty,
        .overlong_skipped = p->intake.counts.skipped, .malformed_prompts = p->intake.counts.malformed,
        .prompts_form = p->intake.source.form, .chat_format = p->options.chat ? p->chat.name : NULL,
        .broken_records = found->broken, .unusable_records = found->missing, .nul_prompts = found->nul,
        .unknown_bytes = p->intake.counts.unknown, .double_bos_prompts = p->intake.counts.double_bos,
        .carriage_returns = found->returns, .byte_order_marks = found->boms, .garbage_bytes = found->garbage,
        .ignored_entries = found->ignored, .latin1_sources = found->latin1};
    return s;
}

/* From now on signals make checkpoints, where any are wanted, and time makes partial archives. */
static void open_checkpoint(struct profile *p)
{
    struct checkpoint *c = &p->checkpoint;
    c->ranks = &p->ranks;
    c->path = p->options.checkpoints ? p->options.checkpoint_path : NULL;
    c->facts = &p->facts;
    c->run = &p->run;
    c->foundation = &p->foundation;
    c->intake = &p->intake;
    c->collector = &p->collector;
    c->merge = p->merge;
    c->written = p->resumed_from && strcmp(p->resumed_from, p->options.checkpoint_path) == 0;
    orders_open(&p->orders, &p->ranks, c->path ? 60.0 * p->options.checkpoint_every : 0.0);
    const bool partial = p->options.partial_every > 0.0;
    p->partial = (struct partial){partial ? p->options.partial_path : NULL, c, p->start};
    p->orders.partial_every = 60.0 * p->options.partial_every;
}

/* Collective: the sum of all ranks, layer by layer, into rank 0's outputs. When it can't write it goes on merging, since the
 * others do. */
static enum status write_layers(struct profile *p, struct profile_results_writer *w, enum status s, struct error *e)
{
    struct accumulator sum = {.block = NULL};
    const bool writes = p->ranks.rank == 0;
    if (s == STATUS_OK && writes)
        s = accumulator_init(&sum, 1, p->config.intermediate, e);
    s = ranks_agree(&p->ranks, s, e);
    if (s != STATUS_OK)
        return s;
    for (size_t layer = 0; layer < p->config.layers; layer++) {
        merge_layer(p->merge, layer, writes ? &sum : NULL);
        if (writes && s == STATUS_OK)
            s = profile_results_layer(w, layer, &sum, 0, e);
    }
    accumulator_free(&sum);
    return s;
}

/* Collective. Rank 0 writes; `seconds` is the longest of all. */
static enum status write_results(struct profile *p, double seconds, uint64_t *nonfinite, struct error *e)
{
    char finished[32];
    struct profile_results_writer *w = NULL;
    const bool writes = p->ranks.rank == 0;
    struct profile_results results = {p->config.layers, p->config.intermediate, &p->facts.criteria,
                                      p->options.csv_path, p->options.hdf5_path, p->options.html, p->options.plot};
    enum status s = writes ? profile_results_open(&w, &results, e) : STATUS_OK;
    s = write_layers(p, w, s, e);
    clock_utc(finished, sizeof finished);
    p->run.finished = finished;
    p->run.seconds = seconds;
    p->run.tokens_per_second = seconds > 0 ? (double)p->intake.counts.tokens / seconds : 0;
    if (writes)
        watch_hold();
    if (writes && s == STATUS_OK)
        s = profile_results_finish(w, &p->facts, &p->run, &p->planned, nonfinite, e);
    else
        profile_results_abandon(w);
    if (writes && s == STATUS_OK)
        watch_finished(*nonfinite ? STATUS_NONFINITE : STATUS_OK);
    if (writes)
        watch_go_on();
    if (writes && s == STATUS_OK) {
        checkpoint_remove(&p->checkpoint);
        partial_remove(&p->partial);
    }
    return ranks_agree(&p->ranks, s, e);
}

/* Each rank learns the first place of all. */
static enum status share_nonfinite(struct profile *p, struct error *e)
{
    struct collector_nonfinite *all, *first = &p->collector.first;
    size_t total;
    enum status s = ranks_gather(&p->ranks, first, 1, sizeof *first, &all, &total, e);
    for (size_t i = 0; i < total && s == STATUS_OK; i++)
        if (collector_earlier(&all[i], first))
            *first = all[i];
    memory_free(all);
    return s;
}

static enum status tell_nonfinite(const struct profile *p, uint64_t count)
{
    static const char *const series[] = {"gate", "up", "ffn"};
    struct collector_nonfinite first = p->collector.first;
    ranks_broadcast(&count, sizeof count);
    if (!count)
        return STATUS_OK;
    if (!first.seen) {
        log_warning("%s: %llu activations were NaN, infinite or beyond 2^24 in the run before, which is appended to",
                    p->options.append, (unsigned long long)count);
        return STATUS_NONFINITE;
    }
    log_warning("%s: %llu activations were NaN, infinite or beyond 2^24; the first: layer %llu, neuron %llu (%s), "
                "prompt %llu (line %zu), token %llu", p->options.model, (unsigned long long)count,
                (unsigned long long)first.layer, (unsigned long long)first.neuron, series[first.series],
                (unsigned long long)first.prompt, intake_line(&p->intake, first.prompt), (unsigned long long)first.position);
    return STATUS_NONFINITE;
}

/* Collective: what ranks hold when all have run. */
static enum status tell_memory(struct profile *p, struct error *e)
{
    struct profile_layout_memory most;
    enum status s = profile_layout_memory(&most, &p->ranks, e);
    p->run.own_memory = most.own;
    p->run.mapped_memory = most.mapped;
    log_detail("memory: of its own at most %.0f MB (rank %d), of mapped files, the model's above all, %.0f MB (rank %d)",
               1e-6 * (double)most.own, most.own_rank, 1e-6 * (double)most.mapped, most.mapped_rank);
    return s;
}

static enum status open_watch(const struct profile *p, struct error *e)
{
    return watch_open(&p->ranks, p->options.watch_seconds, p->options.checkpoints
                          ? "start again with --resume auto, without that host"
                          : "start again without that host; with --checkpoint-every what is done is kept", e);
}

static enum status run(struct profile *p, struct error *e)
{
    uint64_t nonfinite = 0;
    enum status s = alike_build(&p->ranks, BUILD_ID, e);
    if (s == STATUS_OK)
        s = open_watch(p, e);
    if (s == STATUS_OK)
        s = prepare(p, e);
    if (profile_checkpoint_is_stop(s))
        return profile_checkpoint_stopped_early(&p->ranks, s);
    if (s == STATUS_OK)
        s = describe_run(p, e);
    if (s != STATUS_OK)
        return s;
    tell_step(p, "took the model's fingerprint");
    s = tell_start(p, e);
    if (s != STATUS_OK)
        return s;
    open_checkpoint(p);
    s = run_share(p, e);
    if (s == STATUS_OK && p->orders.signal)
        return profile_checkpoint_stopped(&p->options, &p->ranks, p->orders.signal);
    if (s != STATUS_OK)
        return s;
    tell_step(p, "ran the prompts");
    profile_alike_changed(p->file);
    double seconds = ranks_max(clock_seconds() - p->start);
    s = share_nonfinite(p, e);
    if (s == STATUS_OK)
        s = tell_memory(p, e);
    if (s == STATUS_OK) /* the last that can fail: once the outputs are there, the run has succeeded */
        s = write_results(p, seconds, &nonfinite, e);
    if (s != STATUS_OK)
        return s;
    tell_step(p, "merged the sums and wrote the outputs");
    s = tell_nonfinite(p, nonfinite);
    log_line("written: %s", p->options.csv_path);
    log_line("written: %s", p->options.hdf5_path);
    if (p->options.html)
        log_line("written: %s", p->options.html);
    return s;
}

static void close_all(struct profile *p)
{
    merge_close(p->merge);
    collector_close(&p->collector);
    grid_free(&p->grid);
    foundation_free(&p->foundation);
    prompt_set_free(&p->planned);
    memory_free(p->checkpoint.layers);
    memory_free(p->hosts);
    memory_free(p->command_line);
    forward_close(p->forward);
    intake_close(&p->intake);
    tokenizer_close(p->tokenizer);
    weights_free(&p->weights);
    model_file_close(p->file);
    memory_free(p->hashes);
}

enum status profile_command(int argc, char **argv, struct error *e)
{
    static struct profile p; /* large, one a process */
    bool help;
    signals_refuse_closed_pipes();
    signals_watch(); /* before MPI starts, which may take long; without checkpoints they do what they always do */
    enum status s = profile_options_read(&p.options, argc, argv, &help, e);
    if (s != STATUS_OK || help || !p.options.checkpoints)
        signals_release();
    if (s == STATUS_OK && help)
        return ranks_speaks() ? token_lines_help(profile_options_table(), e) : STATUS_OK;
    if (s == STATUS_OK && (p.options.append || p.options.checkpoints))
        archive_reader_prepare();
    struct error mpi;
    if (ranks_start(&p.ranks, &argc, &argv, &mpi) != STATUS_OK) {
        *e = mpi;
        return mpi.status;
    }
    if (s != STATUS_OK)
        return s; /* the same on all ranks */
    p.argc = argc;
    p.argv = argv;
    p.start = p.step = clock_seconds();
    clock_utc(p.started, sizeof p.started);
    log_open(p.ranks.rank == 0, p.options.quiet ? LOG_QUIET : p.options.verbose ? LOG_VERBOSE : LOG_NORMAL,
             (enum log_progress)p.options.progress);
    s = run(&p, e);
    close_all(&p);
    return s;
}
