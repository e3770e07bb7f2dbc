/* bench_lines.c - see bench_lines.h. */
#include "bench_lines.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../base/log.h"
#include "../base/memory.h"
#include "../bench/timing.h"

bool bench_lines_ended(const struct options_table *table, bool help, enum status *s, struct error *e)
{
    if (*s != STATUS_OK)
        *s = ranks_fail_together(*s, e);
    else if (help && ranks_speaks())
        *s = figures_help(table, e);
    return help || *s != STATUS_OK;
}

/* The columns with the added ones: behind the main figure, where a table's reader looks for them. */
static void set_columns(struct bench_lines *l, const struct figures_column *own, const char *key)
{
    const bool several = l->ranks.size > 1;
    size_t at = 0;
    snprintf(l->least, sizeof l->least, "%s_least_rank", key);
    snprintf(l->most, sizeof l->most, "%s_most_rank", key);
    for (size_t i = 0; i < l->count; i++) {
        l->columns[at++] = own[i];
        if (strcmp(own[i].key, key) != 0)
            continue;
        l->key = i;
        for (int most = 0; most < 2; most++)
            l->columns[at++] = (struct figures_column){most ? l->most : l->least, several ? most ? "Most" : "Least" : NULL, own[i].kind,
                                                       own[i].width, own[i].digits};
    }
    l->columns[at++] = (struct figures_column){"ranks", NULL, FIGURES_COUNT, 0, 0};
}

enum status bench_lines_open(struct bench_lines *l, int argc, char **argv, bool json, const struct figures_column *columns,
                             size_t count, const char *key, struct error *e)
{
    if (count + 3 > BENCH_LINES_COLUMNS)
        abort(); /* our own table is too wide */
    memset(l, 0, sizeof *l);
    l->count = count;
    const enum status s = ranks_start(&l->ranks, &argc, &argv, e);
    if (s != STATUS_OK)
        return s;
    set_columns(l, columns, key);
    log_open(l->ranks.rank == 0, LOG_NORMAL, LOG_PROGRESS_AUTO);
    figures_open(&l->figures, NULL, json, l->columns, count + 3);
    return STATUS_OK;
}

enum status bench_lines_agree(const struct bench_lines *l, enum status own, struct error *e)
{
    return ranks_agree(&l->ranks, own, e);
}

void bench_lines_note(struct bench_lines *l, const char *format, ...)
{
    char text[1024];
    va_list list;
    if (l->ranks.rank != 0)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    figures_note(&l->figures, "%s", text);
}

/* The cells that rank 0 shows, from all ranks' figures [ranks][count]; `column` [ranks] is overwritten. */
static void gathered_cells(const struct bench_lines *l, const struct figures_cell *own, const double *figures, double *column,
                           struct figures_cell *cells)
{
    const size_t ranks = (size_t)l->ranks.size;
    size_t at = 0;
    for (size_t i = 0; i < l->count; i++) {
        for (size_t r = 0; r < ranks; r++)
            column[r] = figures[r * l->count + i];
        const struct timing_range range = timing_range(column, ranks);
        cells[at] = own[i];
        cells[at++].real = range.median;
        if (i != l->key)
            continue;
        cells[at++] = (struct figures_cell){.real = range.least};
        cells[at++] = (struct figures_cell){.real = range.most};
    }
    cells[at] = (struct figures_cell){.count = ranks};
}

enum status bench_lines_row(struct bench_lines *l, const struct figures_cell *cells, struct error *e)
{
    struct figures_cell shown[BENCH_LINES_COLUMNS];
    double own[BENCH_LINES_COLUMNS], *figures = NULL, *column = NULL;
    size_t total = 0;
    for (size_t i = 0; i < l->count; i++)
        own[i] = cells[i].real;
    enum status s = ranks_gather(&l->ranks, own, l->count, sizeof *own, &figures, &total, e);
    if (s == STATUS_OK)
        s = memory_array(&column, (size_t)l->ranks.size, sizeof *column, "figures", e);
    if (s == STATUS_OK && l->ranks.rank == 0) {
        gathered_cells(l, cells, figures, column, shown);
        if (l->rows == 0 && l->ranks.size > 1)
            figures_note(&l->figures, "Medians over %d ranks that measure at the same time, the least and the most.\n", l->ranks.size);
        s = figures_row(&l->figures, shown, e);
    }
    l->rows++;
    memory_free(figures);
    memory_free(column);
    return ranks_agree(&l->ranks, s, e);
}

enum status bench_lines_finish(struct bench_lines *l, enum status own, struct error *e)
{
    if (own != STATUS_OK) {
        if (l->ranks.rank == 0)
            figures_stop(&l->figures);
        return own;
    }
    return ranks_agree(&l->ranks, l->ranks.rank == 0 ? figures_finish(&l->figures, e) : STATUS_OK, e);
}
