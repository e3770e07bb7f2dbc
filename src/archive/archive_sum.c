/* archive_sum.c - adds archives; see archive_sum.h.
 *
 * All archives stay open, a thousand shards of a job array too: the limit of open files is raised as far as the
 * system lets us. Counts are checked for overflow, since nobody vouches for the files.
 */
#include "archive_sum.h"

#include <string.h>
#include <sys/resource.h>

#include "../base/memory.h"
#include "archive_match.h"

/* Files that are open beside the archives. */
#define OTHER_FILES 32

static void allow_files(size_t count)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur >= count + OTHER_FILES)
        return;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return; /* the archive that can't be opened will be named */
}

static enum status too_many(const char *path, struct error *e)
{
    error_set(e, STATUS_INPUT, "has more prompts or tokens than 64 bits can count together with the archives before it");
    error_advice(e, "no run has so many: leave the file out, or profile its prompts again");
    return error_file(e, path);
}

static enum status add_facts(struct archive_facts *into, const struct archive_facts *from, const char *path,
                             struct error *e)
{
    uint64_t *const sums[] = {&into->prompts, &into->tokens, &into->prompts_cut};
    const uint64_t addends[] = {from->prompts, from->tokens, from->prompts_cut};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (__builtin_add_overflow(*sums[i], addends[i], sums[i]))
            return too_many(path, e);
    return STATUS_OK;
}

/* The i-th archive, which must fit the first. */
static enum status take(struct archive_sum *sum, size_t i, const char *path, struct error *e)
{
    char words[ARCHIVE_MATCH_WORDS];
    struct prompt_set own = {.entry = NULL};
    enum status s = archive_reader_open(&sum->reader[i], path, e);
    if (s != STATUS_OK)
        return s;
    const struct archive_facts *facts = archive_reader_facts(sum->reader[i]);
    if (i == 0)
        sum->facts = *facts;
    else if (!archive_match(facts, &sum->facts, words)) {
        error_set(e, STATUS_INPUT, "can't be merged with the first archive: it has %s", words);
        error_advice(e, "merge archives of one model, profiled with the same options");
        return error_file(e, path);
    } else
        s = add_facts(&sum->facts, facts, path, e);
    if (s == STATUS_OK)
        s = archive_reader_prompts(sum->reader[i], &own, e);
    if (s == STATUS_OK) {
        s = prompt_set_merge(&sum->prompts, &own, e);
        if (s == STATUS_INPUT)
            error_file(e, path);
    }
    prompt_set_free(&own);
    return s;
}

static enum status open_all(struct archive_sum *sum, char *const *paths, size_t count, struct error *e)
{
    enum status s = memory_array(&sum->reader, count, sizeof(struct archive_reader *), "archives", e);
    for (size_t i = 0; i < count && s == STATUS_OK; i++) {
        sum->count = i + 1;
        s = take(sum, i, paths[i], e);
    }
    if (s != STATUS_OK)
        return s;
    sum->facts.prompts_repeated = sum->facts.prompts - sum->prompts.count; /* each is there at least once */
    s = prompt_set_fingerprint(&sum->prompts, sum->facts.prompts_fingerprint, e);
    if (s == STATUS_OK)
        s = accumulator_init(&sum->layer, 1, sum->facts.intermediate_size, e);
    return s == STATUS_OK ? accumulator_init(&sum->scratch, 1, sum->facts.intermediate_size, e) : s;
}

enum status archive_sum_open(struct archive_sum *sum, char *const *paths, size_t count, struct error *e)
{
    memset(sum, 0, sizeof *sum);
    allow_files(count);
    enum status s = open_all(sum, paths, count, e);
    if (s != STATUS_OK)
        archive_sum_close(sum);
    return s;
}

void archive_sum_close(struct archive_sum *sum)
{
    for (size_t i = 0; i < sum->count; i++)
        archive_reader_close(sum->reader[i]);
    memory_free(sum->reader);
    prompt_set_free(&sum->prompts);
    accumulator_free(&sum->layer);
    accumulator_free(&sum->scratch);
    memset(sum, 0, sizeof *sum);
}

static enum status read_layer(struct archive_reader *reader, size_t layer, const struct accumulator *into,
                              struct error *e)
{
    struct accumulator_block *const block[SERIES_COUNT] = {accumulator_blocks(into, 0, SERIES_GATE),
                                                           accumulator_blocks(into, 0, SERIES_UP),
                                                           accumulator_blocks(into, 0, SERIES_FFN)};
    return archive_reader_state(reader, layer, block, into->layer, e);
}

enum status archive_sum_layer(struct archive_sum *sum, size_t layer, struct error *e)
{
    enum status s = read_layer(sum->reader[0], layer, &sum->layer, e);
    for (size_t i = 1; i < sum->count && s == STATUS_OK; i++) {
        s = read_layer(sum->reader[i], layer, &sum->scratch, e);
        if (s == STATUS_OK)
            accumulator_merge(&sum->layer, &sum->scratch);
    }
    return s;
}
