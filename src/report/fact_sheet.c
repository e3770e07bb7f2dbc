/* fact_sheet.c - see fact_sheet.h.
 *
 * Each kind of fact has its text in one function and its JSON beside it. Nothing is kept: a table is
 * walked twice, so that a file of ten million tensors needs no more memory than one of ten.
 * Errors of writing stay with the stream and are asked for once, by fact_sheet_finish.
 */
#include "fact_sheet.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/escape.h"

#define LABEL_WIDTH 24   /* columns before a fact's value                            */
#define LINE_WIDTH 80
#define TEXT_LIMIT 1000  /* columns of a text in its line                            */
#define CELL_LIMIT 100   /* columns of a text in a table                             */
#define CELL_BYTES (CELL_LIMIT * 4 + 64)

void fact_sheet_open(struct fact_sheet *s, FILE *to, bool json, bool several)
{
    *s = (struct fact_sheet){.to = to ? to : stdout, .json = json, .several = several};
    if (json && several)
        fputc('[', s->to);
}

/* ---- JSON ---- */

static void json_string(struct fact_sheet *s, const char *bytes, size_t length)
{
    char piece[ESCAPE_LONGEST];
    size_t used;
    fputc('"', s->to);
    for (size_t at = 0; at < length;) {
        at += escape_next(ESCAPE_JSON, bytes + at, length - at, piece, &used, NULL);
        fwrite(piece, 1, used, s->to);
    }
    fputc('"', s->to);
}

static void json_key(struct fact_sheet *s, const char *key)
{
    fprintf(s->to, "%s\n%*s", s->follows ? "," : "", 2 * s->depth, "");
    json_string(s, key, strlen(key)); /* attributes' names come from files too */
    fputs(": ", s->to);
    s->follows = true;
}

static void json_open(struct fact_sheet *s, char brace)
{
    fputc(brace, s->to);
    s->depth++;
    s->follows = false;
}

static void json_close(struct fact_sheet *s, char brace)
{
    s->depth--;
    if (s->follows)
        fprintf(s->to, "\n%*s", 2 * s->depth, "");
    fputc(brace, s->to);
    s->follows = true;
}

/* The shortest of the forms with 15 to 17 digits that is the same number when read back. JSON has no NaN. */
static void json_real(struct fact_sheet *s, double value)
{
    char text[40] = "null";
    for (int digits = 15; digits <= 17 && isfinite(value); digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, s->to);
}

/* ---- text ---- */

/* The next word of bytes[length] and the spaces before it: how many bytes. */
static size_t word_length(const char *bytes, size_t length)
{
    size_t n = 0;
    while (n < length && bytes[n] == ' ')
        n++;
    while (n < length && bytes[n] != ' ')
        n++;
    return n;
}

static size_t columns_of(const char *bytes, size_t length)
{
    char piece[ESCAPE_LONGEST];
    size_t total = 0, used, columns;
    for (size_t at = 0; at < length && total <= TEXT_LIMIT; total += columns)
        at += escape_next(ESCAPE_TERMINAL, bytes + at, length - at, piece, &used, &columns);
    return total;
}

/* Writes a word escaped, at most `limit` columns of it; returns its columns. */
static size_t write_escaped(struct fact_sheet *s, const char *bytes, size_t length, size_t limit)
{
    char piece[ESCAPE_LONGEST];
    size_t total = 0, used, columns;
    for (size_t at = 0; at < length && total < limit; total += columns) {
        at += escape_next(ESCAPE_TERMINAL, bytes + at, length - at, piece, &used, &columns);
        fwrite(piece, 1, used, s->to);
    }
    return total;
}

