/* error.c - fills and words the one error type.
 *
 * Names inside an error come from untrusted files (tensor and key names), so
 * wording replaces control characters: a file must not be able to write escape
 * sequences to a terminal or a second line into a log.
 */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "escape.h"

void error_clear(struct error *e)
{
    memset(e, 0, sizeof *e);
    e->status = STATUS_OK;
    e->position = -1;
}

enum status error_set(struct error *e, enum status status, const char *format, ...)
{
    if (!e)
        return status;
    error_clear(e);
    e->status = status;
    va_list args;
    va_start(args, format);
    vsnprintf(e->sentence, sizeof e->sentence, format, args);
    va_end(args);
    return status;
}

enum status error_file(struct error *e, const char *file)
{
    if (!e)
        return STATUS_FAILED;
    snprintf(e->file, sizeof e->file, "%s", file ? file : "");
    return e->status;
}

enum status error_where(struct error *e, const char *format, ...)
{
    if (!e)
        return STATUS_FAILED;
    va_list args;
    va_start(args, format);
    vsnprintf(e->where, sizeof e->where, format, args);
    va_end(args);
    return e->status;
}

enum status error_position(struct error *e, int64_t position)
{
    if (!e)
        return STATUS_FAILED;
    e->position = position;
    return e->status;
}

enum status error_advice(struct error *e, const char *format, ...)
{
    if (!e)
        return STATUS_FAILED;
    va_list args;
    va_start(args, format);
    vsnprintf(e->advice, sizeof e->advice, format, args);
    va_end(args);
    return e->status;
}

/* What escape.h calls dangerous for a terminal, without its longer forms: a line of error stays as long as it was. */
void error_printable(char *text)
{
    char shown[ESCAPE_LONGEST];
    size_t length = strlen(text), used;
    for (size_t taken; length > 0; text += taken, length -= taken) {
        taken = escape_next(ESCAPE_TERMINAL, text, length, shown, &used, NULL);
        if (*text != '\\' && (used != taken || memcmp(text, shown, taken) != 0))
            memset(text, '?', taken);
    }
}

void error_format(const struct error *e, char *line, size_t size)
{
    char place[320] = "";
    if (e->where[0] && e->position >= 0)
        snprintf(place, sizeof place, " (%s, byte %lld)", e->where, (long long)e->position);
    else if (e->where[0])
        snprintf(place, sizeof place, " (%s)", e->where);
    else if (e->position >= 0)
        snprintf(place, sizeof place, " (byte %lld)", (long long)e->position);
    snprintf(line, size, "%s%s%s%s%s%s", e->file, e->file[0] ? ": " : "", e->sentence, place,
             e->advice[0] ? "; " : "", e->advice);
    error_printable(line);
}
