/* token_lines.c - prints token ids, one prompt a line.
 *
 * Ids are written by hand into a buffer: printf's locale may group digits, and
 * for a file of a million prompts it is the slowest part. Every call looks whether
 * standard output still takes anything, so that `| head` ends the work.
 */
#include "token_lines.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static enum status cannot(struct error *e)
{
    const int reason = errno;
    error_set(e, STATUS_OUTPUT, "can't be written: %s", strerror(reason));
    return error_file(e, "standard output");
}

/* Writes `id` in front of text[12] + 12 backwards; returns its length. */
static size_t decimal(int32_t id, char text[12])
{
    uint32_t left = id < 0 ? 0u - (uint32_t)id : (uint32_t)id;
    size_t n = 0;
    do
        text[11 - n++] = (char)('0' + left % 10);
    while ((left /= 10) != 0);
    if (id < 0)
        text[11 - n++] = '-';
    return n;
}

enum status token_lines_print(const int32_t *ids, size_t n, struct error *e)
{
    for (size_t i = 0; i < n; i++) {
        char text[12];
        const size_t length = decimal(ids[i], text);
        if (i > 0)
            putc_unlocked(' ', stdout);
        fwrite(text + sizeof text - length, 1, length, stdout);
    }
    putc_unlocked('\n', stdout);
    return ferror(stdout) ? cannot(e) : STATUS_OK;
}

enum status token_lines_finish(struct error *e)
{
    return fflush(stdout) != 0 || ferror(stdout) ? cannot(e) : STATUS_OK;
}

enum status token_lines_help(const struct options_table *table, struct error *e)
{
    options_help(table, stdout);
    return token_lines_finish(e);
}