/* Starts a fact: its label, padded. "kv_heads" reads "kv heads". */
static void text_label(struct fact_sheet *s, const char *key)
{
    fputs("  ", s->to);
    size_t column = 2, length = strlen(key);
    for (size_t at = 0; at < length && column < LINE_WIDTH;) {
        size_t n = strcspn(key + at, "_");
        column += write_escaped(s, key + at, n, LINE_WIDTH - column);
        at += n;
        if (key[at] == '_') {
            fputc(' ', s->to);
            column++;
            at++;
        }
    }
    fprintf(s->to, "%*s", column < LABEL_WIDTH ? (int)(LABEL_WIDTH - column) : 1, "");
}

/* Folds at spaces, further lines as far in as the first. */
static void text_folded(struct fact_sheet *s, const char *bytes, size_t length, size_t indent)
{
    size_t column = indent, total = 0, at = 0;
    while (at < length && total < TEXT_LIMIT) {
        size_t n = word_length(bytes + at, length - at), columns = columns_of(bytes + at, n);
        if (column > indent && column + columns > LINE_WIDTH) {
            fprintf(s->to, "\n%*s", (int)indent, "");
            column = indent;
            while (n > 1 && bytes[at] == ' ')
                at++, n--;
        }
        columns = write_escaped(s, bytes + at, n, TEXT_LIMIT - total);
        column += columns;
        total += columns;
        at += n;
    }
    fputs(total >= TEXT_LIMIT ? "...\n" : "\n", s->to);
}

/* "2.2 GiB"; below 1024 "17 bytes". */
static void human_bytes(uint64_t value, char *text, size_t size)
{
    static const char *const unit[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double scaled = (double)value / 1024.0;
    int i = 0;
    for (; scaled >= 1023.95 && i < 5; i++)
        scaled /= 1024.0;
    if (value < 1024)
        snprintf(text, size, "%" PRIu64 " byte%s", value, value == 1 ? "" : "s");
    else
        snprintf(text, size, scaled < 9.95 ? "%.1f %s" : "%.0f %s", scaled, unit[i]);
}

/* ---- things and sections ---- */

void fact_sheet_thing(struct fact_sheet *s, const char *name)
{
    if (s->json) {
        fputs(s->things ? ",\n" : s->several ? "\n" : "", s->to);
        json_open(s, '{');
        json_key(s, "file");
        json_string(s, name, strlen(name));
    } else {
        fputs(s->things ? "\n" : "", s->to);
        text_folded(s, name, strlen(name), 0);
    }
    s->things++;
}

void fact_sheet_thing_end(struct fact_sheet *s)
{
    if (s->json)
        json_close(s, '}');
    s->follows = false;
}

void fact_sheet_section(struct fact_sheet *s, const char *key, const char *title)
{
    if (s->json) {
        json_key(s, key);
        json_open(s, '{');
    } else {
        fprintf(s->to, "\n%s\n", title);
    }
}

void fact_sheet_section_end(struct fact_sheet *s)
{
    if (s->json)
        json_close(s, '}');
}

/* ---- facts ---- */

static void label(struct fact_sheet *s, const char *key)
{
    if (s->json)
        json_key(s, key);
    else
        text_label(s, key);
}

void fact_sheet_text(struct fact_sheet *s, const char *key, const char *bytes, size_t length)
{
    label(s, key);
    if (s->json)
        json_string(s, bytes, length);
    else
        text_folded(s, bytes, length, LABEL_WIDTH);
}

void fact_sheet_words(struct fact_sheet *s, const char *key, const char *words)
{
    if (words) {
        fact_sheet_text(s, key, words, strlen(words));
        return;
    }
    label(s, key);
    fputs(s->json ? "null" : "unknown\n", s->to);
}

void fact_sheet_count(struct fact_sheet *s, const char *key, uint64_t value)
{
    label(s, key);
    fprintf(s->to, s->json ? "%" PRIu64 : "%" PRIu64 "\n", value);
}

void fact_sheet_bytes(struct fact_sheet *s, const char *key, uint64_t value)
{
    char text[32];
    label(s, key);
    human_bytes(value, text, sizeof text);
    if (s->json)
        fprintf(s->to, "%" PRIu64, value);
    else if (value < 1024)
        fprintf(s->to, "%s\n", text);
    else
        fprintf(s->to, "%s (%" PRIu64 " bytes)\n", text, value);
}

void fact_sheet_real(struct fact_sheet *s, const char *key, double value)
{
    label(s, key);
    if (s->json)
        json_real(s, value);
    else
        fprintf(s->to, "%.7g\n", value);
}

void fact_sheet_float(struct fact_sheet *s, const char *key, float value)
{
    char text[40];
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value)
            break;
    }
    fact_sheet_real(s, key, strtod(text, NULL));
}

