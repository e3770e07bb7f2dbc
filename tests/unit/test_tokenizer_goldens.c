/* test_tokenizer_goldens.c - token ids against llama.cpp's and Hugging Face's.
 *
 * tests/golden/tokenizer.txt holds strings of our own generator and the ids that
 * llama.cpp gives for small vocabularies of our own, for twelve pre-tokenisers
 * (make_tokenizer.py); huggingface.txt the same from Hugging Face's tokenizers, where those
 * agree with llama.cpp (compare_huggingface.py). The goldens beside the tree, where they are, add the real
 * vocabularies. One claim a vocabulary and mode, every string counted.
 */
#define _GNU_SOURCE 1 /* memmem */

#include <stdlib.h>
#include <string.h>

#include "base/mapping.h"
#include "base/memory.h"
#include "text/tokenizer.h"
#include "tap.h"

enum { COLUMNS = 32 };

/* What one vocabulary, under one name, gave so far. */
struct column {
    char name[24];
    struct tokenizer *tokenizer;
    size_t compared, wrong;
};

static struct error fault;

static const char *told(void)
{
    static char line[2048];
    error_format(&fault, line, sizeof line);
    return line;
}

static struct tokenizer *open_tokenizer(const char *path)
{
    struct model_file *file = NULL;
    struct tokenizer *tokenizer = NULL;
    if (model_file_open(&file, path, &fault) != STATUS_OK || tokenizer_open(&tokenizer, file, &fault) != STATUS_OK)
        diag("%s", told());
    model_file_close(file);
    return tokenizer;
}

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c == '\0' ? NULL : strchr(digits, c);
    return at == NULL ? -1 : (int)(at - digits);
}

/* Decodes base64 up to the first other character; returns the bytes written. */
static size_t decode(const char *text, char *out)
{
    uint32_t bits = 0;
    int count = 0;
    size_t used = 0;
    for (; base64_digit(*text) >= 0; text++) {
        bits = bits << 6 | (uint32_t)base64_digit(*text);
        count += 6;
        if (count >= 8)
            out[used++] = (char)(bits >> (count -= 8));
    }
    return used;
}

/* Reads ids separated by anything but digits, up to `end`. */
static void read_ids(const char *text, const char *end, struct token_list *ids)
{
    ids->count = 0;
    while (text < end) {
        char *next;
        const long id = strtol(text, &next, 10);
        if (next == text) {
            text++;
            continue;
        }
        if (token_list_add(ids, (int32_t)id, &fault) != STATUS_OK)
            bail("%s", told());
        text = next;
    }
}

/* Whether `tokenizer` gives just these ids. */
static bool agrees(const struct tokenizer *tokenizer, const char *text, size_t length, unsigned flags,
                   const struct token_list *wanted)
{
    struct token_list got = {0};
    const enum status status = tokenizer_encode(tokenizer, text, length, flags, &got, NULL, &fault);
    const bool same = status == STATUS_OK && got.count == wanted->count &&
                      (got.count == 0 || memcmp(got.ids, wanted->ids, got.count * sizeof *got.ids) == 0);
    if (!same)
        diag("flags %u: '%.*s' gives %zu ids, not %zu, or others", flags, (int)length, text, got.count,
             wanted->count);
    token_list_free(&got);
    return same;
}

/* Writes a copy of file `from` in which the string key `key` has another value. */
static void patch(const char *from, const char *to, const char *key, const char *value)
{
    struct mapping map;
    if (mapping_open(&map, from, &fault) != STATUS_OK)
        bail("%s", told());
    const uint8_t *found = memmem(map.bytes, map.size, key, strlen(key));
    FILE *out = fopen(to, "wb");
    if (found == NULL || out == NULL)
        bail("no key %s in %s, or no room", key, from);
    const size_t at = (size_t)(found - map.bytes) + strlen(key) + 4;
    uint64_t old, size = strlen(value);
    memcpy(&old, map.bytes + at, sizeof old);
    fwrite(map.bytes, 1, at, out);
    fwrite(&size, sizeof size, 1, out);
    fwrite(value, 1, size, out);
    fwrite(map.bytes + at + 8 + old, 1, map.size - at - 8 - old, out);
    fclose(out);
    mapping_close(&map);
}

