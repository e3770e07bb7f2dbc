/* prompts.h - where prompts come from: text, JSON, token ids; a file, a folder, a pipe, memory.
 *
 * Flow: *prompts* -> conversation -> chat format -> tokenizer -> forward pass. A source is opened
 * once, which reads all of it, counts what is odd and makes an index; then any prompt can be
 * read by its number. Neither texts nor an entry for each prompt are kept in memory: the index
 * holds every prompt's place up to a million of them, then every second, every fourth ...
 * Opened by one process, a source can be sent to others (prompts_pack).
 */
#ifndef PHI3SAT_TEXT_PROMPTS_H
#define PHI3SAT_TEXT_PROMPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"
#include "chat.h"
#include "conversation.h"
#include "recognise.h"
#include "scan.h"
#include "spool.h"
#include "token_list.h"

enum prompts_kind {
    PROMPTS_TEXT,  /* texts and conversations */
    PROMPTS_TOKENS /* sequences of token ids  */
};

#define PROMPTS_ALL SIZE_MAX
#define PROMPTS_BROKEN_LIMIT 100

struct prompts_options {
    enum recognise_wish wish;
    size_t limit;         /* the first N prompts; PROMPTS_ALL                          */
    size_t vocabulary;    /* RECOGNISE_AS_TOKENS: ids must be below it                 */
    size_t broken_limit;  /* more faulty JSON records than this are an error           */
    size_t index_limit;   /* entries of the index; 0: a million. For tests             */
};

/* What was met on the way. All uint64_t: ranks send it as such. */
struct prompts_counts {
    uint64_t lines;     /* lines, or JSON values, looked at (all, unless a limit ended it earlier) */
    uint64_t blank;     /* of these, nothing but ASCII white space: skipped             */
    uint64_t returns;   /* carriage returns dropped at line ends                         */
    uint64_t boms;      /* byte order marks dropped                                      */
    uint64_t broken;    /* records that are no JSON: skipped                             */
    uint64_t missing;   /* records without a field that phi3sat knows: skipped           */
    uint64_t nul;       /* prompts with NUL bytes: kept                                  */
    uint64_t garbage;   /* bytes behind the last gzip member or Zstandard frame: not used */
    uint64_t files;     /* read                                                          */
    uint64_t ignored;   /* entries of a folder that were no files, or hidden             */
    uint64_t latin1;    /* 1: looks like Latin-1                                         */
    uint64_t talks;     /* prompts of more than one message                              */
};

/* An open source. Read-only once open: thread-safe. Zeroed: closed. */
struct prompt_source {
    enum prompts_kind kind;
    struct prompts_options options;
    struct spool spool;
    bool plain_file;                /* the spool is the file that was named, nothing was copied */
    struct scan_segment *segments;  /* [segment_count], names owned                      */
    size_t segment_count, segment_capacity;
    struct prompts_place {
        uint64_t offset, line;
    } *index;                       /* [index_count] of prompts 0, stride, 2 stride ...    */
    size_t index_count, index_capacity, stride;
    size_t count;                   /* prompts                                           */
    struct prompts_counts counts;
    char first_fault[320];          /* "line 7: it is no JSON: ..."; "" none               */
    char form[64];                  /* "text", "JSON Lines, gzip"                        */
};

struct prompts_options prompts_defaults(void);

/* Opens `path`: a file, a folder (its files by name), a pipe or device; "-" is standard input. gzip
 * and Zstandard are decompressed. What is no plain file is copied to a spool. STATUS_INPUT: can't be
 * read, damaged, something else than prompts, more faulty records than allowed, no prompt
 * left. `source` is closed on failure, else by prompts_close. */
enum status prompts_open(struct prompt_source *source, const char *path, const struct prompts_options *options,
                         struct error *e) ERROR_MUST_USE;

/* The same over bytes in memory, which must outlive the source. `name` is for messages. */
enum status prompts_open_bytes(struct prompt_source *source, const char *bytes, size_t size, const char *name,
                               const struct prompts_options *options, struct error *e) ERROR_MUST_USE;

/* The same over bytes that need not outlive the call: they are copied, many of them to a temporary file. */
enum status prompts_open_copy(struct prompt_source *source, const char *bytes, size_t size, const char *name,
                              const struct prompts_options *options, struct error *e) ERROR_MUST_USE;

/* Lines of text in memory; lines of token ids in memory, all below `vocabulary`. */
enum status prompts_open_text(struct prompt_source *source, const char *bytes, size_t size, size_t limit,
                              const char *name, struct error *e) ERROR_MUST_USE;
enum status prompts_open_tokens(struct prompt_source *source, const char *bytes, size_t size, size_t limit,
                                size_t vocabulary, const char *name, struct error *e) ERROR_MUST_USE;

void prompts_close(struct prompt_source *source);

/* The part of opening that reads the records, counts and makes the index; prompts_open.c has found
 * the segments before. STATUS_INPUT as above; the source stays as it is. */
enum status prompts_index(struct prompt_source *source, const char *name, struct error *e) ERROR_MUST_USE;

/* Says in the log what was odd about the source: one line a kind, nothing when all is plain.
 * `chat`: prompts are put into the model's form. */
void prompts_tell(const struct prompt_source *source, bool chat);

/* All but the bytes, for another process: *bytes[*size], freed by the caller. prompts_unpack makes a
 * source of it whose spool the caller fills (spool_over, spool_attach, or prompts_attach_file). */
enum status prompts_pack(const struct prompt_source *source, char **bytes, size_t *size,
                         struct error *e) ERROR_MUST_USE;
enum status prompts_unpack(struct prompt_source *source, const char *bytes, size_t size,
                           struct error *e) ERROR_MUST_USE;
/* Opens the plain file `path`, which must have `size` bytes here, too. */
enum status prompts_attach_file(struct prompt_source *source, const char *path, size_t size,
                                struct error *e) ERROR_MUST_USE;

/* Reads prompts by number, best in rising order. One thread. */
struct prompts_reader {
    const struct prompt_source *source; /* borrowed */
    struct scan scan;
    struct scan_record record;          /* the last one read                            */
    struct conversation conversation;   /* of it; PROMPTS_TEXT; prompts_read may take its text */
    size_t next;                        /* number of the prompt that the scan meets next */
};
struct prompts_reader prompts_reader_begin(const struct prompt_source *source);
void prompts_reader_close(struct prompts_reader *reader);

/* Makes prompt i < count the one read last. */
enum status prompts_reader_go(struct prompts_reader *reader, size_t i, struct error *e) ERROR_MUST_USE;

/* Puts the text of prompt i < count into `out` (emptied first), in the model's form when `chat`
 * is given: `bos` as in chat_render. */
enum status prompts_read(struct prompts_reader *reader, size_t i, const struct chat *chat, bool bos,
                         struct text_buffer *out, struct error *e) ERROR_MUST_USE;

/* Appends the ids of prompt i < count (PROMPTS_TOKENS) to `out`, as they stand: no BOS. */
enum status prompts_read_tokens(struct prompts_reader *reader, size_t i, struct token_list *out,
                                struct error *e) ERROR_MUST_USE;

/* Adds the file and line of the prompt read last to `e`. */
enum status prompts_blame(const struct prompts_reader *reader, struct error *e);

/* The 128-bit name of a prompt: XXH3_128bits of its ids[n] as little-endian int32;
 * hash[0] the low 64 bits, hash[1] the high. The same on every machine. */
void prompts_hash(const int32_t *ids, size_t n, uint64_t hash[2]);

#endif