void fact_sheet_share(struct fact_sheet *s, const char *key, double value)
{
    label(s, key);
    if (s->json)
        json_real(s, value);
    else
        fprintf(s->to, isfinite(value) ? "%.1f%%\n" : "unknown\n", 100.0 * value);
}

void fact_sheet_flag(struct fact_sheet *s, const char *key, bool value)
{
    label(s, key);
    if (s->json)
        fputs(value ? "true" : "false", s->to);
    else
        fputs(value ? "yes\n" : "no\n", s->to);
}

void fact_sheet_note(struct fact_sheet *s, const char *format, ...)
{
    char text[1024];
    va_list args;
    if (s->json)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fputs("  ", s->to);
    text_folded(s, text, strlen(text), 2);
}

/* ---- tables ---- */

/* A cell as text, escaped; returns its columns. */
static size_t cell_text(const struct fact_sheet_cell *cell, enum fact_sheet_kind kind, char out[CELL_BYTES])
{
    size_t used = 0, columns = 0;
    if (kind == FACT_SHEET_COUNT)
        return (size_t)snprintf(out, CELL_BYTES, "%" PRIu64, cell->count);
    if (kind == FACT_SHEET_BYTES) {
        human_bytes(cell->count, out, CELL_BYTES);
        return strlen(out);
    }
    if (kind == FACT_SHEET_PART)
        return (size_t)snprintf(out, CELL_BYTES, "%.1f%%", 100.0 * cell->real);
    if (kind == FACT_SHEET_SPAN)
        return (size_t)snprintf(out, CELL_BYTES, "%s", clock_span(cell->real).text);
    if (kind == FACT_SHEET_SHAPE) {
        used = (size_t)snprintf(out, CELL_BYTES, "[");
        for (size_t i = 0; i < cell->dimensions && used + 32 < CELL_BYTES; i++)
            used += (size_t)snprintf(out + used, CELL_BYTES - used, "%s%" PRIu64, i ? ", " : "", cell->shape[i]);
        return used + (size_t)snprintf(out + used, CELL_BYTES - used, "]");
    }
    for (size_t at = 0; at < cell->length;) {
        size_t piece, width;
        if (columns >= CELL_LIMIT) {
            memcpy(out + used, "...", 3);
            used += 3, columns += 3;
            break;
        }
        at += escape_next(ESCAPE_TERMINAL, cell->text + at, cell->length - at, out + used, &piece, &width);
        used += piece, columns += width;
    }
    out[used] = '\0';
    return columns;
}

static bool is_right(enum fact_sheet_kind kind)
{
    return kind != FACT_SHEET_TEXT && kind != FACT_SHEET_SHAPE;
}

/* One line: texts[columns] of these widths, padded to the columns' widths. */
struct line {
    char text[FACT_SHEET_COLUMNS][CELL_BYTES];
    size_t width[FACT_SHEET_COLUMNS];
};

static void print_line(struct fact_sheet *s, const struct fact_sheet_table *t, const struct line *line,
                       const size_t *widths)
{
    for (size_t c = 0; c < t->column_count; c++) {
        if (!t->columns[c].title)
            continue;
        int padding = widths[c] > line->width[c] ? (int)(widths[c] - line->width[c]) : 0;
        bool right = is_right(t->columns[c].kind), last = c + 1 == t->column_count;
        fprintf(s->to, "  %*s%s%*s", right ? padding : 0, "", line->text[c], right || last ? 0 : padding, "");
    }
    fputc('\n', s->to);
}

