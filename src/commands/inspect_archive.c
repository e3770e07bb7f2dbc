/* inspect_archive.c - see inspect_archive.h.
 *
 * Facts follow the tables of archive_facts.h: a new fact shows up here by itself. All is read before
 * anything is written, so that a damaged archive leaves no half of an answer.
 */
#include "inspect_archive.h"

#include <stdlib.h>
#include <string.h>

#include "../archive/archive_reader.h"
#include "../base/memory.h"
#include "phi3sat.h"

/* What is shown, once it has been read. */
struct view {
    const struct archive_reader *reader;
    const struct archive_facts *facts;
    const struct archive_reader_pair *run; /* [run_count] */
    size_t run_count;
    struct summary summary;
    struct archive_reader_dataset *sets;   /* [set_count] */
    size_t set_count;
};

static enum status read_summary(struct archive_reader *r, struct view *v, struct error *e)
{
    size_t layers = (size_t)v->facts->layers;
    struct summary_row *rows;
    enum status s = memory_array(&rows, layers, sizeof *rows, "the summary", e);
    for (size_t l = 0; l < layers && s == STATUS_OK; l++)
        s = archive_reader_summary(r, l, &rows[l], e);
    if (s == STATUS_OK)
        summary_of_model(&v->summary, rows, layers);
    memory_free(rows);
    return s;
}

static enum status read_sets(struct archive_reader *r, struct view *v, struct error *e)
{
    v->set_count = archive_reader_dataset_count();
    enum status s = memory_array(&v->sets, v->set_count, sizeof *v->sets, "the list of data sets", e);
    for (size_t i = 0; i < v->set_count && s == STATUS_OK; i++)
        s = archive_reader_dataset_at(r, i, &v->sets[i], e);
    return s;
}

/* ---- what was measured ---- */

static void show_fact(struct fact_sheet *sheet, const struct archive_facts_row *row, const struct archive_facts *facts)
{
    const char *field = (const char *)facts + row->offset;
    char hash[ARCHIVE_FACTS_HEX];
    switch (row->kind) {
    case ARCHIVE_FACTS_TEXT:
        fact_sheet_words(sheet, row->name, field);
        break;
    case ARCHIVE_FACTS_COUNT:
        fact_sheet_count(sheet, row->name, *(const uint64_t *)(const void *)field);
        break;
    case ARCHIVE_FACTS_REAL:
        fact_sheet_real(sheet, row->name, *(const double *)(const void *)field);
        break;
    case ARCHIVE_FACTS_HASH:
        archive_facts_hash_text((const uint64_t *)(const void *)field, hash);
        fact_sheet_words(sheet, row->name, hash);
        break;
    case ARCHIVE_FACTS_POINTER: /* of /run only */
        break;
    }
}

/* "variance-threshold" is the option, "variance_threshold" the attribute. */
static void show_criteria(struct fact_sheet *sheet, const struct criteria *c)
{
    for (int i = 0; i < CRITERIA_COUNT; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s", criteria_table[i].option);
        for (char *s = name; *s; s++)
            *s = *s == '-' ? '_' : *s;
        fact_sheet_float(sheet, name, c->threshold[i]);
    }
    fact_sheet_float(sheet, "activity_threshold", c->activity_threshold);
    fact_sheet_words(sheet, "activity", c->activity_signed ? "signed" : "absolute");
    fact_sheet_words(sheet, "combine", criteria_combine_name(c->combine));
    fact_sheet_float(sheet, "super_ratio", c->super_ratio);
}

static void show_measured(struct fact_sheet *sheet, const struct view *v)
{
    fact_sheet_section(sheet, "measured", "What was measured");
    fact_sheet_words(sheet, "model", archive_reader_run_value(v->reader, "model_file"));
    for (const struct archive_facts_row *row = archive_facts_table; row->name; row++)
        show_fact(sheet, row, v->facts);
    show_criteria(sheet, &v->facts->criteria);
    fact_sheet_section_end(sheet);
}

/* ---- how ---- */

