/* html.h - pieces of a self-contained HTML page: texts made harmless, head and foot, bytes as base64.
 *
 * Flow: report pages -> *HTML* -> outfile. Whatever comes from an archive or a command line goes through html_text.
 */
#ifndef PHI3SAT_REPORT_HTML_H
#define PHI3SAT_REPORT_HTML_H

#include <stdint.h>

#include "../base/outfile.h"

/* The NUL-terminated `text` as HTML or XML shows it, in elements and in quoted attributes: markup escaped, what is hidden
 * or steers made visible, what is no UTF-8 replaced. Runs of spaces and newlines are left to the browser. */
void html_text(struct outfile *out, const char *text);

/* From the doctype to the body's begin, with the page's styles; `title` is escaped. */
void html_begin(struct outfile *out, const char *title);
/* The page's script, if any of it is wanted, and its end. */
void html_end(struct outfile *out, bool script);

/* Base64 of bytes that come in pieces. */
struct html_base64 {
    struct outfile *out;
    uint8_t held[3];
    size_t count;      /* held */
};
void html_base64_add(struct html_base64 *b, const void *bytes, size_t size);
void html_base64_end(struct html_base64 *b);

/* Cells of a table: a number with decimals (nan where there is none), a count, a text. */
void html_number(struct outfile *out, int decimals, double value, const char *unit);
void html_count(struct outfile *out, uint64_t value);
void html_cell(struct outfile *out, const char *text);

/* A table's begin with its caption and headings[count], and its end. */
void html_table(struct outfile *out, const char *caption, const char *const *headings, size_t count);
void html_table_end(struct outfile *out);

#endif
