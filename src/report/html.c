/* html.c - see html.h.
 *
 * One page, no network: styles and script are part of the program (page.css, page.js, made into C by
 * build-aux/embed-page.sh) and are written into it; a content security policy forbids the rest.
 */
#include "html.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../base/escape.h"
#include "page_files.h"
#include "svg.h"

void html_text(struct outfile *out, const char *text)
{
    char piece[ESCAPE_LONGEST];
    const size_t length = strlen(text);
    size_t used;
    for (size_t at = 0; at < length;) {
        at += escape_next(ESCAPE_HTML, text + at, length - at, piece, &used, NULL);
        outfile_write(out, piece, used);
    }
}

static void write_lines(struct outfile *out, const char *const *lines)
{
    for (; *lines; lines++)
        outfile_print(out, "%s\n", *lines);
}

void html_begin(struct outfile *out, const char *title)
{
    outfile_print(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
                       "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta name=\"generator\" content=\"phi3sat\">\n"
                       "<link rel=\"icon\" href=\"data:,\">\n<title>");
    html_text(out, title);
    outfile_print(out, " - phi3sat</title>\n<style>\n");
    svg_style_page(out);
    write_lines(out, page_files_css);
    outfile_print(out, "</style>\n</head>\n<body>\n");
}

void html_end(struct outfile *out, bool script)
{
    if (script) {
        outfile_print(out, "<script>\n");
        write_lines(out, page_files_js);
        outfile_print(out, "</script>\n");
    }
    outfile_print(out, "</body>\n</html>\n");
}

static void put_group(struct html_base64 *b)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint32_t bits = (uint32_t)b->held[0] << 16 | (uint32_t)b->held[1] << 8 | b->held[2];
    char four[4];
    for (size_t i = 0; i < 4; i++)
        four[i] = i <= b->count ? digits[bits >> (18 - 6 * i) & 63] : '=';
    outfile_write(b->out, four, sizeof four);
    memset(b->held, 0, sizeof b->held);
    b->count = 0;
}

void html_base64_add(struct html_base64 *b, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    for (size_t i = 0; i < size; i++) {
        b->held[b->count++] = from[i];
        if (b->count == 3)
            put_group(b);
    }
}

void html_base64_end(struct html_base64 *b)
{
    if (b->count)
        put_group(b);
}

void html_number(struct outfile *out, int decimals, double value, const char *unit)
{
    if (isnan(value))
        outfile_print(out, "<td>nan</td>");
    else
        outfile_print(out, "<td>%.*f%s</td>", decimals, value, unit);
}

void html_count(struct outfile *out, uint64_t value)
{
    outfile_print(out, "<td>%" PRIu64 "</td>", value);
}

void html_cell(struct outfile *out, const char *text)
{
    outfile_print(out, "<td>");
    html_text(out, text);
    outfile_print(out, "</td>");
}

void html_table(struct outfile *out, const char *caption, const char *const *headings, size_t count)
{
    outfile_print(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
    html_text(out, caption);
    outfile_print(out, "\"><table><caption>");
    html_text(out, caption);
    outfile_print(out, "</caption>\n<thead><tr>");
    for (size_t i = 0; i < count; i++) {
        outfile_print(out, "<th scope=\"col\">");
        html_text(out, headings[i]);
        outfile_print(out, "</th>");
    }
    outfile_print(out, "</tr></thead>\n<tbody>\n");
}

void html_table_end(struct outfile *out)
{
    outfile_print(out, "</tbody></table></div>\n");
}
