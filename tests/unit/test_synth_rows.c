/* test_synth_rows.c - the weights that make planted neurons what they are, and the list of tensors. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "commands/synth_rows.h"
#include "tap.h"

#define HIDDEN 96
#define NEURONS 128

static struct error e;
static struct synth_shape shape = {.arch = SYNTH_LLAMA, .layers = 2, .hidden = HIDDEN, .intermediate = NEURONS,
                                   .heads = 4, .kv_heads = 2, .vocabulary = 400, .context = 64};
static struct synth_plants plants;
static struct synth_vocabulary vocabulary;
static struct synth_rows rows = {&shape, &plants, &vocabulary, 5};
static const size_t counts[SYNTH_CLASSES] = {0, 4, 3, 5, 6, 7, 2};

static void need(enum status s)
{
    if (s != STATUS_OK)
        bail("%s", e.sentence);
}

static struct synth_tensor tensor(const char *name)
{
    struct synth_tensor t;
    for (size_t i = 0; i < synth_shape_tensors(&shape); i++) {
        synth_shape_tensor(&shape, i, &t);
        if (strcmp(t.name, name) == 0)
            return t;
    }
    bail("no tensor %s", name);
}

static double cosine(const float *a, const float *b, size_t n)
{
    double ab = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < n; i++) {
        ab += (double)a[i] * (double)b[i];
        aa += (double)a[i] * (double)a[i];
        bb += (double)b[i] * (double)b[i];
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

static void counted(void)
{
    size_t seen[SYNTH_CLASSES] = {0}, partners = 0;
    for (size_t i = 0; i < shape.layers * NEURONS; i++) {
        int class = plants.class[i];
        seen[class]++;
        if (class == SYNTH_DUPLICATE || class == SYNTH_NOISY_DUPLICATE)
            partners += plants.class[i - i % NEURONS + plants.partner[i]] == SYNTH_NORMAL;
    }
    for (int c = 1; c < SYNTH_CLASSES; c++)
        is_uint(seen[c], 2 * counts[c], "%s: as many as asked for, in each layer",
                synth_plants_name((enum synth_class)c));
    is_uint(partners, 26, "partners are normal neurons");
}

/* Pairs of gate rows that are alike: the planted ones and no others. */
static void copies(const char *name)
{
    static float row[NEURONS][HIDDEN];
    struct synth_tensor t = tensor(name);
    size_t equal = 0, near = 0, wrong = 0;
    for (size_t i = 0; i < NEURONS; i++)
        synth_rows_make(&rows, &t, i, row[i]);
    for (size_t i = 0; i < NEURONS; i++)
        for (size_t k = 0; k < NEURONS; k++) {
            int class = plants.class[NEURONS + i];
            bool planted = plants.partner[NEURONS + i] == k &&
                           (class == SYNTH_DUPLICATE || class == SYNTH_NOISY_DUPLICATE);
            double c = i == k ? 0 : cosine(row[i], row[k], HIDDEN);
            bool special = class != SYNTH_NORMAL && class != SYNTH_DUPLICATE && class != SYNTH_NOISY_DUPLICATE;
            equal += planted && memcmp(row[i], row[k], sizeof row[i]) == 0;
            near += planted && c > 0.999 && c < 1 - 1e-6;
            wrong += !planted && !special && c > 0.8 &&
                     !(plants.partner[NEURONS + k] == i && plants.class[NEURONS + k] != SYNTH_NORMAL);
        }
    is_uint(equal, counts[SYNTH_DUPLICATE], "%s: duplicates are equal", name);
    is_uint(near, counts[SYNTH_NOISY_DUPLICATE], "%s: noisy ones nearly so", name);
    is_uint(wrong, 0, "%s: no others are alike", name);
}

static void marks(void)
{
    static float row[NEURONS > HIDDEN ? NEURONS : HIDDEN];
    struct synth_tensor t = tensor("token_embd.weight");
    bool unit = true, marked = true, unwritten = true, silent = true;
    for (size_t token = 0; token < shape.vocabulary; token++) {
        double square = 0;
        synth_rows_make(&rows, &t, token, row);
        for (size_t i = 0; i < HIDDEN; i++)
            square += (double)row[i] * (double)row[i];
        unit &= fabs(square / HIDDEN - 1) < 1e-5;
        marked &= row[HIDDEN - 3] == 1 && row[HIDDEN - 2] == (token == 1 ? 1.0f : 0.0f) &&
                  row[HIDDEN - 1] == (vocabulary.stop[token] ? 1.0f : 0.0f) && row[HIDDEN - 4] == 0;
    }
    ok(unit, "embeddings have RMS 1");
    ok(marked, "and the marks of their token");
    static const char *const writers[] = {"blk.1.attn_output.weight", "blk.1.ffn_down.weight"};
    for (size_t w = 0; w < 2; w++) {
        t = tensor(writers[w]);
        for (size_t i = 0; i < HIDDEN; i++) {
            float largest = 0;
            synth_rows_make(&rows, &t, i, row);
            for (size_t k = 0; k < t.columns; k++) {
                largest = fmaxf(largest, fabsf(row[k]));
                silent &= w == 0 || plants.class[NEURONS + k] != SYNTH_SUPER || row[k] == 0;
            }
            unwritten &= (largest == 0) == (i >= HIDDEN - 3);
        }
    }
    ok(unwritten, "no projection writes the marks");
    ok(silent, "super neurons are not written back");
}

/* Names and types of a shape's tensors against those of Microsoft's Phi-3-mini file. */
static void phi3_mini(void)
{
    struct synth_shape mini = {.arch = SYNTH_PHI3, .layers = 32, .hidden = 3072, .intermediate = 8192, .heads = 32,
                               .kv_heads = 32, .vocabulary = 32064, .context = 4096};
    size_t seen[31] = {0};
    uint64_t bytes = 0;
    ok(synth_shape_mix("q4_K_M", &mini.mix), "a mix goes by its name, whatever the case");
    need(synth_shape_check(&mini, &e));
    for (size_t i = 0; i < synth_shape_tensors(&mini); i++) {
        struct synth_tensor t;
        uint64_t size = 0;
        synth_shape_tensor(&mini, i, &t);
        seen[t.format->id]++;
        if (!quants_bytes(t.format, t.columns * t.rows, &size))
            bail("%s: not whole blocks", t.name);
        bytes += size;
    }
    is_uint(synth_shape_tensors(&mini), 195, "Phi-3-mini has 195 tensors");
    ok(seen[QUANTS_F32] == 65 && seen[QUANTS_Q4_K] == 81 && seen[QUANTS_Q5_K] == 32 && seen[QUANTS_Q6_K] == 17,
       "65 F32, 81 Q4_K, 32 Q5_K, 17 Q6_K");
    ok(bytes > 2390000000u && bytes < 2394000000u, "2.39 GB");
}

int main(void)
{
    if (!synth_shape_mix("F32", &shape.mix))
        bail("no F32");
    need(synth_shape_check(&shape, &e));
    need(synth_plants_init(&plants, &shape, rows.seed, counts, &e));
    need(synth_vocabulary_init(&vocabulary, shape.vocabulary, &e));
    counted();
    copies("blk.1.ffn_gate.weight");
    copies("blk.1.ffn_up.weight");
    marks();
    phi3_mini();
    synth_plants_free(&plants);
    synth_vocabulary_free(&vocabulary);
    return tap_done();
}
