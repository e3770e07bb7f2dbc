/* model_oracle.c - see model_oracle.h. */
#include "model_oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "commands/inspect_model.h"
#include "fuzz.h"
#include "text/chat.h"
#include "text/tokenizer.h"

/* Keeps the compiler from leaving out reads whose result nobody wants. */
static volatile uint64_t sink;

static const char *shown(struct model_file_text name)
{
    static char text[64];
    snprintf(text, sizeof text, "%.*s", (int)(name.length < 60 ? name.length : 60), name.bytes);
    return text;
}

/* ---- tensors ------------------------------------------------------------------------------ */

static void check_size(const struct model_file_tensor *t)
{
    unsigned __int128 elements = 1;
    fuzz_claim(t->dimensions >= 1 && t->dimensions <= MODEL_FILE_MAX_DIMENSIONS, "tensor %s has 1 to 4 dimensions", shown(t->name));
    for (uint32_t d = 0; d < MODEL_FILE_MAX_DIMENSIONS; d++) {
        fuzz_claim(t->dims[d] > 0 && (d < t->dimensions || t->dims[d] == 1), "tensor %s has whole dimensions", shown(t->name));
        elements *= t->dims[d];
        fuzz_claim(elements <= UINT64_MAX / 2, "tensor %s has no more elements than 63 bits count", shown(t->name));
    }
    fuzz_claim(t->format != NULL, "tensor %s has a type", shown(t->name));
    fuzz_claim(t->dims[0] % t->format->block_elements == 0, "tensor %s has rows of whole blocks", shown(t->name));
    fuzz_claim(elements / t->format->block_elements * t->format->block_bytes == t->size,
               "tensor %s has the bytes of its shape and type", shown(t->name));
}

static void check_place(const struct model_file *file, const struct model_file_tensor *t)
{
    uint64_t sum = 0;
    bool inside = false;
    for (size_t i = 0; i < model_file_part_count(file) && !inside; i++) {
        const struct mapping *part = model_file_part(file, i);
        inside = t->position <= part->size && t->size <= part->size - t->position && t->bytes == part->bytes + t->position;
    }
    /* what a folder's config.json became lies in memory */
    const bool made = strncmp(t->name.bytes, "rope_", 5) == 0 && strncmp(model_file_kind(file), "Hugging", 7) == 0;
    fuzz_claim(inside || made, "tensor %s lies in a file of the model", shown(t->name));
    for (uint64_t i = 0; i < t->size; i++)
        sum += t->bytes[i];
    sink = sum;
}

