/* fuzz_expression.c - criteria of report's --criterion, parsed and applied to a layer in which some numbers are missing. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "mutate.h"
#include "stats/expression.h"

#define NEURONS 37
#define LONGEST 20000

static struct metrics layer;

static void fill(void)
{
    static const float odd[] = {0.0f, -0.0f, 1e-45f, -3.4e38f, 3.4e38f, 0.5f, -1.0f, 7.0f};
    struct mutate_random r = mutate_random(1);
    for (int s = 0; s < SERIES_COUNT; s++)
        for (int k = 0; k < METRIC_COUNT; k++)
            for (size_t i = 0; i < NEURONS; i++)
                layer.value[s][k][i] = mutate_one_in(&r, 5) ? NAN : odd[mutate_below(&r, 8)] * (mutate_one_in(&r, 2) ? 1.0f : 0.25f);
}

static void apply(struct expression *x)
{
    uint8_t first[NEURONS];
    struct error e;
    fuzz_claim(x->count > 0 && x->count <= EXPRESSION_STEPS, "an expression has steps, not too many");
    for (int turn = 0; turn < 2; turn++) {
        fuzz_claim(expression_apply(x, &layer, &e) == STATUS_OK, "what parses is applied: %s", e.sentence);
        for (size_t i = 0; i < NEURONS; i++)
            fuzz_claim(layer.saturated[i] <= 1, "a verdict is yes or no");
        fuzz_claim(turn == 0 || memcmp(first, layer.saturated, NEURONS) == 0, "and the same when it is asked for again");
        memcpy(first, layer.saturated, NEURONS);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[LONGEST + 1];
    struct expression x;
    struct error e;
    if (!layer.neurons) {
        fuzz_claim(metrics_init(&layer, NEURONS, &e) == STATUS_OK, "there is memory");
        fill();
    }
    const size_t length = size < LONGEST ? size : LONGEST;
    memcpy(text, data, length);
    text[length] = '\0'; /* as a command line ends it */
    fuzz_begin(data, size);
    error_clear(&e);
    if (expression_parse(&x, text, &e) == STATUS_OK) {
        apply(&x);
        fuzz_accepted();
    } else {
        fuzz_claim(e.status == STATUS_USAGE, "a fault is the command line's");
        fuzz_refused(&e);
    }
    return fuzz_end();
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    static const char *const words[] = {
        "gate.", "up.", "ffn.", "mean", "variance", "skewness", "kurtosis", "min", "max", "low_activity", "inactive", "mean_stderr",
        "low_activity_stderr", "median(", "average(", "abs(", "sqrt(", "(", ")", " and ", " or ", " not ", "<", "<=", ">", ">=", "==", "!=",
        "+", "-", "*", "/", "0", "0.1", "1e-6", "3", "1e400", "1e-400", ".", " ", "ffn.variance < 0.1", "((((((((", "not not not "};
    struct mutate_random r = mutate_random(seed);
    if (!size || mutate_one_in(&r, 5))
        return LLVMFuzzerMutate(data, size, max);
    const char *word = words[mutate_below(&r, sizeof words / sizeof *words)];
    size_t at = mutate_below(&r, size), old = 0;
    while (at > 0 && !strchr(" ().", data[at - 1])) /* at a word's start */
        at--;
    if (mutate_one_in(&r, 2))
        while (at + old < size && !strchr(" ().", data[at + old]))
            old++;
    return mutate_replace(data, size, max, at, old, word, strlen(word));
}
