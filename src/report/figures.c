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

void figures_open_csv(struct figures *f, FILE *to, const struct figures_column *columns, size_t count)
{
    figures_open(f, to, false, columns, count);
    f->csv = true;
}

void figures_note(struct figures *f, const char *format, ...)
{
    va_list list;
    if (f->json || f->csv)
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
    case FIGURES_SMALL:
        snprintf(text, sizeof text, cell->real == 0 ? "0" : "%.1e", cell->real);
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

static void csv_text(struct figures *f, const char *text)
{
    const bool quoted = strpbrk(text, ",\"\n\r") != NULL;
    fputs(quoted ? "\"" : "", f->to);
    for (; *text; text++)
        fputs(*text == '"' ? "\"\"" : (const char[]){*text, '\0'}, f->to);
    fputs(quoted ? "\"" : "", f->to);
}

static void csv_row(struct figures *f, const struct figures_cell *cells)
{
    for (size_t i = 0; f->rows == 0 && i < f->column_count; i++)
        fprintf(f->to, "%s%s", f->columns[i].key, i + 1 < f->column_count ? "," : "\n");
    for (size_t i = 0; i < f->column_count; i++) {
        if (f->columns[i].kind == FIGURES_TEXT)
            csv_text(f, cells[i].text);
        else if (f->columns[i].kind == FIGURES_COUNT)
            fprintf(f->to, "%" PRIu64, cells[i].count);
        else
            fprintf(f->to, "%.6g", isnan(cells[i].real) ? NAN : cells[i].real);
        fputs(i + 1 < f->column_count ? "," : "\n", f->to);
    }
}

static void json_row(struct figures *f, const struct figures_cell *cells)
{
    fputs(f->rows > 0 ? ",\n  {" : "[\n  {", f->to);
    for (size_t i = 0; i < f->column_count; i++) {
        fputs(i == 0 ? "" : ", ", f->to);
        json_cell(f, &f->columns[i], &cells[i]);
    }
    fputs("}", f->to);
}

static void table_row(struct figures *f, const struct figures_cell *cells)
{
    if (f->rows == 0)
        titles(f);
    for (size_t i = 0; i < f->column_count; i++)
        if (f->columns[i].title) {
            fputs(i == 0 ? "" : "  ", f->to);
            table_cell(f, &f->columns[i], &cells[i]);
        }
    fputs("\n", f->to);
}

enum status figures_row(struct figures *f, const struct figures_cell *cells, struct error *e)
{
    if (f->json)
        json_row(f, cells);
    else if (f->csv)
        csv_row(f, cells);
    else
        table_row(f, cells);
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
