/* fact_sheet.h - facts about a thing, for people or for programs: one description, two forms.
 *
 * Flow: whoever knows the facts -> *fact sheet* -> standard output. As text, a fact is an aligned line
 * and a table has aligned columns, both escaped for a terminal (base/escape.h) and folded near 80
 * columns; as JSON, sections are objects, tables arrays of objects, numbers numbers, and strings
 * valid whatever bytes they hold. Saying each fact once keeps the two in step.
 *
 *     fact_sheet_open, for each thing: fact_sheet_thing, facts, sections and tables, fact_sheet_thing_end,
 *     fact_sheet_finish
 */
#ifndef PHI3SAT_REPORT_FACT_SHEET_H
#define PHI3SAT_REPORT_FACT_SHEET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../base/error.h"

/* Under way; a plain value, no memory to free. */
struct fact_sheet {
    FILE *to;
    bool json;
    bool several;  /* JSON: an array of things, not the one thing             */
    size_t things;
    int depth;     /* JSON: braces that are open                              */
    bool follows;  /* JSON: something stands before in the innermost of them   */
};

/* `to`: NULL is standard output. `several`: more than one thing may come. */
void fact_sheet_open(struct fact_sheet *s, FILE *to, bool json, bool several);

/* A thing, named by text of any bytes: the heading, or "file" of its object. */
void fact_sheet_thing(struct fact_sheet *s, const char *name);
void fact_sheet_thing_end(struct fact_sheet *s);

/* A heading with facts below it, or an object; not nested. */
void fact_sheet_section(struct fact_sheet *s, const char *key, const char *title);
void fact_sheet_section_end(struct fact_sheet *s);

/* One fact. `key` is the JSON name ("hidden_size"); the line's label is the same with spaces. Texts may
 * hold any bytes; as text they are cut after some 1,000. */
void fact_sheet_text(struct fact_sheet *s, const char *key, const char *bytes, size_t length);
void fact_sheet_words(struct fact_sheet *s, const char *key, const char *words); /* NULL: unknown, null in JSON */
void fact_sheet_count(struct fact_sheet *s, const char *key, uint64_t value);
void fact_sheet_bytes(struct fact_sheet *s, const char *key, uint64_t value);    /* "2.2 GiB (2393231072 bytes)" */
void fact_sheet_real(struct fact_sheet *s, const char *key, double value);       /* not finite: null in JSON */
void fact_sheet_float(struct fact_sheet *s, const char *key, float value);       /* as short as a float32 allows */
void fact_sheet_share(struct fact_sheet *s, const char *key, double value);      /* 0..1; as text a percentage */
void fact_sheet_flag(struct fact_sheet *s, const char *key, bool value);         /* "yes", "no" */

/* A remark for people only. */
void fact_sheet_note(struct fact_sheet *s, const char *format, ...) ERROR_PRINTF(2, 3);

enum fact_sheet_kind {
    FACT_SHEET_TEXT,  /* cell.text                                            */
    FACT_SHEET_COUNT, /* cell.count, all digits                                */
    FACT_SHEET_BYTES, /* cell.count, as "2.2 GiB"; JSON: all digits            */
    FACT_SHEET_SHAPE, /* cell.shape: "[3072, 32064]"                            */
    FACT_SHEET_PART,  /* cell.real, 0..1; as text a percentage                  */
    FACT_SHEET_SPAN   /* cell.real, seconds; as text "1:07"                     */
};

struct fact_sheet_column {
    const char *key;   /* JSON                                                 */
    const char *title; /* of the column; NULL: in JSON only                     */
    enum fact_sheet_kind kind;
};

struct fact_sheet_cell {
    const char *text;  /* [length] any bytes                                   */
    size_t length;
    uint64_t count;
    double real;
    const uint64_t *shape; /* [dimensions]                                     */
    size_t dimensions;
};

#define FACT_SHEET_COLUMNS 16

struct fact_sheet_table {
    const char *key;
    const struct fact_sheet_column *columns; /* [column_count], at most FACT_SHEET_COLUMNS */
    size_t column_count;
    size_t rows;
    /* Fills cells[column_count] of row i; what it points to must last until its next call. Called
     * twice for each row: widths first. */
    void (*row)(const void *context, size_t i, struct fact_sheet_cell *cells);
    const void *context;
};

/* Numbers to the right, texts to the left. */
void fact_sheet_table(struct fact_sheet *s, const struct fact_sheet_table *table);

/* Ends everything and flushes. STATUS_OUTPUT when any of it could not be written. */
enum status fact_sheet_finish(struct fact_sheet *s, struct error *e) ERROR_MUST_USE;

#endif