static void fill_line(const struct fact_sheet_table *t, size_t row, struct line *line)
{
    struct fact_sheet_cell cells[FACT_SHEET_COLUMNS] = {{0}};
    t->row(t->context, row, cells);
    for (size_t c = 0; c < t->column_count; c++)
        line->width[c] = cell_text(&cells[c], t->columns[c].kind, line->text[c]);
}

/* A single name of 100 columns may stick out: the others needn't follow it. */
#define COLUMN_LIMIT 48

static void table_text(struct fact_sheet *s, const struct fact_sheet_table *t)
{
    struct line line;
    size_t widths[FACT_SHEET_COLUMNS];
    for (size_t c = 0; c < t->column_count; c++)
        widths[c] = t->columns[c].title ? strlen(t->columns[c].title) : 0;
    for (size_t i = 0; i < t->rows; i++) {
        fill_line(t, i, &line);
        for (size_t c = 0; c < t->column_count; c++)
            if (line.width[c] > widths[c])
                widths[c] = line.width[c] < COLUMN_LIMIT ? line.width[c] : COLUMN_LIMIT;
    }
    for (size_t c = 0; c < t->column_count; c++) {
        if (!t->columns[c].title)
            continue;
        snprintf(line.text[c], CELL_BYTES, "%s", t->columns[c].title);
        line.width[c] = strlen(t->columns[c].title);
    }
    fputc('\n', s->to);
    print_line(s, t, &line, widths);
    for (size_t i = 0; i < t->rows; i++) {
        fill_line(t, i, &line);
        print_line(s, t, &line, widths);
    }
}

static void json_cell(struct fact_sheet *s, const struct fact_sheet_cell *cell, enum fact_sheet_kind kind)
{
    if (kind == FACT_SHEET_TEXT) {
        json_string(s, cell->text, cell->length);
        return;
    }
    if (kind == FACT_SHEET_PART || kind == FACT_SHEET_SPAN) {
        json_real(s, cell->real);
        return;
    }
    if (kind != FACT_SHEET_SHAPE) {
        fprintf(s->to, "%" PRIu64, cell->count);
        return;
    }
    fputc('[', s->to);
    for (size_t i = 0; i < cell->dimensions; i++)
        fprintf(s->to, "%s%" PRIu64, i ? ", " : "", cell->shape[i]);
    fputc(']', s->to);
}

static void table_json(struct fact_sheet *s, const struct fact_sheet_table *t)
{
    json_key(s, t->key);
    json_open(s, '[');
    for (size_t i = 0; i < t->rows; i++) {
        struct fact_sheet_cell cells[FACT_SHEET_COLUMNS] = {{0}};
        t->row(t->context, i, cells);
        fprintf(s->to, "%s\n%*s{", i ? "," : "", 2 * s->depth, "");
        for (size_t c = 0; c < t->column_count; c++) {
            fprintf(s->to, "%s\"%s\": ", c ? ", " : "", t->columns[c].key);
            json_cell(s, &cells[c], t->columns[c].kind);
        }
        fputc('}', s->to);
        s->follows = true;
    }
    json_close(s, ']');
}

void fact_sheet_table(struct fact_sheet *s, const struct fact_sheet_table *table)
{
    assert(table->column_count <= FACT_SHEET_COLUMNS);
    if (s->json)
        table_json(s, table);
    else if (table->rows)
        table_text(s, table);
}

enum status fact_sheet_finish(struct fact_sheet *s, struct error *e)
{
    if (s->json && (s->several || s->things))
        fputs(s->several ? "\n]\n" : "\n", s->to);
    errno = 0;
    bool failed = fflush(s->to) != 0 || ferror(s->to);
    if (!failed)
        return STATUS_OK;
    error_set(e, STATUS_OUTPUT, "can't be written: %s", strerror(errno ? errno : EIO));
    return error_file(e, "standard output");
}