static const struct archive_facts_row *run_row(const char *name)
{
    for (const struct archive_facts_row *row = archive_facts_run_table; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

/* The reader gives every attribute as text; numbers are told by our table. */
static void show_pair(struct fact_sheet *sheet, const struct archive_reader_pair *pair)
{
    const struct archive_facts_row *row = run_row(pair->name);
    char *count_end, *real_end;
    uint64_t count = strtoull(pair->value, &count_end, 10);
    double real = strtod(pair->value, &real_end);
    if (row && row->kind == ARCHIVE_FACTS_COUNT && *pair->value && !*count_end) {
        if (count || sheet->json) /* most are counts of oddities, and 0 */
            fact_sheet_count(sheet, pair->name, count);
    } else if (row && row->kind == ARCHIVE_FACTS_REAL && *pair->value && !*real_end) {
        fact_sheet_real(sheet, pair->name, real);
    } else {
        fact_sheet_words(sheet, pair->name, pair->value);
    }
}

/* In our table's order, which puts what people ask first; then what newer versions may have added. */
static void show_run(struct fact_sheet *sheet, const struct view *v)
{
    fact_sheet_section(sheet, "run", "How");
    for (const struct archive_facts_row *row = archive_facts_run_table; row->name; row++)
        for (size_t i = 0; i < v->run_count; i++)
            if (strcmp(v->run[i].name, row->name) == 0 && strcmp(row->name, "partial") != 0) /* told at the top */
                show_pair(sheet, &v->run[i]);
    for (size_t i = 0; i < v->run_count; i++)
        if (!run_row(v->run[i].name))
            show_pair(sheet, &v->run[i]);
    fact_sheet_section_end(sheet);
}

/* ---- results and state ---- */

static void show_results(struct fact_sheet *sheet, const struct summary *s)
{
    static const char *const band[] = {"saturated_early", "saturated_mid", "saturated_late"};
    fact_sheet_section(sheet, "results", "Results");
    fact_sheet_share(sheet, "saturated", s->saturated);
    for (int i = 0; i < 3; i++)
        if (s->band[i].first < s->band[i].end)
            fact_sheet_share(sheet, band[i], s->band[i].saturated);
    fact_sheet_share(sheet, "ffn_saturated", s->ffn_saturated);
    fact_sheet_share(sheet, "removable", s->removable);
    fact_sheet_real(sheet, "speedup", s->speedup);
    fact_sheet_real(sheet, "stack_speedup", s->stack_speedup);
    fact_sheet_count(sheet, "unmeasured_layers", s->unmeasured);
    fact_sheet_count(sheet, "super_neurons", s->super_neurons);
    fact_sheet_count(sheet, "nonfinite", s->nonfinite);
    fact_sheet_section_end(sheet);
}

static bool in_state(const struct archive_reader_dataset *d)
{
    size_t length = sizeof PHI3SAT_GROUP_STATE - 1;
    return strncmp(d->path, PHI3SAT_GROUP_STATE, length) == 0 && d->path[length] == '/';
}

/* The reader takes no archive without state (format version 1). */
static void show_state(struct fact_sheet *sheet, const struct view *v)
{
    uint64_t stored = 0, distinct = 0;
    for (size_t i = 0; i < v->set_count; i++) {
        stored += in_state(&v->sets[i]) ? v->sets[i].stored : 0;
        if (strcmp(v->sets[i].path, "state/prompt_multiplicity") == 0)
            distinct = v->sets[i].shape[0];
    }
    fact_sheet_section(sheet, "state", "Exact state");
    fact_sheet_flag(sheet, "present", true);
    fact_sheet_count(sheet, "distinct_prompts", distinct);
    fact_sheet_bytes(sheet, "stored", stored);
    fact_sheet_section_end(sheet);
}

/* ---- data sets ---- */

static void set_cells(const void *context, size_t i, struct fact_sheet_cell *cells)
{
    const struct archive_reader_dataset *d = &((const struct view *)context)->sets[i];
    cells[0] = (struct fact_sheet_cell){.text = d->path, .length = strlen(d->path)};
    cells[1] = (struct fact_sheet_cell){.shape = d->shape, .dimensions = d->dimensions};
    cells[2] = (struct fact_sheet_cell){.text = d->type, .length = strlen(d->type)};
    cells[3].count = d->bytes;
    cells[4].count = d->stored;
}

/* A group: how many data sets, which shapes, how many bytes. */
struct group_row {
    const char *name;
    uint64_t sets, bytes, stored;
    char shapes[160];
};

#define GROUPS_LIMIT 24

struct groups {
    struct group_row row[GROUPS_LIMIT];
    size_t count;
};

/* Adds "[4, 96]" unless it stands there. */
static void add_shape(char *shapes, size_t size, const struct archive_reader_dataset *d)
{
    char shape[80];
    size_t used = 0, length = strlen(shapes);
    for (size_t k = 0; k < d->dimensions; k++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%llu", k ? ", " : "[",
                                 (unsigned long long)d->shape[k]);
    snprintf(shape + used, sizeof shape - used, "]");
    if (!strstr(shapes, shape) && length + strlen(shape) + 2 < size)
        snprintf(shapes + length, size - length, "%s%s", length ? " " : "", shape);
}

static void collect_groups(struct groups *g, const struct view *v)
{
    memset(g, 0, sizeof *g);
    for (size_t i = 0; i < v->set_count; i++) {
        const struct archive_reader_dataset *d = &v->sets[i];
        size_t at = 0;
        while (at < g->count && strcmp(g->row[at].name, d->group) != 0)
            at++;
        if (at == GROUPS_LIMIT)
            continue;
        if (at == g->count)
            g->row[g->count++].name = d->group;
        g->row[at].sets++;
        g->row[at].bytes += d->bytes;
        g->row[at].stored += d->stored;
        add_shape(g->row[at].shapes, sizeof g->row[at].shapes, d);
    }
}

static void group_cells(const void *context, size_t i, struct fact_sheet_cell *cells)
{
    const struct group_row *row = &((const struct groups *)context)->row[i];
    cells[0] = (struct fact_sheet_cell){.text = row->name, .length = strlen(row->name)};
    cells[1].count = row->sets;
    cells[2].count = row->bytes;
    cells[3].count = row->stored;
    cells[4] = (struct fact_sheet_cell){.text = row->shapes, .length = strlen(row->shapes)};
}

static void show_sets(struct fact_sheet *sheet, const struct view *v, bool every)
{
    static const struct fact_sheet_column set_columns[] = {
        {"name", "data set", FACT_SHEET_TEXT},   {"shape", "shape", FACT_SHEET_SHAPE}, {"type", "type", FACT_SHEET_TEXT},
        {"bytes", "bytes", FACT_SHEET_COUNT},    {"stored", "stored", FACT_SHEET_COUNT}};
    static const struct fact_sheet_column group_columns[] = {
        {"group", "group", FACT_SHEET_TEXT},     {"sets", "data sets", FACT_SHEET_COUNT},
        {"bytes", "size", FACT_SHEET_BYTES},     {"stored", "stored", FACT_SHEET_BYTES},
        {"shapes", "shapes", FACT_SHEET_TEXT}};
    struct groups groups;
    collect_groups(&groups, v);
    const struct fact_sheet_table sets = {"datasets", set_columns, 5, v->set_count, set_cells, v};
    const struct fact_sheet_table table = {"groups", group_columns, 5, groups.count, group_cells, &groups};
    fact_sheet_table(sheet, every || sheet->json ? &sets : &table);
}

/* ---- the whole ---- */

static void show(struct fact_sheet *sheet, const struct view *v, const char *path, uint64_t size, bool every)
{
    fact_sheet_thing(sheet, path);
    const char *partial = archive_reader_run_value(v->reader, "partial");
    fact_sheet_words(sheet, "what", partial ? "partial archive" : "archive");
    if (partial)
        fact_sheet_words(sheet, "partial", partial);
    fact_sheet_words(sheet, "format", PHI3SAT_FORMAT);
    fact_sheet_count(sheet, "format_version", PHI3SAT_FORMAT_VERSION); /* the one that the reader takes */
    fact_sheet_bytes(sheet, "file_size", size);
    show_measured(sheet, v);
    show_run(sheet, v);
    show_results(sheet, &v->summary);
    show_state(sheet, v);
    show_sets(sheet, v, every);
    fact_sheet_thing_end(sheet);
}

enum status inspect_archive(struct fact_sheet *sheet, const char *path, uint64_t size, bool every, struct error *e)
{
    struct archive_reader *reader;
    enum status s = archive_reader_open(&reader, path, e);
    if (s != STATUS_OK)
        return s;
    struct view v = {.reader = reader, .facts = archive_reader_facts(reader)};
    v.run = archive_reader_run(reader, &v.run_count);
    s = read_summary(reader, &v, e);
    if (s == STATUS_OK)
        s = read_sets(reader, &v, e);
    if (s == STATUS_OK)
        show(sheet, &v, path, size, every);
    memory_free(v.sets);
    archive_reader_close(reader);
    return s;
}