/* The vocabulary that a line of a golden names, opened when first met. */
static struct column *find_column(struct column *columns, const char *name, size_t length)
{
    struct column *c = columns;
    while (c->name[0] != '\0' && (strlen(c->name) != length || memcmp(c->name, name, length) != 0))
        c++;
    if (c->name[0] != '\0')
        return c;
    snprintf(c->name, sizeof c->name, "%.*s", (int)length, name);
    const bool pieces = strncmp(c->name, "spm", 3) == 0, untied = strcmp(c->name, "spm-untied") == 0;
    char *file = tap_source(untied ? "tests/golden/tokenizer-untied.gguf" :
                            pieces ? "tests/golden/tokenizer-spm.gguf" : "tests/golden/tokenizer-bpe.gguf");
    char copy[4096];
    snprintf(copy, sizeof copy, "%s/vocabulary.gguf", tap_folder());
    if (untied || strcmp(c->name, "spm") == 0)
        c->tokenizer = open_tokenizer(file);
    else {
        patch(file, copy, pieces ? "general.name" : "tokenizer.ggml.pre", pieces ? "plain" : c->name);
        c->tokenizer = open_tokenizer(copy);
    }
    if (c->tokenizer == NULL)
        bail("%s can't be opened", c->name);
    free(file);
    return c;
}

/* `whose`: the other program that made the ids of `golden`. */
static void own_goldens(const char *golden, const char *whose)
{
    struct column columns[COLUMNS] = {0};
    struct token_list wanted = {0};
    struct mapping map;
    char *path = tap_source(golden), *text = NULL;
    if (mapping_open(&map, path, &fault) != STATUS_OK || memory_bytes(&text, (const char *)map.bytes, map.size, &fault))
        bail("%s", told());
    char string[4096];
    size_t length = 0;
    for (char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const char *end = line + strcspn(line, "\n");
        const size_t word = strcspn(line, " ");
        if (strncmp(line, "text ", 5) == 0) {
            length = decode(line + 5, string);
            continue;
        }
        struct column *c = find_column(columns, line, word);
        read_ids(line + word + 2, end, &wanted);
        c->compared++;
        c->wrong += !agrees(c->tokenizer, string, length, (unsigned)(line[word + 1] - '0'), &wanted);
    }
    for (struct column *c = columns; c->name[0] != '\0'; c++) {
        is_uint(c->wrong, 0, "our vocabulary as %s: %zu strings as %s has them", c->name, c->compared, whose);
        tokenizer_close(c->tokenizer);
    }
    mapping_close(&map);
    token_list_free(&wanted);
    memory_free(text);
    free(path);
}

/* The array that follows `key` in an object; the object's strings hold no such text. */
static bool field(const char *object, const char *end, const char *key, struct token_list *ids)
{
    const char *at = memmem(object, (size_t)(end - object), key, strlen(key));
    const char *open = at == NULL ? NULL : memchr(at, '[', (size_t)(end - at));
    const char *close = open == NULL ? NULL : memchr(open, ']', (size_t)(end - open));
    if (close == NULL)
        return false;
    read_ids(open, close, ids);
    return true;
}

static void shared_vocabulary(const char *name)
{
    static const struct {
        const char *key;
        unsigned flags;
    } modes[] = {{"\"default_bos_special\"", 3}, {"\"default_bos_nospecial\"", 1}, {"\"nobos_special\"", 2},
                 {"\"nobos_nospecial\"", 0}};
    char strings[128], vocabulary[128], bytes[65536];
    snprintf(strings, sizeof strings, "goldens/tokenizer/%s.json", name);
    snprintf(vocabulary, sizeof vocabulary, "goldens/vocab/ggml-vocab-%s.gguf", name);
    char *json = tap_shared(strings), *model = tap_shared(vocabulary);
    if (json == NULL || model == NULL) {
        skip(1, "%s: the goldens beside the checkout are not there", name);
        free(json);
        free(model);
        return;
    }
    struct tokenizer *tokenizer = open_tokenizer(model);
    struct token_list wanted = {0};
    struct mapping map;
    if (tokenizer == NULL || mapping_open(&map, json, &fault) != STATUS_OK)
        bail("%s", told());
    size_t compared = 0, wrong = 0;
    const char *end = (const char *)map.bytes + map.size, *at = (const char *)map.bytes;
    while ((at = memmem(at, (size_t)(end - at), "\"b64\"", 5)) != NULL) {
        const char *next = memmem(at + 5, (size_t)(end - at - 5), "\"b64\"", 5);
        const char *text = memchr(at + 5, '"', (size_t)(end - at - 5));
        const size_t length = decode(text + 1, bytes);
        for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
            compared++;
            wrong += !field(at, next == NULL ? end : next, modes[m].key, &wanted) ||
                     !agrees(tokenizer, bytes, length, modes[m].flags, &wanted);
        }
        at += 5;
    }
    ok(wrong == 0 && compared > 0, "%s: %zu ids lists as in the shared goldens", name, compared);
    mapping_close(&map);
    token_list_free(&wanted);
    tokenizer_close(tokenizer);
    free(json);
    free(model);
}

int main(void)
{
    own_goldens("tests/golden/tokenizer.txt", "llama.cpp");
    own_goldens("tests/golden/huggingface.txt", "Hugging Face");
    static const char *const names[] = {"phi-3", "llama-spm", "gpt-2", "starcoder", "deepseek-llm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        shared_vocabulary(names[i]);
    return tap_done();
}
