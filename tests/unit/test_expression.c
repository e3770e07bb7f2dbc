/* test_expression.c - criteria of one's own: what they mean, and at which column they are wrong. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failing_memory.h"
#include "stats/expression.h"
#include "tap.h"

#define NEURONS 8

static struct metrics m;

/* ffn.variance 1..8, gate.mean -0.4..0.3, kurtosis missing for neuron 7; the rest 1. */
static void fill(void)
{
    for (int s = 0; s < SERIES_COUNT; s++)
        for (size_t i = 0; i < NEURONS; i++)
            for (int k = 0; k < METRIC_COUNT; k++)
                m.value[s][k][i] = 1.0f;
    for (size_t i = 0; i < NEURONS; i++) {
        m.value[SERIES_FFN][METRIC_VARIANCE][i] = (float)(i + 1);
        m.value[SERIES_GATE][METRIC_MEAN][i] = -0.4f + 0.1f * (float)i;
        m.value[SERIES_FFN][METRIC_KURTOSIS][i] = (float)i;
        m.value[SERIES_UP][METRIC_VARIANCE][i] = 0.01f;
    }
    m.value[SERIES_FFN][METRIC_KURTOSIS][7] = NAN;
}

/* Which neurons the criterion picks, as "00001111". */
static void picks(const char *text, const char *wanted)
{
    struct expression x;
    struct error e;
    char got[NEURONS + 1] = "";
    if (expression_parse(&x, text, &e) != STATUS_OK || expression_apply(&x, &m, &e) != STATUS_OK)
        diag("%s (%s)", e.sentence, e.where);
    else
        for (size_t i = 0; i < NEURONS; i++)
            got[i] = m.saturated[i] ? '1' : '0';
    is_string(got, wanted, "%s", text);
}

static void means(void)
{
    fill();
    picks("ffn.variance > 4", "00001111");
    picks("ffn.variance>=4", "00011111");
    picks("ffn.variance < 4", "11100000");
    picks("ffn.variance <= 4", "11110000");
    picks("ffn.variance == 4", "00010000");
    picks("ffn.variance != 4", "11101111");
    picks("4 < ffn.variance", "00001111");
    picks("up.variance < 0.01", "00000000"); /* the number is rounded as the archive's is */
    picks("up.variance == 0.01", "11111111");
    picks("not ffn.variance > 4", "11110000");
    picks("not not ffn.variance > 4", "00001111");
    picks("ffn.variance > 2 and ffn.variance < 6", "00111000");
    picks("ffn.variance < 2 or ffn.variance > 7", "10000001");
    picks("ffn.variance < 2 or ffn.variance > 3 and ffn.variance < 5", "10010000");
    picks("(ffn.variance < 2 or ffn.variance > 3) and ffn.variance < 5", "10010000");
    picks("(ffn.variance < 2 or ffn.variance > 3) and not (ffn.variance < 5)", "00001111");
    picks("not ffn.variance < 2 and ffn.variance < 4", "01100000");
    picks("ffn.variance > 1 + 2 * 3", "00000001");
    picks("ffn.variance > (1 + 2) * 2", "00000011");
    picks("ffn.variance - 1 - 1 > 3", "00000111");
    picks("8 / ffn.variance / 2 >= 1", "11110000");
    picks("-ffn.variance < -6", "00000011");
    picks("--ffn.variance > 6", "00000011");
    picks("abs(gate.mean) < 0.15", "00011100");
    picks("sqrt(ffn.variance) > 2", "00001111");
    picks("abs(-2 * (1 + 1)) == 4", "11111111");
    picks("  ffn.variance\t>1e0 ", "01111111");
    picks("ffn.variance > .5e1", "00000111");
    picks("ffn.variance > 5.", "00000111");
}

static void relative(void)
{
    fill();
    picks("ffn.variance > median(ffn.variance)", "00001111"); /* the lower middle one of 8: 4 */
    picks("ffn.variance > average(ffn.variance)", "00001111");
    picks("ffn.variance < 0.5 * median(ffn.variance)", "10000000");
    picks("ffn.kurtosis >= median(ffn.kurtosis)", "00011110"); /* of 7 that have one: 3 */
    m.value[SERIES_FFN][METRIC_VARIANCE][0] = NAN;
    picks("ffn.variance > average(ffn.variance)", "00000111"); /* 5 */
    for (size_t i = 0; i < NEURONS; i++)
        m.value[SERIES_UP][METRIC_SKEWNESS][i] = NAN;
    picks("up.skewness < median(up.skewness)", "00000000");
    picks("not up.skewness < median(up.skewness)", "00000000");
}

static void missing(void)
{
    fill();
    picks("ffn.kurtosis > 3", "00001110");
    picks("not ffn.kurtosis > 3", "11110000"); /* unknown stays unknown */
    picks("ffn.kurtosis > 3 or ffn.variance > 7", "00001111");
    picks("ffn.kurtosis > 3 or ffn.variance < 0", "00001110");
    picks("not (ffn.kurtosis > 3 and ffn.variance < 0)", "11111111");
    picks("not (ffn.kurtosis > 3 and ffn.variance > 0)", "11110000");
    picks("sqrt(gate.mean) >= 0", "00001111"); /* of a negative number: unknown */
    picks("ffn.kurtosis != ffn.kurtosis", "00000000");
}

