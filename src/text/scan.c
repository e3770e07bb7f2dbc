/* scan.c - see scan.h.
 *
 * A line ends at a newline byte and nowhere else: U+2028, form feeds and lone carriage
 * returns are part of a prompt, as in every tool that reads lines.
 */
#include "scan.h"

#include <string.h>

#include "../base/memory.h"

#define WINDOW ((size_t)1 << 18)
#define SCAN_LONGEST ((size_t)1 << 28) /* 16 bytes a token of the longest context; what is longer is no text but a hole in a file, or a bomb */

struct scan scan_begin(const struct spool *spool, const struct scan_segment *segments, size_t count)
{
    struct scan scan = {.spool = spool, .segments = segments, .count = count, .line = 1};
    if (count > 0)
        scan.at = segments[0].start;
    return scan;
}

void scan_close(struct scan *scan)
{
    memory_free(scan->window);
    *scan = (struct scan){0};
}

void scan_seek(struct scan *scan, size_t offset, size_t line)
{
    size_t low = 0, high = scan->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (scan->segments[middle].start <= offset)
            low = middle;
        else
            high = middle;
    }
    scan->segment = low;
    scan->at = offset;
    scan->line = line;
}

/* Makes bytes [at, at + wanted) of the spool, or up to the segment's end, lie in the window:
 * (*bytes)[*there], which may be more than wanted. */
static enum status look(struct scan *scan, size_t at, size_t wanted, const char **bytes, size_t *there,
                        struct error *e)
{
    const size_t end = scan->segments[scan->segment].end;
    const size_t left = end - at;
    enum status status = STATUS_OK;
    wanted = wanted < left ? wanted : left;
    if (wanted > SCAN_LONGEST) {
        error_set(e, STATUS_INPUT, "a prompt of more than %zu bytes", SCAN_LONGEST);
        error_where(e, "line %zu", scan->line);
        error_advice(e, "no model takes so long a one; write one prompt a line");
        return error_file(e, scan->segments[scan->segment].name);
    }
    if (at < scan->base || at + wanted > scan->base + scan->fill || scan->window == NULL) {
        const bool within = at >= scan->base && at < scan->base + scan->fill;
        const size_t kept = within ? scan->base + scan->fill - at : 0;
        if (kept > 0)
            memmove(scan->window, scan->window + (at - scan->base), kept);
        scan->base = at;
        scan->fill = kept;
        status = memory_grow_uninitialised(&scan->window, &scan->capacity, wanted > WINDOW ? wanted : WINDOW, 1, "a prompt", e);
        size_t more = scan->capacity - kept;
        if (more > scan->spool->size - at - kept)
            more = scan->spool->size - at - kept;
        if (status == STATUS_OK)
            status = spool_read(scan->spool, at + kept, scan->window + kept, more, e);
        if (status != STATUS_OK) {
            scan->fill = 0;
            return e != NULL && e->file[0] == '\0' ? error_file(e, scan->segments[scan->segment].name) : status;
        }
        scan->fill += more;
    }
    *bytes = scan->window + (at - scan->base);
    *there = scan->base + scan->fill - at;
    if (*there > left)
        *there = left;
    return STATUS_OK;
}