static int compare_bytes(const void *left, const void *right)
{
    const struct model_file_tensor *a = *(const struct model_file_tensor *const *)left;
    const struct model_file_tensor *b = *(const struct model_file_tensor *const *)right;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static int compare_names(const void *left, const void *right)
{
    const struct model_file_tensor *a = *(const struct model_file_tensor *const *)left;
    const struct model_file_tensor *b = *(const struct model_file_tensor *const *)right;
    const size_t least = a->name.length < b->name.length ? a->name.length : b->name.length;
    const int order = memcmp(a->name.bytes, b->name.bytes, least);
    return order ? order : (a->name.length > b->name.length) - (a->name.length < b->name.length);
}

static void check_tensors(const struct model_file *file)
{
    const size_t count = model_file_tensor_count(file);
    const struct model_file_tensor **list = calloc(count + 1, sizeof *list);
    fuzz_claim(list != NULL, "the oracle has memory");
    for (size_t i = 0; i < count; i++) {
        list[i] = model_file_tensor_at(file, i);
        fuzz_claim(list[i]->name.length > 0 && !memchr(list[i]->name.bytes, 0, list[i]->name.length), "tensor %zu has a name", i);
        check_size(list[i]);
        check_place(file, list[i]);
    }
    qsort(list, count, sizeof *list, compare_bytes);
    for (size_t i = 1; i < count; i++)
        fuzz_claim(list[i - 1]->bytes + list[i - 1]->size <= list[i]->bytes, "tensor %s shares no byte with another",
                   shown(list[i]->name));
    qsort(list, count, sizeof *list, compare_names);
    for (size_t i = 1; i < count; i++)
        fuzz_claim(compare_names(&list[i - 1], &list[i]) != 0, "tensor %s is there once", shown(list[i]->name));
    free(list);
}

/* ---- keys ----------------------------------------------------------------------------------- */

static void read_array(const struct model_file *file, const char *name)
{
    enum model_file_key_type element;
    struct model_file_text text;
    struct error e;
    int64_t whole = 0;
    double real = 0.0;
    size_t length = 0;
    bool found = false;
    error_clear(&e);
    fuzz_claim(model_file_get_array(file, name, &element, &length, &found, &e) == STATUS_OK && found, "array %s is one", name);
    for (size_t i = 0; i < length; i++)
        if (model_file_array_text(file, name, i, &text, &e) == STATUS_OK)
            for (size_t k = 0; k < text.length; k++)
                sink = (uint8_t)text.bytes[k];
        else if (model_file_array_int(file, name, i, &whole, &e) == STATUS_OK ||
                 model_file_array_float(file, name, i, &real, &e) == STATUS_OK)
            sink = (uint64_t)whole;
        else if (i > 16) /* arrays of arrays are not offered */
            break;
    fuzz_claim(model_file_array_int(file, name, length, &whole, &e) != STATUS_OK, "array %s ends", name);
}

static void check_keys(const struct model_file *file)
{
    char name[256];
    for (size_t i = 0; i < model_file_key_count(file); i++) {
        const struct model_file_text key = model_file_key_name(file, i);
        struct model_file_text text = {"", 0};
        struct error e;
        uint64_t whole = 0;
        double real;
        bool flag, found;
        if (key.length >= sizeof name)
            continue;
        memcpy(name, key.bytes, key.length);
        name[key.length] = '\0';
        fuzz_claim(model_file_has_key(file, name), "key %s is found by its name", name);
        if (model_file_key_type_at(file, i) == MODEL_FILE_ARRAY)
            read_array(file, name);
        if (model_file_get_text(file, name, &text, &found, &e) == STATUS_OK)
            for (size_t k = 0; k < text.length; k++)
                sink = (uint8_t)text.bytes[k];
        (void)!model_file_get_uint(file, name, &whole, &found, &e);
        (void)!model_file_get_float(file, name, &real, &found, &e);
        (void)!model_file_get_bool(file, name, &flag, &found, &e);
    }
}

void model_oracle(const struct model_file *file)
{
    uint64_t size = 0;
    const uint8_t *header = model_file_header(file, &size);
    for (uint64_t i = 0; i < size; i++)
        sink = header[i];
    check_tensors(file);
    check_keys(file);
}

/* ---- what commands do ------------------------------------------------------------------------- */

void model_oracle_inspect(const char *path)
{
    static FILE *nowhere;
    static bool json;
    struct fact_sheet sheet;
    struct error e;
    error_clear(&e);
    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    fuzz_claim(nowhere != NULL, "/dev/null can be written");
    json = !json;
    fact_sheet_open(&sheet, nowhere, json, false);
    const enum status s = inspect_model(&sheet, path, true, false, &e);
    fuzz_claim(s == STATUS_OK, "inspect shows what can be opened, and doesn't end with %d: %s", (int)s, e.sentence);
    fuzz_claim(fact_sheet_finish(&sheet, &e) == STATUS_OK, "inspect's output can be written");
}

static void encode(const struct tokenizer *t, const char *text, size_t length, unsigned flags)
{
    struct token_list list = {0};
    struct tokenizer_counts odd = {0};
    struct error e;
    fuzz_claim(tokenizer_encode(t, text, length, flags, &list, &odd, &e) == STATUS_OK, "any text has ids: %s", e.sentence);
    for (size_t i = 0; i < list.count; i++)
        fuzz_claim(list.ids[i] >= 0 && (size_t)list.ids[i] < tokenizer_vocabulary_size(t), "id %d is one of %zu", (int)list.ids[i],
                   tokenizer_vocabulary_size(t));
    token_list_free(&list);
}

static void read_pieces(const struct tokenizer *t)
{
    int32_t ends[TOKENIZER_ENDS];
    const size_t count = tokenizer_vocabulary_size(t);
    for (size_t i = 0; i < count; i += count < 200 ? 1 : count / 200) {
        char *piece;
        size_t length;
        struct error e;
        fuzz_claim(tokenizer_piece(t, (int32_t)i, &piece, &length, &e) == STATUS_OK, "every id has a text");
        fuzz_claim(strlen(piece) <= length, "a text's length is that of its bytes");
        memory_free(piece);
    }
    const size_t found = tokenizer_ends(t, ends);
    for (size_t i = 0; i < found; i++)
        fuzz_claim(ends[i] >= 0 && (size_t)ends[i] < count, "an id that ends a text is one of the tokenizer's");
}

enum status model_oracle_tokenizer(const struct model_file *file, struct error *e)
{
    static const char text[] = "  The neuron fires\n\nat 3.14, \xc3\xa9t\xc3\xa9 \xe2\x96\x81 \xff\xfe <|end|><s></s>\t<0x0A> don't  \xf0\x9f\x98\x80 a";
    struct tokenizer *t = NULL;
    struct chat chat;
    struct error unknown;
    const enum status s = tokenizer_open(&t, file, e);
    if (s != STATUS_OK)
        return s;
    encode(t, text, sizeof text, TOKENIZER_ADD_SPECIAL | TOKENIZER_PARSE_SPECIAL); /* with its NUL */
    encode(t, text, sizeof text - 1, TOKENIZER_PLAIN);
    encode(t, "", 0, TOKENIZER_ADD_SPECIAL);
    read_pieces(t);
    (void)!chat_open(&chat, file, t, &unknown);
    tokenizer_close(t);
    return STATUS_OK;
}
