/* intake.h - prompts of all ranks: read, tokenised in shares, named, counted.
 *
 * Flow: prompt source, tokenizer -> *intake* -> schedule -> batches. Every rank can read
 * any prompt of the source (cluster/sources.h), tokenises every size-th one, and tells the
 * others how long each is and its hash. Tokens themselves are
 * made again by whoever runs the prompt: cheaper than keeping them all everywhere.
 */
#ifndef PHI3SAT_CLUSTER_INTAKE_H
#define PHI3SAT_CLUSTER_INTAKE_H

#include "../text/prompts.h"
#include "../text/tokenizer.h"
#include "ranks.h"

enum intake_overlong { INTAKE_TRUNCATE, INTAKE_SPLIT, INTAKE_SKIP, INTAKE_ERROR };

struct intake_options {
    const char *path;            /* file, folder, or "-"; with in_memory a name for messages */
    bool in_memory;              /* bytes[size] on rank 0 instead of a path           */
    const char *bytes;           /* borrowed until intake_open returns                */
    size_t size;
    bool token_ids;              /* --tokens: lines of ids                            */
    enum recognise_wish format;  /* else: what the source is said to be               */
    const struct chat *chat;     /* the model's chat format, borrowed; NULL: plain    */
    size_t limit;                /* the first N prompts; PROMPTS_ALL                   */
    size_t sample;               /* 0; else only about so many of them, evenly spread, for plans */
    size_t shard, shards;        /* prompts whose index mod shards is shard; 0 of 1     */
    size_t context;              /* longest prompt in tokens                          */
    size_t vocabulary;           /* ids must be below it                              */
    enum intake_overlong overlong;
    bool no_bos;
};

/* One prompt as it will be run. */
struct intake_item {
    uint64_t hash[2];
    uint64_t line;      /* index in the source                                        */
    uint64_t first;     /* token of that prompt where this piece begins (--overlong split) */
    uint64_t length;    /* tokens, >= 1                                              */
    uint64_t cut;       /* 1: counts as a prompt that was cut                         */
};

/* What happened on the way, all ranks together. */
struct intake_counts {
    uint64_t blank, empty, malformed, cut, skipped, repeated, double_bos, unknown, tokens;
};

struct intake {
    struct intake_options options;
    struct prompt_source source;
    struct intake_reading *reading;    /* work space of the one thread that reads      */
    const struct tokenizer *tokenizer; /* borrowed; NULL with token_ids                */
    struct intake_item *items;         /* [count], by line and first                   */
    size_t count;
    size_t stride;                     /* each item stands for so many prompts; 1 without a sample */
    struct intake_counts counts;
};

/* Collective. Fails alike on all ranks. `tokenizer` is borrowed until intake_close. */
enum status intake_open(struct intake *in, const struct ranks *r, const struct intake_options *options,
                        const struct tokenizer *tokenizer, struct error *e) ERROR_MUST_USE;
void intake_close(struct intake *in);

/* Takes items away for which held[count] is true; tokens and cut prompts are then those of the others. */
void intake_drop(struct intake *in, const bool *held);

/* The line (of its file) of prompt `index` of the source, for messages; 0: can't be read. */
size_t intake_line(const struct intake *in, uint64_t index);

/* Appends the ids of one item to `out`. */
enum status intake_tokens(const struct intake *in, const struct intake_item *item, struct token_list *out,
                          struct error *e) ERROR_MUST_USE;

#endif
