/* prompts.c - prompt sources that are lines: of text, or of token ids.
 *
 * Opening walks the bytes once and notes where each prompt lies; the bytes stay
 * where they are. So ranks that map the same file agree on what prompt i is, and two
 * million short lines cost 24 bytes each. Lines of ids are checked to the end while
 * they are walked: a wrong id on line 900,000 must not be found out after hours.
 *
 * A line ends at a newline byte and nowhere else: U+2028, form feeds and lone
 * carriage returns are part of a prompt, as in every tool that reads lines.
 */
#include "prompts.h"

#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

#include "../base/memory.h"

void prompts_close(struct prompt_source *source)
{
    memory_free(source->items);
    memset(source, 0, sizeof *source);
}

/* ASCII white space. What Unicode adds (a line of no-break spaces) is text. */
static bool white(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static enum status add(struct prompt_source *source, struct prompts_item item, struct error *e)
{
    if (source->count == source->capacity) {
        const enum status status = memory_grow(&source->items, &source->capacity,
                                               source->count < 16 ? 16 : source->count + 1, sizeof *source->items,
                                               "index of the prompts", e);
        if (status != STATUS_OK)
            return status;
    }
    source->items[source->count++] = item;
    return STATUS_OK;
}

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

/* Checks a line of ids. */
static enum status check_ids(const char *line, size_t length, size_t vocabulary, size_t number, struct error *e)
{
    for (size_t at = 0; at < length;) {
        if (line[at] == ' ' || line[at] == '\t') {
            at++;
            continue;
        }
        const size_t start = at;
        int32_t id;
        const char *wrong = read_id(line, length, &at, vocabulary, &id);
        if (wrong == NULL)
            continue;
        size_t end = start;
        while (end < length && end - start < 40 && line[end] != ' ' && line[end] != '\t')
            end++;
        enum status status = error_set(e, STATUS_INPUT, "token id '%.*s' %s", (int)(end - start), line + start, wrong);
        error_where(e, "line %zu", number);
        error_advice(e, "ids are decimal numbers from 0 to %zu, separated by spaces, one sequence a line",
                     vocabulary - 1);
        return status;
    }
    return STATUS_OK;
}

/* Takes in one line, bytes [start, end) without its newline. */
static enum status take_line(struct prompt_source *source, size_t start, size_t end, size_t vocabulary,
                             struct error *e)
{
    source->lines++;
    if (end > start && source->bytes[end - 1] == '\r')
        end--;
    bool blank = true;
    for (size_t i = start; i < end && blank; i++)
        blank = white(source->bytes[i]);
    if (blank) {
        source->blank++;
        return STATUS_OK;
    }
    if (source->kind == PROMPTS_TOKENS) {
        const enum status status =
            check_ids(source->bytes + start, end - start, vocabulary, source->lines, e);
        if (status != STATUS_OK)
            return status;
    }
    return add(source, (struct prompts_item){start, end - start, source->lines}, e);
}

static enum status open_lines(struct prompt_source *source, size_t limit, size_t vocabulary, const char *name,
                              struct error *e)
{
    const char *bytes = source->bytes;
    size_t at = source->size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    enum status status = STATUS_OK;
    while (at < source->size && source->count < limit && status == STATUS_OK) {
        const char *newline = memchr(bytes + at, '\n', source->size - at);
        const size_t end = newline == NULL ? source->size : (size_t)(newline - bytes);
        status = take_line(source, at, end, vocabulary, e);
        at = end + 1;
    }
    if (status == STATUS_OK && source->count == 0) {
        status = error_set(e, STATUS_INPUT, "the file holds no prompts");
        if (source->lines > 0)
            error_where(e, "%zu lines, all blank", source->lines);
        error_advice(e, "write one prompt a line");
    }
    if (status != STATUS_OK) {
        if (name != NULL)
            error_file(e, name);
        prompts_close(source);
    }
    return status;
}

enum status prompts_open_text(struct prompt_source *source, const char *bytes, size_t size, size_t limit,
                              const char *name, struct error *e)
{
    *source = (struct prompt_source){.kind = PROMPTS_TEXT, .bytes = bytes, .size = size};
    return open_lines(source, limit, 0, name, e);
}

enum status prompts_open_tokens(struct prompt_source *source, const char *bytes, size_t size, size_t limit,
                                size_t vocabulary, const char *name, struct error *e)
{
    *source = (struct prompt_source){.kind = PROMPTS_TOKENS, .bytes = bytes, .size = size};
    return open_lines(source, limit, vocabulary, name, e);
}

enum status prompts_open_raw(struct prompt_source *source, const char *bytes, size_t size, struct error *e)
{
    *source = (struct prompt_source){.kind = PROMPTS_TEXT, .bytes = bytes, .size = size, .lines = 1};
    const enum status status = add(source, (struct prompts_item){0, size, 1}, e);
    if (status != STATUS_OK)
        prompts_close(source);
    return status;
}

const char *prompts_text(const struct prompt_source *source, size_t i, size_t *length)
{
    *length = source->items[i].length;
    return source->bytes + source->items[i].offset;
}

enum status prompts_tokens(const struct prompt_source *source, size_t i, struct token_list *out, struct error *e)
{
    const size_t length = source->items[i].length;
    const char *line = source->bytes + source->items[i].offset;
    enum status status = STATUS_OK;
    for (size_t at = 0; at < length && status == STATUS_OK;) {
        int32_t id;
        if (line[at] == ' ' || line[at] == '\t')
            at++;
        else if (read_id(line, length, &at, SIZE_MAX, &id) == NULL)
            status = token_list_add(out, id, e);
        else /* checked at opening: the file has changed under us */
            status = error_set(e, STATUS_INPUT, "line %zu has changed since it was read", source->items[i].line);
    }
    return status;
}

void prompts_hash(const int32_t *ids, size_t n, uint64_t hash[2])
{
    XXH128_hash_t h;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    h = XXH3_128bits(ids, n * sizeof *ids);
#else
    XXH3_state_t *state = XXH3_createState();
    XXH3_128bits_reset(state);
    for (size_t i = 0; i < n; i++) {
        const uint32_t id = (uint32_t)ids[i];
        const unsigned char bytes[4] = {(unsigned char)id, (unsigned char)(id >> 8), (unsigned char)(id >> 16),
                                        (unsigned char)(id >> 24)};
        XXH3_128bits_update(state, bytes, sizeof bytes);
    }
    h = XXH3_128bits_digest(state);
    XXH3_freeState(state);
#endif
    hash[0] = h.low64;
    hash[1] = h.high64;
}
