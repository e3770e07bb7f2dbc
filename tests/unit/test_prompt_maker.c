/* test_prompt_maker.c - the promises of prompt_maker.h: seeds, lengths, domains, no two alike. */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/memory.h"
#include "failing_memory.h"
#include "text/prompt_maker.h"
#include "text/prompts.h"
#include "tap.h"

enum { MANY = 10000 };

static struct error fault;

static struct tokenizer *open_tokenizer(const char *name)
{
    struct model_file *file = NULL;
    struct tokenizer *tokenizer = NULL;
    char *path = tap_source(name);
    if (model_file_open(&file, path, &fault) != STATUS_OK ||
        tokenizer_open(&tokenizer, file, &fault) != STATUS_OK)
        diag("%s: %s", name, fault.sentence);
    model_file_close(file);
    free(path);
    return tokenizer;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* What `count` prompts came to. */
struct tally {
    size_t made, shortest, longest, domain[3], band[3][5], odd, miscounted;
    uint64_t hash, *hashes;
};

static int domain_number(const char *name)
{
    return strcmp(name, "factual") == 0 ? 0 : strcmp(name, "narrative") == 0 ? 1 : strcmp(name, "mathematical") == 0 ? 2 : -1;
}

static bool looks_odd(const struct prompt_maker_prompt *p)
{
    if (strlen(p->text) != p->length || domain_number(p->domain) < 0 || p->text[0] == ' ' ||
        !strchr(".?!\":", p->text[p->length - 1]))
        return true;
    for (size_t i = 0; i < p->length; i++)
        if (p->text[i] < ' ' || p->text[i] > '~')
            return true;
    return false;
}

static void count_prompt(struct tally *t, const struct prompt_maker_prompt *p)
{
    t->odd += looks_odd(p);
    t->hash = XXH3_64bits_withSeed(p->text, p->length, t->hash + p->tokens);
    t->hashes[t->made++] = XXH3_64bits(p->text, p->length);
    t->shortest = p->tokens < t->shortest ? p->tokens : t->shortest;
    t->longest = p->tokens > t->longest ? p->tokens : t->longest;
    if (domain_number(p->domain) >= 0) {
        t->domain[domain_number(p->domain)]++;
        t->band[domain_number(p->domain)][p->tokens < 110 ? 0 : p->tokens < 210 ? 1 : p->tokens < 310 ? 2 : p->tokens < 410 ? 3 : 4]++;
    }
}

static struct tally make(const struct tokenizer *tokenizer, size_t context, uint64_t seed, size_t count)
{
    struct tally t = {.shortest = SIZE_MAX};
    struct prompt_maker *maker = NULL;
    struct token_list ids = {0};
    if (memory_array(&t.hashes, count, sizeof *t.hashes, "hashes", &fault) != STATUS_OK ||
        prompt_maker_open(&maker, tokenizer, context, seed, &fault) != STATUS_OK)
        return t;
    for (size_t i = 0; i < count; i++) {
        struct prompt_maker_prompt p;
        if (prompt_maker_next(maker, &p, &fault) != STATUS_OK) {
            diag("%s", fault.sentence);
            break;
        }
        ids.count = 0;
        if (tokenizer_encode(tokenizer, p.text, p.length, TOKENIZER_ADD_SPECIAL | TOKENIZER_PARSE_SPECIAL, &ids, NULL,
                             &fault) != STATUS_OK || ids.count != p.tokens)
            t.miscounted++;
        count_prompt(&t, &p);
    }
    token_list_free(&ids);
    prompt_maker_close(maker);
    return t;
}

static size_t count_alike(struct tally *t)
{
    size_t alike = 0;
    qsort(t->hashes, t->made, sizeof *t->hashes, by_value);
    for (size_t i = 1; i < t->made; i++)
        alike += t->hashes[i] == t->hashes[i - 1];
    return alike;
}

static void many(const struct tokenizer *tokenizer, const char *name, uint64_t seed)
{
    struct tally t = make(tokenizer, 4096, seed, MANY);
    is_uint(t.made, MANY, "%s, seed %llu: as many as asked for", name, (unsigned long long)seed);
    is_uint(count_alike(&t), 0, "no two are alike");
    ok(t.shortest >= PROMPT_MAKER_SHORTEST && t.longest <= PROMPT_MAKER_LONGEST, "all have 10 to 512 tokens");
    is_uint(t.miscounted, 0, "as the tokenizer counts them");
    is_uint(t.odd, 0, "each is one line of printable ASCII that ends as a sentence does");
    bool even = true;
    for (int d = 0; d < 3; d++) {
        even = even && t.domain[d] >= MANY / 3 && t.domain[d] <= MANY / 3 + 1;
        for (int b = 0; b < 5; b++)
            if (t.band[d][b] < 560 || t.band[d][b] > 770) {
                diag("domain %d, band %d: %zu", d, b, t.band[d][b]);
                even = false;
            }
    }
    ok(even, "domains have equal shares, and so have lengths within each");
    memory_free(t.hashes);
}

static void seeds(const struct tokenizer *tokenizer)
{
    struct tally a = make(tokenizer, 4096, 1, 300), b = make(tokenizer, 4096, 1, 300), c = make(tokenizer, 4096, 2, 300);
    is_uint(a.hash, b.hash, "a seed gives the same prompts again");
    is_uint(a.hash, UINT64_C(0xc08657b0995e28b1), "and the same on every machine (after a change of data/, pin the new value)");
    uint64_t both[600];
    memcpy(both, a.hashes, sizeof both / 2);
    memcpy(both + 300, c.hashes, sizeof both / 2);
    struct tally joined = {.made = 600, .hashes = both};
    ok(count_alike(&joined) < 6, "another seed gives other prompts");
    memory_free(b.hashes);
    b = make(tokenizer, 4096, 1, 120);
    ok(memcmp(a.hashes, b.hashes, 120 * sizeof *a.hashes) == 0, "the first ones don't depend on how many follow");
    memory_free(a.hashes);
    memory_free(b.hashes);
    memory_free(c.hashes);
}

static void contexts(const struct tokenizer *tokenizer)
{
    static const size_t sizes[] = {16, 24, 40, 100, 511};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct tally t = make(tokenizer, sizes[i], 3, 200);
        ok(t.made == 200 && t.longest <= sizes[i] && t.shortest >= PROMPT_MAKER_SHORTEST && count_alike(&t) == 0,
           "a context of %zu tokens is kept", sizes[i]);
        memory_free(t.hashes);
    }
    struct tally t = make(tokenizer, 4, 3, 10);
    ok(t.made == 0 && fault.status == STATUS_INPUT, "a context that no prompt fits is refused");
    is_string(fault.sentence, "no more than 0 different prompts of at most 4 tokens could be made", "in these words");
    memory_free(t.hashes);
}

