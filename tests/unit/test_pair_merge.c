/* test_pair_merge.c - the heap against the slow way of merging: scan for the best pair, join, repeat.
 *
 * Random rules over four letters, random texts; and one text of a million equal
 * letters, which a quadratic loop would not finish.
 */
#include <string.h>

#include "text/pair_merge.h"
#include "tap.h"

enum { IDS = 64, LONGEST = 48 };

/* rules[a][b]: rank + 1 of joining ids a and b, or 0; the result's id beside it. */
static struct {
    uint32_t rank[IDS][IDS];
    int32_t id[IDS][IDS];
} rules;

static uint64_t random_state = 0x9E3779B97F4A7C15u;

static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 33) % n;
}

static bool join(const void *unused, const char *text, const struct pair_merge_symbol *left,
                 const struct pair_merge_symbol *right, int32_t *id, uint32_t *rank)
{
    (void)unused;
    (void)text;
    if (rules.rank[left->id][right->id] == 0)
        return false;
    *rank = rules.rank[left->id][right->id] - 1;
    *id = rules.id[left->id][right->id];
    return true;
}

/* ids[n] merged the slow way; returns how many are left. */
static size_t slow(int32_t *ids, size_t n)
{
    for (;;) {
        size_t best = n;
        for (size_t i = 0; i + 1 < n; i++) {
            const uint32_t rank = rules.rank[ids[i]][ids[i + 1]];
            if (rank != 0 && (best == n || rank < rules.rank[ids[best]][ids[best + 1]]))
                best = i;
        }
        if (best == n)
            return n;
        ids[best] = rules.id[ids[best]][ids[best + 1]];
        memmove(ids + best + 1, ids + best + 2, (n - best - 2) * sizeof *ids);
        n--;
    }
}

static void random_rules(void)
{
    memset(&rules, 0, sizeof rules);
    for (int i = 0; i < 600; i++) {
        const uint32_t a = random_below(IDS), b = random_below(IDS);
        rules.rank[a][b] = 1 + random_below(20); /* equal ranks are common */
        rules.id[a][b] = (int32_t)random_below(IDS);
    }
}

static bool same_as_slow(struct pair_merge *m)
{
    int32_t ids[LONGEST];
    struct error e;
    const size_t n = 1 + random_below(LONGEST);
    m->count = 0;
    for (size_t i = 0; i < n; i++) {
        ids[i] = (int32_t)random_below(IDS);
        if (pair_merge_append(m, i, 1, ids[i], &e) != STATUS_OK)
            bail("no memory");
    }
    if (pair_merge_run(m, "", join, NULL, &e) != STATUS_OK)
        bail("no memory");
    const size_t left = slow(ids, n);
    size_t at = 0, covered = 0;
    for (int32_t i = 0; i >= 0; i = m->symbols[i].next) {
        if (at == left || m->symbols[i].id != ids[at++] || m->symbols[i].start != covered)
            return false;
        covered += m->symbols[i].length;
    }
    return at == left && covered == n;
}

int main(void)
{
    struct pair_merge m = {0};
    struct error e;
    size_t wrong = 0;
    for (int round = 0; round < 200; round++) {
        random_rules();
        for (int text = 0; text < 50; text++)
            wrong += !same_as_slow(&m);
    }
    is_uint(wrong, 0, "10000 random texts merge as the slow way has it, leftmost first among equals");

    memset(&rules, 0, sizeof rules);
    for (int i = 0; i < 10; i++) {
        rules.rank[i][i] = 1;
        rules.id[i][i] = i + 1;
    }
    m.count = 0;
    for (size_t i = 0; i < 1000000; i++)
        if (pair_merge_append(&m, i, 1, 0, &e) != STATUS_OK)
            bail("no memory");
    is_int(pair_merge_run(&m, "", join, NULL, &e), STATUS_OK, "a million equal letters are merged");
    size_t count = 0;
    for (int32_t i = 0; i >= 0; i = m.symbols[i].next)
        count++;
    is_uint(count, 978, "into 976 runs of 1024, one of 512 and one of 64");
    pair_merge_free(&m);
    return tap_done();
}
