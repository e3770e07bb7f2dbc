/* fuzz_tokenizer_model.c - a folder's tokenizer.model, SentencePiece's protobuf, read and then used on texts. */
#include "fuzz.h"
#include "hf_tiny.h"
#include "model_oracle.h"
#include "mutate.h"

#define MOST_FIELDS 4096

/* A field of the message: its tag, and for a stretch of bytes where its length and they stand. */
struct field {
    size_t tag, length_at, at, end;
    unsigned wire;
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    hf_tiny_put_config();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model_file *file = NULL;
    struct error e;
    fuzz_begin(data, size);
    fuzz_memory_bound(64, 2 << 20); /* ids may leave out 8192: at 32 bytes each, then as texts, and both tables double */
    (void)fuzz_put("tokenizer.model", data, size);
    error_clear(&e);
    enum status s = model_file_open(&file, fuzz_folder(), &e);
    if (s == STATUS_OK) {
        model_oracle(file);
        s = model_oracle_tokenizer(file, &e);
    }
    if (s == STATUS_OK)
        fuzz_accepted();
    else
        fuzz_refused(&e);
    model_file_close(file);
    return fuzz_end();
}

/* ---- changes that know the wire's form ------------------------------------------------------ */

static bool varint(const uint8_t *data, size_t end, size_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        const uint8_t byte = data[(*at)++];
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

/* The fields of data[from, end); those inside of pieces too. */
static size_t list_fields(const uint8_t *data, size_t from, size_t end, int depth, struct field *fields, size_t count)
{
    static const size_t fixed[] = {0, 8, 0, 0, 0, 4, 0, 0};
    size_t at = from;
    while (at < end && count < MOST_FIELDS) {
        struct field f = {.tag = at};
        uint64_t tag, value = 0;
        if (!varint(data, end, &at, &tag))
            break;
        f.wire = (unsigned)(tag & 7);
        f.length_at = at;
        if ((f.wire == 0 || f.wire == 2) && !varint(data, end, &at, &value))
            break;
        f.at = at;
        const uint64_t length = f.wire == 2 ? value : fixed[f.wire];
        if (length > end - at)
            break;
        f.end = at += (size_t)length;
        fields[count++] = f;
        if (f.wire == 2 && depth > 0)
            count = list_fields(data, f.at, f.end, depth - 1, fields, count);
    }
    return count;
}

static size_t put_varint(uint8_t *to, uint64_t value)
{
    size_t n = 0;
    for (; value > 127; value >>= 7)
        to[n++] = (uint8_t)(value | 128);
    to[n++] = (uint8_t)value;
    return n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    static struct field fields[MOST_FIELDS];
    struct mutate_random r = mutate_random(seed);
    uint8_t number[10];
    const size_t count = list_fields(data, 0, size, 1, fields, 0);
    if (!count || mutate_one_in(&r, 5))
        return LLVMFuzzerMutate(data, size, max);
    const struct field f = fields[mutate_below(&r, count)], other = fields[mutate_below(&r, count)];
    const size_t kind = mutate_below(&r, 5);
    if (kind == 0) /* left out */
        return mutate_resize(data, size, max, f.tag, f.end - f.tag, 0, 0);
    if (kind == 1 && other.end - other.tag <= sizeof fields / 2) { /* another one before it */
        static uint8_t copy[sizeof fields / 2];
        for (size_t i = other.tag; i < other.end; i++)
            copy[i - other.tag] = data[i];
        return mutate_replace(data, size, max, f.tag, 0, copy, other.end - other.tag);
    }
    if (kind == 2) /* another field's number or wire */
        return mutate_replace(data, size, max, f.tag, f.length_at - f.tag, number, put_varint(number, mutate_below(&r, 400)));
    if (f.wire == 5 || f.wire == 1) {
        for (size_t i = f.at; i < f.end; i++)
            data[i] = (uint8_t)(mutate_one_in(&r, 2) ? 0xff : mutate_next(&r));
        return size;
    }
    return mutate_replace(data, size, max, f.length_at, f.at - f.length_at, number,
                          put_varint(number, mutate_number(f.end - f.at, size, &r)));
}
