/* prompts.h - where prompts come from: lines of text, lines of token ids.
 *
 * Flow: *prompts* -> tokenizer -> forward pass. A source is an index over bytes
 * that somebody else holds (a mapped file, a pipe read whole); nothing is copied.
 * JSON, directories and compressed files are further kinds of the same struct.
 */
#ifndef PHI3SAT_TEXT_PROMPTS_H
#define PHI3SAT_TEXT_PROMPTS_H

#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"
#include "token_list.h"

enum prompts_kind {
    PROMPTS_TEXT,  /* one prompt a line                                     */
    PROMPTS_TOKENS /* one sequence of token ids a line, separated by spaces */
};

#define PROMPTS_ALL SIZE_MAX

struct prompts_item {
    size_t offset; /* into the source's bytes            */
    size_t length; /* bytes, line end and CR not counted */
    size_t line;   /* number of the line, from 1         */
};

/* An open source. Read-only once open: thread-safe. */
struct prompt_source {
    enum prompts_kind kind;
    const char *bytes;          /* [size], borrowed: must outlive the source                   */
    size_t size;
    struct prompts_item *items; /* [count]; owned                                              */
    size_t count;
    size_t capacity;
    size_t lines;               /* lines looked at (all, unless a limit ended it earlier)      */
    size_t blank;               /* of these, lines of nothing but white space: skipped         */
};

/* Indexes the first `limit` prompts (PROMPTS_ALL: all) of bytes[size], one a
 * line. A BOM at the start and a carriage return at a line's end are dropped;
 * lines of white space only are skipped and counted; the last line needs no
 * newline. Every other byte is the prompt's, NUL and malformed UTF-8 too.
 * `name` is the file's, for messages. STATUS_INPUT when no prompt is left;
 * `source` is then empty. Closed by prompts_close. */
enum status prompts_open_text(struct prompt_source *source, const char *bytes, size_t size, size_t limit,
                              const char *name, struct error *e) ERROR_MUST_USE;

/* The same for lines of token ids in decimal, separated by spaces or tabs.
 * Every id must be below `vocabulary`; the first line that is wrong is
 * refused with its number (STATUS_INPUT). */
enum status prompts_open_tokens(struct prompt_source *source, const char *bytes, size_t size, size_t limit,
                                size_t vocabulary, const char *name, struct error *e) ERROR_MUST_USE;

/* One whole file as one prompt, every byte of it (BOM and line ends too). */
enum status prompts_open_raw(struct prompt_source *source, const char *bytes, size_t size,
                             struct error *e) ERROR_MUST_USE;

void prompts_close(struct prompt_source *source);

/* The text of prompt i < count (PROMPTS_TEXT); borrowed from the source's bytes. */
const char *prompts_text(const struct prompt_source *source, size_t i, size_t *length);

/* Appends the ids of prompt i < count (PROMPTS_TOKENS) to `out`, as they
 * stand: no BOS. Fails for want of memory only. */
enum status prompts_tokens(const struct prompt_source *source, size_t i, struct token_list *out,
                           struct error *e) ERROR_MUST_USE;

/* The 128-bit name of a prompt: XXH3_128bits of its ids[n] as little-endian int32;
 * hash[0] the low 64 bits, hash[1] the high. The same on every machine. */
void prompts_hash(const int32_t *ids, size_t n, uint64_t hash[2]);

#endif
