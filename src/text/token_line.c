/* token_line.c - see token_line.h. */
#include "token_line.h"

#include <string.h>

/* Reads one decimal id at line[*at], below `vocabulary`. NULL, or what is wrong. */
static const char *read_id(const char *line, size_t length, size_t *at, size_t vocabulary, int32_t *id)
{
    uint64_t value = 0;
    const size_t start = *at;
    for (; *at < length && line[*at] >= '0' && line[*at] <= '9'; ++*at)
        value = value > INT32_MAX ? value : value * 10 + (uint64_t)(line[*at] - '0');
    if (*at < length && line[start] == '-' && *at == start)
        return "is negative";
    if (*at == start || (*at < length && line[*at] != ' ' && line[*at] != '\t'))
        return "is not a number";
    if (value >= vocabulary || value > INT32_MAX)
        return "is outside the vocabulary";
    *id = (int32_t)value;
    return NULL;
}

enum status token_line_read(const char *line, size_t length, size_t vocabulary, struct token_list *out,
                            struct error *e)
{
    enum status status = STATUS_OK;
    for (size_t at = 0; at < length && status == STATUS_OK;) {
        if (line[at] == ' ' || line[at] == '\t') {
            at++;
            continue;
        }
        const size_t start = at;
        int32_t id = 0;
        const char *wrong = read_id(line, length, &at, vocabulary, &id);
        if (wrong == NULL) {
            status = out == NULL ? STATUS_OK : token_list_add(out, id, e);
            continue;
        }
        if (memchr(line + start, '\0', at + 1 < length ? at + 1 - start : length - start) != NULL) {
            error_set(e, STATUS_INPUT, "a token id holds a NUL byte");
            return error_advice(e, "the file is damaged or no text; ids are decimal numbers, separated by spaces, one sequence a line");
        }
        size_t end = start;
        while (end < length && end - start < 40 && line[end] != ' ' && line[end] != '\t')
            end++;
        error_set(e, STATUS_INPUT, "token id '%.*s' %s", (int)(end - start), line + start, wrong);
        return error_advice(e, "ids are decimal numbers from 0 to %zu, separated by spaces, one sequence a line",
                            vocabulary - 1);
    }
    return status;
}
