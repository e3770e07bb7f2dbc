/* test_generator.c - a model opened to generate: the largest logits against an independent engine's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "commands/generator.h"
#include "tap.h"

#define TOP 5

static char *read_whole(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = malloc(1 << 16);
    if (!f || !text)
        bail("can't read %s", path);
    *size = fread(text, 1, 1 << 16, f);
    fclose(f);
    return text;
}

static struct json_value checked(const char *text, size_t size)
{
    struct json_value value;
    const char *wrong;
    size_t position;
    if (!json_check(text, size, &value, &wrong, &position))
        bail("a golden is no JSON: %s", wrong);
    return value;
}

/* The five largest, by id and value, as the golden's next prompt has them. */
static bool same_top(const float *logits, size_t count, struct json_value wanted, double *worst)
{
    struct json_walk entries = json_begin(wanted);
    struct json_value key, entry;
    float bound = INFINITY;
    bool same = true;
    for (int place = 0; json_next(&entries, &key, &entry); place++) {
        struct json_walk pair = json_begin(entry);
        struct json_value id, number;
        size_t best = 0;
        if (place == TOP || !json_next(&pair, &key, &id) || !json_next(&pair, &key, &number))
            bail("a golden has no %d pairs", TOP);
        for (size_t i = 0; i < count; i++) /* the largest below the last one */
            if (logits[i] < bound && (logits[best] >= bound || logits[i] > logits[best]))
                best = i;
        bound = logits[best];
        same = same && (long)best == strtol(id.bytes, NULL, 10);
        *worst = fmax(*worst, fabs((double)bound - strtod(number.bytes, NULL)));
    }
    return same;
}

static void compare(struct generator *g, struct decode *d, char *prompts, size_t size, struct json_value golden)
{
    struct json_walk walk = json_begin(golden);
    struct json_value key, wanted;
    size_t count = 0;
    for (char *line = prompts; line < prompts + size; count++) {
        char *end = memchr(line, '\n', (size_t)(prompts + size - line));
        const size_t length = (size_t)((end ? end : prompts + size) - line);
        struct token_list ids = {0};
        struct error e;
        double worst = 0;
        char *text = malloc(length + 1);
        if (!text || !json_next(&walk, &key, &wanted))
            bail("there are more prompts than goldens");
        const size_t bytes = json_decode(checked(line, length), text);
        decode_rewind(d, 0);
        if (tokenizer_encode(g->tokenizer, text, bytes, TOKENIZER_ADD_SPECIAL | TOKENIZER_PARSE_SPECIAL, &ids, NULL, &e) ||
            decode_feed(d, ids.ids, ids.count, NULL, &e))
            bail("a prompt isn't fed: %s", e.sentence);
        const bool same = same_top(decode_logits(d), g->config.vocabulary, wanted, &worst);
        ok(same && worst < 1e-3, "the %d largest logits are llama.cpp's behind %.*s (%.2g off)", TOP,
           (int)(length < 40 ? length : 40), line, worst);
        free(text);
        token_list_free(&ids);
        line += length + 1;
    }
    ok(count > 3 && !json_next(&walk, &key, &wanted), "all prompts with a golden are compared");
}

int main(void)
{
    char *model = tap_shared("goldens/models/tiny-h64-f32-vocab.gguf");
    char *top = tap_shared("goldens/stats/tiny-h64-f32-vocab-bos.top5.json");
    char *prompts = tap_shared("goldens/tokens/tiny-h64-f32-vocab-prompts.txt");
    if (!model || !top || !prompts)
        skip_all("the goldens beside the tree are not there");
    struct generator g;
    struct decode *d = NULL;
    struct error e;
    const struct decode_options how = {.mode = KERNELS_F32, .repack = true};
    size_t golden_size, prompts_size;
    char *golden = read_whole(top, &golden_size), *lines = read_whole(prompts, &prompts_size);
    generator_threads(1);
    if (generator_open(&g, model, true, &e) != STATUS_OK || generator_session(&g, 256, &how, &d, &e) != STATUS_OK)
        bail("a good model doesn't open: %s", e.sentence);
    compare(&g, d, lines, prompts_size, checked(golden, golden_size));
    decode_close(d);
    generator_close(&g);
    free(golden), free(lines), free(model), free(top), free(prompts);
    return tap_done();
}
