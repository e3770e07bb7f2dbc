/* test_schedule.c - every prompt runs once, groups end together, batches are full. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "cluster/schedule.h"
#include "tap.h"

#define MOST 20000

static struct intake_item items[MOST];
static const struct schedule_cost plain = {1.0, 0.0, 0.0};

/* Lengths as people's prompts have them: half are shorter than 150 tokens, one in 200 is longer than 2,000. */
static void make(size_t count, uint64_t seed)
{
    static float normal[MOST];
    struct random_stream r = random_open(seed, 0, 0, 0);
    random_normal(&r, 1.0f, count, normal);
    for (size_t i = 0; i < count; i++) {
        double length = 150.0 * exp((double)normal[i]);
        items[i] = (struct intake_item){.line = i, .length = length < 1.0 ? 1 : length > 4096.0 ? 4096 : (uint64_t)length};
    }
}

/* Stages of 4 layers, of which the longest prompt has room for the keys and values of 2. */
static struct schedule_terms terms(size_t groups, size_t stages, size_t batch_tokens)
{
    return (struct schedule_terms){plain, groups, stages, batch_tokens, stages > 1 ? 4 : 0, {2, 1}};
}

static double total(size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += (double)items[i].length;
    return sum;
}

/* What a stage does on a batch, of one prompt if it is longer than a chunk, before it hands on the last of it. */
static double kept(const struct schedule_terms *t, double tokens, size_t longest)
{
    double rows = (double)t->batch_tokens;
    if (tokens <= rows || t->layers < 2)
        return tokens < rows ? tokens : rows;
    double part = (double)band_layers(&t->shape, t->layers, longest, (size_t)tokens) / (double)t->layers;
    return (1.0 - part) * tokens + part * rows;
}

/* When the last group ends, by the formula of schedule.h; NAN when a prompt is missing or there twice. */
static double latest_end(size_t count, const struct schedule_terms *t)
{
    size_t *order, *start;
    bool *seen;
    struct error e;
    double latest = 0.0;
    if (schedule_all(items, count, t, &order, &start, &e) != STATUS_OK ||
        memory_array(&seen, count, sizeof *seen, "a test", &e) != STATUS_OK)
        bail("no memory");
    for (size_t g = 0; g < t->groups; g++) {
        double sum = 0.0, longest = 0.0;
        for (size_t i = start[g]; i < start[g + 1];) {
            size_t taken = schedule_batch(items, order + start[g], start[g + 1] - start[g], i - start[g], t->batch_tokens);
            double batch = 0.0;
            for (size_t k = i; k < i + taken; k++) {
                latest = seen[order[k]] ? NAN : latest;
                seen[order[k]] = true;
                batch += (double)items[order[k]].length;
            }
            sum += batch;
            batch = kept(t, batch, (size_t)schedule_longest(items, count));
            longest = batch > longest ? batch : longest;
            i += taken;
        }
        double end = sum + (double)(t->stages - 1) * longest;
        latest = end > latest ? end : latest;
    }
    latest = start[t->groups] == count ? latest : NAN;
    for (size_t i = 0; i < count; i++)
        latest = seen[i] ? latest : NAN;
    memory_free(seen);
    memory_free(order);
    memory_free(start);
    return latest;
}

static void test_shares(void)
{
    struct schedule_terms t = terms(7, 1, 512);
    size_t *order, *start, *mine, count;
    struct error e;
    bool same = true;
    make(1000, 1);
    is_int(schedule_all(items, 1000, &t, &order, &start, &e), STATUS_OK, "1000 prompts are shared out among 7 groups");
    for (size_t g = 0; g < 7; g++) {
        is_int(schedule_share(items, 1000, &t, g, &mine, &count, &e), STATUS_OK, "group %zu asks for its own", g);
        same = same && count == start[g + 1] - start[g] && memcmp(mine, order + start[g], count * sizeof *mine) == 0;
        memory_free(mine);
    }
    ok(same, "each group's share is the same as when all are asked for");
    memory_free(order);
    memory_free(start);
}

static void test_few(void)
{
    for (size_t i = 0; i < 3; i++)
        items[i] = (struct intake_item){.line = i, .length = 10 * (i + 1)};
    for (size_t stages = 1; stages <= 4; stages += 3) {
        struct schedule_terms t = terms(5, stages, 8);
        is_double(latest_end(3, &t), 30.0 + (double)(stages - 1) * (0.5 * 30.0 + 0.5 * 8.0), 0.0,
                  "3 prompts in 5 groups of %zu: the longest tells the end", stages);
        ok(latest_end(0, &t) == 0.0, "no prompts, no work");
    }
}

/* Each batch is closed only when nothing that is left fits. */
static void test_batches(void)
{
    struct schedule_terms t = terms(1, 1, 512);
    size_t *mine, count, batches = 0, from = 0;
    struct error e;
    bool full = true;
    make(1500, 2);
    if (schedule_share(items, 1500, &t, 0, &mine, &count, &e) != STATUS_OK)
        bail("no memory");
    uint64_t previous = UINT64_MAX, least = 0;
    for (; from < count; batches++) {
        size_t taken = schedule_batch(items, mine, count, from, 512);
        uint64_t tokens = 0, shortest = UINT64_MAX;
        for (size_t i = from; i < from + taken; i++)
            tokens += items[mine[i]].length;
        for (size_t i = from + taken; i < count; i++)
            shortest = items[mine[i]].length < shortest ? items[mine[i]].length : shortest;
        full = full && items[mine[from]].length <= previous && (shortest == UINT64_MAX || tokens + shortest > 512);
        previous = items[mine[from]].length;
        from += taken;
    }
    ok(full, "batches begin with the longest prompt left and end when nothing fits");
    for (size_t i = 0; i < count; i++)
        least += items[i].length > 512 ? 0 : items[i].length;
    for (size_t i = 0; i < count; i++)
        batches -= items[i].length > 512;
    ok(batches <= least / 512 + 3, "batches of several prompts are full: %zu for %llu tokens", batches,
       (unsigned long long)least);
    memory_free(mine);
}

static void test_ends(void)
{
    make(3000, 3);
    double all = total(3000);
    struct schedule_terms by_prompts = terms(64, 1, 512), grid = terms(8, 8, 512), two = terms(32, 2, 512);
    ok(all / 64 / latest_end(3000, &by_prompts) > 0.999, "3000 prompts: 64 groups end together");
    double share = all / 8 / latest_end(3000, &grid);
    ok(share > 0.94, "8 groups of 8 stages wait for long prompts together: %.3f of their time is work", share);
    share = all / 32 / latest_end(3000, &two);
    ok(share > 0.96, "32 groups of 2 stages: %.3f", share);
    make(MOST, 4);
    struct schedule_terms many = terms(400, 1, 512);
    ok(total(MOST) / 400 / latest_end(MOST, &many) > 0.99, "20,000 prompts: 400 groups end together");
    for (size_t stages = 1; stages <= 32; stages *= 2) {
        struct schedule_terms t = terms(3, stages, 512);
        ok(latest_end(100, &t) > 0.0, "%zu stages: every prompt runs once", stages);
    }
}

int main(void)
{
    test_shares();
    test_few();
    test_batches();
    test_ends();
    return tap_done();
}
