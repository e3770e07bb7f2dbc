/* plan_sheet.c - see plan_sheet.h. */
#include "plan_sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/clock.h"
#include "../report/fact_sheet.h"
#include "../report/job_script.h"

#define SHOWN 5

struct shown {
    const struct plan_grids *grids;
    char name[48];
};

static void grid_cells(const void *context, size_t i, struct fact_sheet_cell *cells)
{
    struct shown *shown = (struct shown *)(uintptr_t)context; /* the name lasts until the next row */
    const struct plan_grid *g = &shown->grids->grid[i];
    snprintf(shown->name, sizeof shown->name, "%zux%zu", g->groups, g->stages);
    const char *fits = g->fits ? "yes" : "no";
    const double network = g->result.hidden_bytes + g->result.merge_bytes;
    const struct fact_sheet_cell all[] = {
        {.text = shown->name, .length = strlen(shown->name)}, {.real = g->seconds}, {.real = g->result.efficiency},
        {.count = g->node}, {.text = fits, .length = strlen(fits)}, {.count = g->rank.weights}, {.count = g->rank.state},
        {.count = g->rank.working}, {.count = (uint64_t)network}, {.count = (uint64_t)g->result.busiest_bytes},
        {.real = g->result.prompts}, {.real = g->result.merge}, {.real = g->write},
        {.count = (uint64_t)g->result.hidden_bytes}, {.count = (uint64_t)g->result.merge_bytes},
        {.count = g->result.batches}};
    memcpy(cells, all, sizeof all);
}

static void show_grids(struct fact_sheet *sheet, const struct plan_sheet *p)
{
    static const struct fact_sheet_column columns[] = {
        {"grid", "grid", FACT_SHEET_TEXT},           {"seconds", "time", FACT_SHEET_SPAN},
        {"efficiency", "efficiency", FACT_SHEET_PART}, {"node_memory", "a node", FACT_SHEET_BYTES},
        {"fits", "fits", FACT_SHEET_TEXT},           {"weights", "weights", FACT_SHEET_BYTES},
        {"state", "state", FACT_SHEET_BYTES},        {"working", "work", FACT_SHEET_BYTES},
        {"network", "network", FACT_SHEET_BYTES},    {"network_busiest_node", NULL, FACT_SHEET_BYTES},
        {"prompts_seconds", NULL, FACT_SHEET_SPAN},  {"merge_seconds", NULL, FACT_SHEET_SPAN},
        {"write_seconds", NULL, FACT_SHEET_SPAN},    {"hidden_bytes", NULL, FACT_SHEET_COUNT},
        {"merge_bytes", NULL, FACT_SHEET_COUNT},     {"batches", NULL, FACT_SHEET_COUNT}};
    _Static_assert(sizeof columns / sizeof *columns <= FACT_SHEET_COLUMNS, "a sheet has room for all columns");
    struct shown shown = {.grids = p->grids};
    const size_t rows = p->grids->count < SHOWN ? p->grids->count : SHOWN;
    const struct fact_sheet_table table = {"grids", columns, sizeof columns / sizeof *columns, rows, grid_cells, &shown};
    fact_sheet_section(sheet, "plan", "Grids, groups x stages, the best first");
    fact_sheet_table(sheet, &table);
    const struct plan_grid *best = &p->grids->grid[0];
    fact_sheet_note(sheet, "time: from start to end; of the first grid, %s before the first batch, %s for the prompts, %.1f s to "
                           "merge, %.1f s to write. efficiency: of prompts and merge, against one rank alone. a node: memory "
                           "of the fullest node. weights, state, work: of the fullest rank; weights are shared by a "
                           "node's ranks of one stage. network: what all nodes send together.",
                    clock_span(p->terms->start).text, clock_span(best->result.prompts).text, best->result.merge, best->write);
    if (!best->fits)
        fact_sheet_note(sheet, "None of them fits the memory of a node: use fewer ranks a node, or a smaller --context.");
    fact_sheet_section_end(sheet);
}

static void show_run(struct fact_sheet *sheet, const struct plan_sheet *p)
{
    const struct plan_terms *t = p->terms;
    fact_sheet_section(sheet, "run", "The run");
    fact_sheet_words(sheet, "prompts_from", p->prompts);
    fact_sheet_count(sheet, "prompts", t->count);
    if (p->sampled < t->count || sheet->json)
        fact_sheet_count(sheet, "prompts_looked_at", p->sampled);
    fact_sheet_count(sheet, "tokens", p->tokens);
    fact_sheet_count(sheet, "longest", p->longest);
    fact_sheet_count(sheet, "ranks", t->ranks);
    fact_sheet_count(sheet, "nodes", (t->ranks + t->machine.ranks_per_node - 1) / t->machine.ranks_per_node);
    fact_sheet_count(sheet, "ranks_per_node", t->machine.ranks_per_node);
    fact_sheet_count(sheet, "threads", p->threads);
    fact_sheet_real(sheet, "cores_per_node", t->machine.cores * (double)p->threads);
    fact_sheet_bytes(sheet, "memory_per_node", t->memory);
    fact_sheet_words(sheet, "precision", profile_options_precisions[p->options->input.precision]);
    fact_sheet_count(sheet, "batch_tokens", t->load.batch_tokens);
    fact_sheet_section_end(sheet);
}

