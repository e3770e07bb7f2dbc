/* figures.c - see figures.h. */
#include "figures.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "../base/escape.h"

void figures_open(struct figures *f, FILE *to, bool json, const struct figures_column *columns, size_t count)
{
    *f = (struct figures){.to = to ? to : stdout, .json = json, .columns = columns, .column_count = count};
}

void figures_note(struct figures *f, const char *format, ...)
{
    va_list list;
    if (f->json)
        return;
    va_start(list, format);
    vfprintf(f->to, format, list);
    va_end(list);
    fputc('\n', f->to);
}

static enum status flushed(struct figures *f, struct error *e)
{
    if (fflush(f->to) == 0 && !ferror(f->to))
        return STATUS_OK;
    const int reason = errno;
    error_set(e, STATUS_OUTPUT, "can't be written: %s", strerror(reason));
    return error_file(e, "standard output");
}

/* Texts stand to the left, numbers to the right. */
static void table_cell(struct figures *f, const struct figures_column *c, const struct figures_cell *cell)
{
    char text[64];
    switch (c->kind) {
    case FIGURES_COUNT:
        snprintf(text, sizeof text, "%" PRIu64, cell->count);
        break;
    case FIGURES_REAL:
        snprintf(text, sizeof text, "%.*f", c->digits, cell->real);
        break;
    case FIGURES_SHARE:
        snprintf(text, sizeof text, "%.*f%%", c->digits, 100 * cell->real);
        break;
    default:
        fprintf(f->to, "%-*s", c->width, cell->text);
        return;
    }
    fprintf(f->to, "%*s", c->width, text);
}

static void titles(struct figures *f)
{
    for (size_t i = 0; i < f->column_count; i++) {
        const struct figures_column *c = &f->columns[i];
        if (c->title)
            fprintf(f->to, c->kind == FIGURES_TEXT ? "%s%-*s" : "%s%*s", i > 0 ? "  " : "", c->width, c->title);
    }
    fputc('\n', f->to);
}

static void json_string(struct figures *f, const char *text)
{
    char piece[ESCAPE_LONGEST];
    const size_t length = strlen(text);
    size_t used;
    fputc('"', f->to);
    for (size_t at = 0; at < length;) {
        at += escape_next(ESCAPE_JSON, text + at, length - at, piece, &used, NULL);
        fwrite(piece, 1, used, f->to);
    }
    fputc('"', f->to);
}

static void json_cell(struct figures *f, const struct figures_column *c, const struct figures_cell *cell)
{
    json_string(f, c->key);
    fputs(": ", f->to);
    if (c->kind == FIGURES_TEXT)
        json_string(f, cell->text);
    else if (c->kind == FIGURES_COUNT)
        fprintf(f->to, "%" PRIu64, cell->count);
    else if (isfinite(cell->real))
        fprintf(f->to, "%.6g", cell->real);
    else
        fputs("null", f->to);
}

enum status figures_row(struct figures *f, const struct figures_cell *cells, struct error *e)
{
    if (!f->json && f->rows == 0)
        titles(f);
    if (f->json)
        fputs(f->rows > 0 ? ",\n  {" : "[\n  {", f->to);
    for (size_t i = 0; i < f->column_count; i++) {
        const struct figures_column *c = &f->columns[i];
        if (f->json || (c->title && i > 0))
            fputs(i == 0 ? "" : f->json ? ", " : "  ", f->to);
        if (f->json)
            json_cell(f, c, &cells[i]);
        else if (c->title)
            table_cell(f, c, &cells[i]);
    }
    fputs(f->json ? "}" : "\n", f->to);
    f->rows++;
    return flushed(f, e);
}

enum status figures_finish(struct figures *f, struct error *e)
{
    if (f->json)
        fputs(f->rows > 0 ? "\n]\n" : "[]\n", f->to);
    return flushed(f, e);
}

void figures_stop(struct figures *f)
{
    if (f->json && f->rows > 0)
        fputs("\n]\n", f->to);
    fflush(f->to);
}

enum status figures_help(const struct options_table *table, struct error *e)
{
    struct figures f = {.to = stdout};
    options_help(table, stdout);
    return flushed(&f, e);
}