static void is_wrong(const char *text, int column, const char *words)
{
    struct expression x;
    struct error e;
    char where[32];
    is_int(expression_parse(&x, text, &e), STATUS_USAGE, "refused: %.60s", text);
    snprintf(where, sizeof where, "column %d", column);
    is_string(e.where, where, "at its column");
    ok(strstr(e.sentence, words) != NULL && *e.advice, "in words: %s", e.sentence);
}

static void faults(void)
{
    is_wrong("", 1, "missing");
    is_wrong("   ", 4, "missing");
    is_wrong("ffn.kurtosys > 3", 5, "no such statistic");
    is_wrong("fnn.kurtosis > 3", 1, "no such word");
    is_wrong("ffn kurtosis > 3", 4, "full stop");
    is_wrong("ffn.kurtosis", 1, "a number, and a condition is wanted");
    is_wrong("ffn.kurtosis >", 15, "missing");
    is_wrong("ffn.kurtosis > > 3", 16, "missing");
    is_wrong("ffn.kurtosis = 3", 14, "not expected");
    is_wrong("(ffn.kurtosis > 3", 18, "closing parenthesis");
    is_wrong("ffn.kurtosis > 3)", 17, "nothing to close");
    is_wrong("ffn.kurtosis > 3 4", 18, "not expected");
    is_wrong("1 < ffn.kurtosis < 3", 18, "don't chain");
    is_wrong("ffn.kurtosis > 3 and 1", 22, "a condition is wanted");
    is_wrong("1 or ffn.kurtosis > 3", 1, "a condition is wanted");
    is_wrong("not 1", 5, "a condition is wanted");
    is_wrong("(1 < 2) + 1 > 3", 1, "a number is wanted");
    is_wrong("1 > (1 < 2)", 5, "a number is wanted");
    is_wrong("abs(1 < 2) > 1", 5, "a number is wanted");
    is_wrong("-(1 < 2) > 1", 2, "a number is wanted");
    is_wrong("median(3) > 1", 8, "no such word");
    is_wrong("median ffn.mean > 1", 8, "opening parenthesis");
    is_wrong("1e99 > 1", 1, "too large");
    is_wrong("0x10 > 1", 1, "no number");
    is_wrong("1.2.3 > 1", 1, "no number");
    is_wrong(". > 1", 1, "no number");
    is_wrong("inf > 1", 1, "no such word");
    is_wrong("ffn.kurtosis > 3; rm", 17, "not expected");
    is_wrong("ffn.kurtosis > 3 AND 1 < 2", 18, "not expected");
    is_wrong("ffn.kurtosis > \xc3\xa9", 16, "missing");
}

/* What is too long or too deep is told, whatever it is made of. */
static void limits(void)
{
    static const struct {
        const char *open, *middle, *close, *words;
        int times;
    } cases[] = {{"(", "1 < 2", ")", "more than 32 deep", 40},
                 {"not ", "1 < 2", "", "more than 32 deep", 40},
                 {"-", "1 < 2", "", "more than 32 deep", 40},
                 {"abs(", "1", ") < 2", "more than 32 deep", 40},
                 {"1 < 2 and ", "1 < 2", "", "more than 256 numbers", 100},
                 {"1 + (", "1", ")", "more than 32 deep", 100},
                 {"(", "1", "", "more than 32 deep", 100000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t one = strlen(cases[i].open) + strlen(cases[i].close);
        char *text = malloc(one * (size_t)cases[i].times + strlen(cases[i].middle) + 1), *end = text;
        for (int k = 0; k < cases[i].times; k++)
            end = stpcpy(end, cases[i].open);
        end = stpcpy(end, cases[i].middle);
        for (int k = 0; k < cases[i].times; k++)
            end = stpcpy(end, cases[i].close);
        struct expression x;
        struct error e;
        ok(expression_parse(&x, text, &e) == STATUS_USAGE && strstr(e.sentence, cases[i].words),
           "%d times '%s': %s", cases[i].times, cases[i].open, cases[i].words);
        free(text);
    }
    struct expression x;
    struct error e;
    if (expression_parse(&x, "ffn.mean > median(ffn.mean)", &e) != STATUS_OK)
        bail("%s", e.sentence);
    failing_memory_left = 0;
    enum status s = expression_apply(&x, &m, &e);
    failing_memory_left = -1;
    is_int(s, STATUS_FAILED, "no memory is told");
}

int main(void)
{
    struct error e;
    if (metrics_init(&m, NEURONS, &e) != STATUS_OK)
        bail("%s", e.sentence);
    means();
    relative();
    missing();
    faults();
    limits();
    metrics_free(&m);
    return tap_done();
}
