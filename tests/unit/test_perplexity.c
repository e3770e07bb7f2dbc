/* test_perplexity.c - likelihoods and their sums against float64, and chunks against plain sessions. */
#include <math.h>

#include "base/memory.h"
#include "base/threads.h"
#include "model/perplexity.h"
#include "opened_model.h"

#define VOCABULARY 50
#define CONTEXT 24

static double plain_loss(const float *logits, size_t count, size_t id)
{
    double most = (double)logits[0], sum = 0;
    for (size_t i = 1; i < count; i++)
        most = fmax(most, (double)logits[i]);
    for (size_t i = 0; i < count; i++)
        sum += exp((double)logits[i] - most);
    return log(sum) + most - (double)logits[id];
}

static void losses(void)
{
    static float logits[1000], first[1000], copy[1000];
    double worst = 0;
    bool same = true;
    for (size_t i = 0; i < 1000; i++)
        first[i] = logits[i] = (float)(8 * reference_normal() + 40);
    for (size_t n = 1; n <= 1000; n = n * 3 + 1) {
        double reference = 0;
        for (size_t set = 0; kernels_at(set); set++) {
            memcpy(copy, first, sizeof copy);
            const double loss = perplexity_loss(kernels_at(set), copy, n, (int32_t)(n / 2));
            worst = fmax(worst, fabs(loss - plain_loss(first, n, n / 2)));
            same = same && (set == 0 || loss == reference);
            reference = loss;
        }
    }
    ok(worst < 1e-5, "-log of a softmax is float64's (%.2g off)", worst);
    ok(same, "with the same bits of every instruction set");
    float far[] = {1000, -1000, 0}, bad[] = {1, NAN, 0}, infinite[] = {1, INFINITY};
    is_double(perplexity_loss(kernels_at(0), far, 3, 1), 2000, 1e-9, "what is out of the question costs its distance");
    ok(isnan(perplexity_loss(kernels_at(0), bad, 3, 0)) && isnan(perplexity_loss(kernels_at(0), infinite, 2, 0)),
       "NaN and infinity make no number");
}

static void sums(void)
{
    struct perplexity p = {3, 1.0 + 2.0 + 3.0, 1.0 + 4.0 + 9.0};
    is_double(perplexity_value(&p), exp(2), 1e-12 * exp(2), "the value is exp of the mean");
    is_double(perplexity_error(&p), exp(2) * sqrt(2.0 / 3.0 / 2.0), 1e-12, "its error is the mean's, carried over");
    p = (struct perplexity){1, 800, 640000};
    ok(isinf(perplexity_value(&p)), "a hopeless text has no finite value");
    p = (struct perplexity){2, NAN, NAN};
    ok(isnan(perplexity_value(&p)), "NaN stays NaN");
}

/* Two chunks by a session of its own each. */
static void chunks(void)
{
    struct network n = {.layers = 2, .hidden = 42, .intermediate = 100, .heads = 6, .kv_heads = 2, .head_dim = 9, .rotary = 6,
                        .vocabulary = VOCABULARY, .context = 256, .base = 10000.0};
    struct weights_head head;
    struct error e;
    struct decode *d, *plain;
    int32_t ids[2 * CONTEXT];
    network_make(&n);
    network_make_head(&n, false);
    for (size_t i = 0; i < 2 * CONTEXT; i++)
        ids[i] = (int32_t)(reference_random() % VOCABULARY);
    struct opened o = opened_network(&n, NETWORK_FUSED, NULL, "model.gguf");
    if (weights_head_open(&head, &o.config, o.file, &e) != STATUS_OK)
        bail("a good head doesn't open: %s", e.sentence);
    const struct decode_options options = {.capacity = CONTEXT, .batch_tokens = 10, .logit_rows = 3};
    threads_set(2);
    if (decode_open(&d, &o.config, &o.weights, &head, kernels_at(0), &options, &e) != STATUS_OK ||
        decode_open(&plain, &o.config, &o.weights, &head, kernels_at(0), &options, &e) != STATUS_OK)
        bail("a session doesn't open: %s", e.sentence);
    for (int32_t bos = -1; bos < 8; bos += 8) {
        struct perplexity_run run = {.decode = d, .kernels = kernels_at(0), .context = CONTEXT, .vocabulary = VOCABULARY, .bos = bos};
        struct perplexity p = {0};
        double sum = 0;
        if (perplexity_run_init(&run, &e) != STATUS_OK)
            bail("no room for a chunk");
        for (size_t chunk = 0; chunk < 2; chunk++) {
            int32_t own[CONTEXT];
            ok(perplexity_add(&p, &run, ids + chunk * CONTEXT, &e) == STATUS_OK, "a chunk is added");
            memcpy(own, ids + chunk * CONTEXT, sizeof own);
            own[0] = bos >= 0 ? bos : own[0];
            decode_rewind(plain, 0);
            for (size_t t = 0; t + 1 < CONTEXT; t++) {
                if (decode_feed(plain, own + t, 1, NULL, &e) != STATUS_OK)
                    bail("a token isn't fed");
                if (t >= CONTEXT / 2)
                    sum += plain_loss(decode_logits(plain), VOCABULARY, (size_t)own[t + 1]);
            }
        }
        is_uint(p.tokens, 2 * (CONTEXT / 2 - 1), "of %d tokens, %d are scored", CONTEXT, CONTEXT / 2 - 1);
        is_double(p.sum, sum, 1e-5 * sum, "%s: they are those behind the first half", bos < 0 ? "no BOS" : "BOS in the first place");
        perplexity_run_free(&run);
    }
    decode_close(d);
    decode_close(plain);
    weights_head_free(&head);
    opened_close(&o);
    network_free(&n);
}

int main(void)
{
    losses();
    sums();
    chunks();
    return tap_done();
}
