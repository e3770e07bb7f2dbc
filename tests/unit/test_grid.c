/* test_grid.c - what --grid may say, and which grid nodes of some memory get. */
#include <stdlib.h>
#include <string.h>

#include "cluster/grid.h"
#include "tap.h"

#define LAYERS 8
#define RANKS 64
#define MIB ((uint64_t)1 << 20)

/* A model of eight layers of 100 MiB each and an embedding of 50. */
static uint64_t bytes[LAYERS], work[LAYERS];
static const struct footprint_weights weights = {bytes, work, LAYERS, 50 * MIB, 0, false};
static const struct config config = {.layers = LAYERS, .hidden = 1024, .intermediate = 4096, .heads = 8, .kv_heads = 8,
                                     .head_dim = 128, .rotary = 128, .context = 4096};
static const struct footprint_load load = {.batch_tokens = 256, .threads = 1, .longest = 256, .shortest = 10};
static struct grid_place place[RANKS];

static void parsing(void)
{
    static const char *const wrong[] = {"", "4", "4x", "x4", "0x1", "1x0", "-1x2", "4 x2", "4x2 ", "4X2", "4x2x2", "AUTO",
                                        "99999999999999999999x1", "1x1000000000"};
    struct grid_wish wish;
    ok(grid_parse("12x34", &wish) && wish.groups == 12 && wish.stages == 34, "12x34: 12 groups of 34 stages");
    ok(grid_parse("auto", &wish) && wish.groups == 0 && wish.stages == 0, "auto: phi3sat chooses");
    bool refused = true;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refused = refused && !grid_parse(wrong[i], &wish);
    ok(refused, "anything else is refused");
}

/* Ranks in blocks of `each` on nodes of `memory`. */
static void lay_out(size_t ranks, size_t each, uint64_t memory)
{
    for (size_t r = 0; r < ranks; r++)
        place[r] = (struct grid_place){"node", r / each * each, memory, GRID_FREE};
}

static struct grid_need weigh(size_t ranks, size_t stages)
{
    struct grid_need need;
    struct error e;
    if (grid_weigh(&need, place, ranks, stages, &config, &weights, &load, &e) != STATUS_OK)
        bail("no weight: %s", e.sentence);
    return need;
}

static size_t choose(size_t ranks, const char **what)
{
    static char text[96];
    struct grid_need chosen, first;
    struct error e;
    if (grid_choose(&chosen, &first, place, ranks, &config, &weights, &load, &e) != STATUS_OK)
        bail("no choice: %s", e.sentence);
    snprintf(text, sizeof text, "%zu stages need %llu MiB of %llu", chosen.stages, (unsigned long long)(chosen.need / MIB),
             (unsigned long long)(chosen.memory / MIB));
    *what = text;
    return chosen.fits ? chosen.stages : 0;
}

static void weighing(void)
{
    struct footprint whole, half[2];
    struct error e;
    if (footprint_of(&whole, &config, &weights, &load, (struct footprint_stage){0, 8}, &e) != STATUS_OK ||
        footprint_of(&half[0], &config, &weights, &load, (struct footprint_stage){0, 4}, &e) != STATUS_OK ||
        footprint_of(&half[1], &config, &weights, &load, (struct footprint_stage){4, 4}, &e) != STATUS_OK)
        bail("no plan: %s", e.sentence);
    uint64_t own = whole.state + whole.working, halves = half[0].state + half[0].working + half[1].state + half[1].working;
    lay_out(8, 8, 1000 * MIB);
    is_uint(weigh(8, 1).need, 850 * MIB + 8 * own, "a node holds the file once, and each rank's own memory");
    is_uint(weigh(8, 2).need, 850 * MIB + 4 * halves, "so it does with both stages on it, whose states are halves");
    lay_out(8, 1, 1000 * MIB);
    is_uint(weigh(8, 2).need, 450 * MIB + half[0].state + half[0].working, "a node of one rank holds one stage");
    place[5].memory = 300 * MIB;
    is_uint(weigh(8, 2).rank, 5, "the node that is told of is the fullest");
    ok(!weigh(8, 2).fits, "one that is too small is enough not to fit");
    lay_out(8, 4, 0);
    ok(weigh(8, 1).fits, "what isn't known is taken for enough");
}

static void choosing(void)
{
    const char *what;
    lay_out(8, 8, 100000 * MIB);
    is_uint(choose(8, &what), 1, "with memory enough there is one stage");
    lay_out(8, 8, 1250 * MIB);
    is_uint(choose(8, &what), 2, "where states are too many, stages are added: %s", what);
    lay_out(8, 1, 700 * MIB);
    is_uint(choose(8, &what), 2, "and where the model doesn't fit: %s", what);
    lay_out(6, 1, 500 * MIB);
    is_uint(choose(6, &what), 3, "of the numbers that divide the ranks, the least that fits: %s", what);
    lay_out(64, 64, 2900 * MIB);
    is_uint(choose(64, &what), 8, "at most as many stages as layers: %s", what);
    lay_out(7, 1, 700 * MIB);
    is_uint(choose(7, &what), 7, "seven ranks make one stage or seven: %s", what);
    lay_out(11, 1, 700 * MIB);
    is_uint(choose(11, &what), 0, "of eleven no eight stages can be made: it doesn't fit");
    lay_out(8, 1, 60 * MIB);
    is_uint(choose(8, &what), 0, "nor does anything in next to no memory: %s", what);
    lay_out(1, 1, 1 * MIB);
    is_uint(choose(1, &what), 0, "one rank has no choice");
}

int main(void)
{
    for (size_t l = 0; l < LAYERS; l++) {
        bytes[l] = 100 * MIB;
        work[l] = 1000;
    }
    parsing();
    weighing();
    choosing();
    return tap_done();
}
