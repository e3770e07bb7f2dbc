/* merge_run.c - see merge_run.h.
 *
 * The rows of archive_facts_run_table are walked, so that a new count of prompts is added up without a change
 * here; what has to be treated otherwise is named below.
 */
#include "merge_run.h"

#include <stdlib.h>
#include <string.h>

#include "../base/memory.h"

enum rule { ADD, ONCE_A_SOURCE, LARGEST, LEFT_OUT };

static const struct {
    const char *name;
    enum rule rule;
} exceptions[] = {
    {"threads", LARGEST}, {"batch_tokens", LARGEST}, {"blank_lines", ONCE_A_SOURCE},
    {"broken_records", ONCE_A_SOURCE}, {"unusable_records", ONCE_A_SOURCE}, {"nul_prompts", ONCE_A_SOURCE},
    {"carriage_returns", ONCE_A_SOURCE}, {"byte_order_marks", ONCE_A_SOURCE}, {"garbage_bytes", ONCE_A_SOURCE},
    {"ignored_entries", ONCE_A_SOURCE}, {"latin1_sources", ONCE_A_SOURCE}, {"tokens_per_second", LEFT_OUT},
    {"command_line", LEFT_OUT}, {"started", LEFT_OUT}, {"finished", LEFT_OUT}, {"program_version", LEFT_OUT},
    {"build", LEFT_OUT}, {"merged_from", LEFT_OUT}};

static enum rule rule_of(const char *name)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (strcmp(name, exceptions[i].name) == 0)
            return exceptions[i].rule;
    return ADD;
}

/* An attribute of the i-th archive as text; NULL: it has none. */
static const char *value_of(const struct archive_sum *sum, size_t i, const char *name)
{
    return archive_reader_run_value(sum->reader[i], name);
}

/* Has an earlier archive the same value? Those without one are all alike. */
static bool seen_before(const struct archive_sum *sum, size_t i, const char *name)
{
    const char *own = value_of(sum, i, name);
    for (size_t k = 0; k < i; k++) {
        const char *other = value_of(sum, k, name);
        if (own == other || (own && other && strcmp(own, other) == 0))
            return true;
    }
    return false;
}

static enum status join(struct merge_run *m, const struct archive_sum *sum, const char *name, const char **joined,
                        struct error *e)
{
    size_t size = 1, used = 0;
    char *text;
    for (size_t i = 0; i < sum->count; i++)
        size += value_of(sum, i, name) ? strlen(value_of(sum, i, name)) + 2 : 0;
    if (size == 1)
        return STATUS_OK;
    enum status s = memory_grow(&m->text, &m->capacity, m->count + 1, sizeof *m->text, "the runs' attributes", e);
    if (s == STATUS_OK)
        s = memory_array(&text, size, 1, "the runs' attributes", e);
    if (s != STATUS_OK)
        return s;
    for (size_t i = 0; i < sum->count; i++) {
        const char *value = value_of(sum, i, name);
        if (!value || seen_before(sum, i, name))
            continue;
        if (used)
            memcpy(text + used, strcmp(name, "hosts") == 0 ? " " : "; ", 2);
        used += used ? strlen(text + used) : 0;
        memcpy(text + used, value, strlen(value) + 1);
        used += strlen(value);
    }
    m->text[m->count++] = text;
    *joined = text;
    return STATUS_OK;
}

/* Nobody vouches for the numbers: what is none counts as 0, and sums stay at the largest. */
static uint64_t add_up(const struct archive_sum *sum, const char *name, enum rule rule)
{
    uint64_t total = 0;
    for (size_t i = 0; i < sum->count; i++) {
        const char *value = value_of(sum, i, name);
        uint64_t here = value ? strtoull(value, NULL, 10) : 0;
        if (rule == LARGEST)
            total = here > total ? here : total;
        else if (rule == ADD || !seen_before(sum, i, "prompts_source"))
            total = here > UINT64_MAX - total ? UINT64_MAX : total + here;
    }
    return total;
}

static double add_up_real(const struct archive_sum *sum, const char *name)
{
    double total = 0.0;
    for (size_t i = 0; i < sum->count; i++) {
        const char *value = value_of(sum, i, name);
        total += value ? strtod(value, NULL) : 0.0;
    }
    return total;
}

static enum status collect(struct merge_run *m, const struct archive_sum *sum, const struct archive_facts_row *row,
                           struct error *e)
{
    char *field = (char *)&m->run + row->offset;
    enum rule rule = rule_of(row->name);
    const char *text = NULL;
    enum status s = STATUS_OK;
    uint64_t count;
    double real;
    if (rule == LEFT_OUT)
        return s;
    if (row->kind == ARCHIVE_FACTS_POINTER) {
        s = join(m, sum, row->name, &text, e);
        memcpy(field, &text, sizeof text);
    } else if (row->kind == ARCHIVE_FACTS_COUNT) {
        count = add_up(sum, row->name, rule);
        memcpy(field, &count, sizeof count);
    } else if (row->kind == ARCHIVE_FACTS_REAL) {
        real = add_up_real(sum, row->name);
        memcpy(field, &real, sizeof real);
    }
    return s;
}

enum status merge_run_collect(struct merge_run *m, const struct archive_sum *sum, struct error *e)
{
    enum status s = STATUS_OK;
    memset(m, 0, sizeof *m);
    for (const struct archive_facts_row *row = archive_facts_run_table; row->name && s == STATUS_OK; row++)
        s = collect(m, sum, row, e);
    if (m->run.seconds > 0.0)
        m->run.tokens_per_second = (double)sum->facts.tokens / m->run.seconds;
    if (s != STATUS_OK)
        merge_run_free(m);
    return s;
}

void merge_run_free(struct merge_run *m)
{
    for (size_t i = 0; i < m->count; i++)
        memory_free(m->text[i]);
    memory_free(m->text);
    memset(m, 0, sizeof *m);
}