/* ASCII white space. What Unicode adds (a line of no-break spaces) is text. */
static bool white(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool blank(const char *bytes, size_t length)
{
    size_t i = 0;
    while (i < length && white(bytes[i]))
        i++;
    return i == length;
}

/* JSON Lines joined by `cat` have a byte order mark before each file's first record. No record begins so. */
static void drop_bom(struct scan *scan, struct scan_record *record)
{
    if (scan->segments[scan->segment].format != RECOGNISE_JSON_LINES || record->length < 3 ||
        memcmp(record->bytes, "\xEF\xBB\xBF", 3) != 0)
        return;
    record->bytes += 3;
    record->length -= 3;
    scan->counts.boms++;
}

/* The next line of the segment, blank or not; the segment isn't at its end. */
static enum status take_line(struct scan *scan, struct scan_record *record, struct error *e)
{
    const size_t left = scan->segments[scan->segment].end - scan->at;
    size_t searched = 0, there = 0;
    const char *bytes = NULL, *newline = NULL;
    while (newline == NULL && searched < left) {
        const enum status status = look(scan, scan->at, searched + 1, &bytes, &there, e);
        if (status != STATUS_OK)
            return status;
        newline = memchr(bytes + searched, '\n', there - searched);
        searched = there;
    }
    size_t length = newline == NULL ? left : (size_t)(newline - bytes);
    const size_t used = length + (newline != NULL);
    *record = (struct scan_record){bytes, length, scan->at, scan->line, scan->segment};
    if (length > 0 && bytes[length - 1] == '\r') {
        record->length--;
        scan->counts.returns++;
    }
    scan->at += used;
    scan->line++;
    scan->counts.lines++;
    drop_bom(scan, record);
    return STATUS_OK;
}

static size_t count_lines(const char *bytes, size_t length)
{
    size_t lines = 0;
    const char *end = bytes + length;
    for (const char *at = memchr(bytes, '\n', length); at != NULL; at = memchr(at + 1, '\n', (size_t)(end - at - 1)))
        lines++;
    return lines;
}

/* How far a JSON value goes, told from brackets and quotes alone. */
struct extent {
    size_t at; /* bytes looked at                  */
    size_t depth;
    bool string, escape, started, bare;
};

/* Looks at more bytes; true once the value has ended, before bytes[extent->at]. */
static bool extent_grow(struct extent *x, const char *bytes, size_t there)
{
    for (; x->at < there; x->at++) {
        const char c = bytes[x->at];
        if (x->string) {
            if (!x->escape && c == '"')
                x->string = false;
            x->escape = !x->escape && c == '\\';
        } else if (x->started && x->depth == 0 && (!x->bare || c == ',' || c == ']' || white(c))) {
            return true;
        } else if (c == '"') {
            x->string = true;
        } else if (c == '{' || c == '[') {
            x->depth++;
        } else if ((c == '}' || c == ']') && x->depth > 0) {
            x->depth--;
        } else if (!x->started) {
            x->bare = true; /* a number or a word */
        }
        x->started = true;
    }
    return false;
}

static enum status unclosed(const struct scan *scan, size_t line, struct error *e)
{
    error_set(e, STATUS_INPUT, "the JSON array isn't closed: the file is cut short, or a quote or bracket is missing");
    error_where(e, "line %zu", line);
    error_advice(e, "get the file again, or mend it");
    return error_file(e, scan->segments[scan->segment].name);
}

/* Skips what may stand between values. *first is '\0' at the segment's end. */
static enum status skip_between(struct scan *scan, bool array, char *first, struct error *e)
{
    const size_t end = scan->segments[scan->segment].end;
    *first = '\0';
    while (scan->at < end) {
        const char *bytes;
        size_t there;
        const enum status status = look(scan, scan->at, 1, &bytes, &there, e);
        if (status != STATUS_OK)
            return status;
        size_t i = 0;
        while (i < there && (white(bytes[i]) || (array && bytes[i] == ',')))
            scan->line += bytes[i++] == '\n';
        scan->at += i;
        if (i < there) {
            *first = bytes[i] == '\0' ? ' ' : bytes[i];
            return STATUS_OK;
        }
    }
    return STATUS_OK;
}

/* Behind the bracket that closes the array only white space may stand. */
static enum status close_array(struct scan *scan, struct error *e)
{
    char first;
    scan->at++;
    const enum status status = skip_between(scan, false, &first, e);
    if (status != STATUS_OK || first == '\0')
        return status;
    error_set(e, STATUS_INPUT, "something follows the JSON array");
    error_where(e, "line %zu", scan->line);
    error_advice(e, "write one array a file, or one record a line");
    return error_file(e, scan->segments[scan->segment].name);
}

/* The next JSON value of the segment, or *found false at its end. */
static enum status take_value(struct scan *scan, struct scan_record *record, bool *found, struct error *e)
{
    const struct scan_segment *segment = &scan->segments[scan->segment];
    const bool array = segment->format == RECOGNISE_JSON_ARRAY;
    char first;
    enum status status = skip_between(scan, array, &first, e);
    *found = false;
    if (status != STATUS_OK || (first == '\0' && !array))
        return status;
    if (array && first == '\0')
        return unclosed(scan, scan->line, e);
    if (array && first == ']')
        return close_array(scan, e);
    struct extent x = {0};
    const char *bytes = NULL;
    size_t there = 0, left = segment->end - scan->at;
    bool ended = false;
    while (!ended && x.at < left) {
        status = look(scan, scan->at, x.at + 1, &bytes, &there, e);
        if (status != STATUS_OK)
            return status;
        ended = extent_grow(&x, bytes, there);
    }
    if (!ended && array && (x.depth > 0 || x.string))
        return unclosed(scan, scan->line, e);
    *record = (struct scan_record){bytes, x.at, scan->at, scan->line, scan->segment};
    *found = true;
    scan->at += x.at;
    scan->line += count_lines(bytes, x.at);
    scan->counts.lines++;
    return STATUS_OK;
}

static void next_segment(struct scan *scan)
{
    scan->segment++;
    scan->line = 1;
    if (scan->segment < scan->count)
        scan->at = scan->segments[scan->segment].start;
}

enum status scan_next(struct scan *scan, struct scan_record *record, bool *found, struct error *e)
{
    enum status status = STATUS_OK;
    *found = false;
    while (!*found && scan->segment < scan->count && status == STATUS_OK) {
        const struct scan_segment *segment = &scan->segments[scan->segment];
        const bool values = segment->format == RECOGNISE_JSON_ARRAY || segment->format == RECOGNISE_JSON_VALUES;
        if (values) {
            status = take_value(scan, record, found, e);
            if (status == STATUS_OK && !*found)
                next_segment(scan);
        } else if (scan->at >= segment->end) {
            next_segment(scan);
        } else {
            status = take_line(scan, record, e);
            *found = status == STATUS_OK && !blank(record->bytes, record->length);
            scan->counts.blank += status == STATUS_OK && !*found;
        }
    }
    return status;
}