static void files(const struct tokenizer *tokenizer)
{
    char *bytes;
    size_t size;
    struct prompt_source source = {0};
    ok(prompt_maker_file(tokenizer, 0, 4096, 1, 100, &bytes, &size, &fault) == STATUS_OK &&
           prompts_open_text(&source, bytes, size, PROMPTS_ALL, "made", &fault) == STATUS_OK && source.count == 100 &&
           source.counts.blank == 0, "a file of prompts has one a line");
    prompts_close(&source);
    memory_free(bytes);
    ok(prompt_maker_file(NULL, 320, 4096, 1, 100, &bytes, &size, &fault) == STATUS_OK &&
           prompts_open_tokens(&source, bytes, size, PROMPTS_ALL, 320, "made", &fault) == STATUS_OK &&
           source.count == 100, "without a tokenizer it has token ids below the vocabulary");
    struct token_list ids = {0};
    size_t shortest = SIZE_MAX, longest = 0;
    struct prompts_reader reader = prompts_reader_begin(&source);
    for (size_t i = 0; i < source.count; i++) {
        ids.count = 0;
        if (prompts_read_tokens(&reader, i, &ids, &fault) != STATUS_OK)
            break;
        shortest = ids.count < shortest ? ids.count : shortest;
        longest = ids.count > longest ? ids.count : longest;
    }
    ok(shortest >= 10 && shortest < 40 && longest <= 512 && longest > 480, "10 to 512 of them a line");
    prompts_reader_close(&reader);
    token_list_free(&ids);
    prompts_close(&source);
    memory_free(bytes);
}

static void memory(const struct tokenizer *tokenizer)
{
    const long held = failing_memory_held;
    long failed = 0, odd = 0;
    enum status status = STATUS_FAILED;
    for (long left = 0; status == STATUS_FAILED; left += 1 + left / 20) {
        char *bytes;
        size_t size;
        error_clear(&fault);
        failing_memory_left = left;
        status = prompt_maker_file(tokenizer, 0, 4096, 1, 5, &bytes, &size, &fault);
        failing_memory_left = -1;
        failed += status == STATUS_FAILED;
        odd += status == STATUS_FAILED && (bytes != NULL || size != 0 || fault.sentence[0] == '\0');
        memory_free(bytes);
    }
    ok(status == STATUS_OK && failed > 30, "a file fails %ld times for want of memory and then is there", failed);
    is_int(odd, 0, "each time in words and without bytes");
    is_int(failing_memory_held, held, "and nothing is kept");
}

int main(void)
{
    struct tokenizer *spm = open_tokenizer("tests/golden/tokenizer-spm.gguf");
    struct tokenizer *bpe = open_tokenizer("tests/golden/tokenizer-bpe.gguf");
    if (spm == NULL || bpe == NULL)
        return 1;
    seeds(spm);
    contexts(spm);
    files(bpe);
    memory(spm);
    many(spm, "SentencePiece", 1);
    many(bpe, "byte-level BPE", UINT64_MAX);
    tokenizer_close(spm);
    tokenizer_close(bpe);
    return tap_done();
}