static void show_pace(struct fact_sheet *sheet, const struct plan_sheet *p)
{
    const struct pace *pace = &p->terms->pace;
    const struct config *c = p->terms->config;
    struct schedule_terms one = schedule_terms(c, 1, 1, 1);
    struct pace_batch batch = {.terms = {1, (double)p->terms->load.batch_tokens, 0, 1}};
    double work = 2e-9 * one.cost.token * (double)p->terms->load.batch_tokens;
    fact_sheet_section(sheet, "pace", p->measured ? "Pace of a rank, measured here" : "Pace of a rank, as given");
    fact_sheet_flag(sheet, "measured", p->measured);
    fact_sheet_real(sheet, "gflops", work / pace_seconds(pace, &batch));
    fact_sheet_real(sheet, "seconds_a_chunk", pace->seconds[PACE_CHUNK]);
    fact_sheet_real(sheet, "seconds_a_token", pace->seconds[PACE_TOKEN]);
    fact_sheet_real(sheet, "seconds_a_pair", pace->seconds[PACE_PAIR]);
    fact_sheet_real(sheet, "seconds_a_prompt", pace->seconds[PACE_PROMPT]);
    fact_sheet_share(sheet, "last_layer", pace->last);
    fact_sheet_share(sheet, "worst_fit", pace->error);
    fact_sheet_words(sheet, "network_from", p->network);
    fact_sheet_real(sheet, "bandwidth", p->terms->machine.bandwidth);
    fact_sheet_real(sheet, "latency", p->terms->machine.latency);
    fact_sheet_real(sheet, "bandwidth_in_a_node", p->terms->machine.local);
    fact_sheet_note(sheet, "seconds: of one layer. bandwidth: bytes a second; latency: seconds.");
    fact_sheet_section_end(sheet);
}

enum status plan_sheet_print(const struct plan_sheet *p, struct error *e)
{
    struct fact_sheet sheet;
    fact_sheet_open(&sheet, NULL, p->options->json, false);
    fact_sheet_thing(&sheet, p->options->input.model);
    show_run(&sheet, p);
    show_pace(&sheet, p);
    show_grids(&sheet, p);
    fact_sheet_thing_end(&sheet);
    return fact_sheet_finish(&sheet, e);
}

/* Options of profile that the plan was made for, as words of its command line. */
struct words {
    const char *word[40];
    size_t count;
    char number[6][24];
    size_t numbers;
};

static void add(struct words *w, const char *option, const char *value)
{
    if (!value)
        return;
    w->word[w->count++] = option;
    w->word[w->count++] = value;
}

static void add_number(struct words *w, const char *option, uint64_t value)
{
    char *text = w->number[w->numbers];
    if (!value)
        return;
    snprintf(text, sizeof w->number[0], "%llu", (unsigned long long)value);
    w->numbers++;
    add(w, option, text);
}

static void collect_words(struct words *w, const struct plan_sheet *p, const char *grid)
{
    static const char *const overlong[] = {NULL, "split", "skip", "error"};
    const struct profile_options *o = &p->options->input;
    const bool given = o->prompts || o->tokens;
    add(w, "--model", o->model);
    add(w, "--prompts", o->prompts);
    add(w, "--tokens", o->tokens);
    if (!given || o->limit != PROMPTS_ALL)
        add_number(w, "--num-prompts", o->num_prompts);
    if (!given)
        add_number(w, "--seed", o->seed);
    add(w, "--input-format", o->input_format ? recognise_wishes[o->input_format] : NULL);
    add(w, "--shard", o->shard);
    add_number(w, "--context", o->context);
    add(w, "--overlong", overlong[o->overlong]);
    add(w, "--window", o->window);
    add(w, "--precision", o->precision ? profile_options_precisions[o->precision] : NULL);
    add_number(w, "--batch-tokens", o->batch_tokens);
    add(w, "--grid", grid);
    if (o->chat)
        w->word[w->count++] = "--chat";
    if (o->no_bos)
        w->word[w->count++] = "--no-bos";
}

enum status plan_sheet_script(const struct plan_sheet *p, struct error *e)
{
    const struct plan_grid *best = &p->grids->grid[0];
    const struct plan_terms *t = p->terms;
    struct words words = {.count = 0};
    char grid[48];
    if (!best->fits) {
        error_set(e, STATUS_INPUT, "no grid of %zu ranks fits the memory of a node", t->ranks);
        error_where(e, "the best takes %.1f GiB, a node has %.1f", (double)best->node / 0x1p30, (double)t->memory / 0x1p30);
        error_advice(e, "use fewer --ranks-per-node, a smaller --context, or say what --memory a node has");
        return error_file(e, p->options->input.model);
    }
    snprintf(grid, sizeof grid, "%zux%zu", best->groups, best->stages);
    collect_words(&words, p, grid);
    const struct job_script script = {.ranks = t->ranks, .ranks_per_node = t->machine.ranks_per_node, .threads = p->threads,
                                      .seconds = best->seconds, .node_bytes = best->node,
                                      .efficiency = best->result.efficiency, .grid = grid, .word = words.word,
                                      .words = words.count};
    return job_script_print(&script, e);
}
