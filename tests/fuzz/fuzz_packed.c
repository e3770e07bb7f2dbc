/* fuzz_packed.c - prompts packed by gzip or Zstandard. What was accepted unpacks to as many bytes by another way through the
 * libraries, all checksums included. */
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "fuzz.h"
#include "mutate.h"
#include "prompts_oracle.h"
#include "text/inflow.h"

#define MOST ((size_t)1 << 20) /* of a text that is packed anew */

static size_t gzip_length(const char *path)
{
    static char bytes[1 << 16];
    size_t length = 0;
    int got;
    gzFile f = gzopen(path, "rb");
    while ((got = gzread(f, bytes, sizeof bytes)) > 0)
        length += (size_t)got;
    fuzz_claim(got == 0, "gzip finds no fault either");
    fuzz_claim(gzclose(f) == Z_OK, "nor at its end");
    return length;
}

/* All frames in one call each. */
static size_t zstd_length(const uint8_t *data, size_t size)
{
    static char bytes[MOST];
    size_t length = 0;
    while (size && inflow_recognise(data, size) == INFLOW_ZSTD) {
        const size_t frame = ZSTD_findFrameCompressedSize(data, size);
        fuzz_claim(!ZSTD_isError(frame), "a frame is whole");
        const size_t got = ZSTD_decompress(bytes, sizeof bytes, data, frame);
        if (ZSTD_isError(got))
            return SIZE_MAX; /* too large for this, or what only one of the two ways minds */
        length += got;
        data += frame;
        size -= frame;
    }
    return length;
}

static void check_length(const struct prompt_source *source, const char *path, const uint8_t *data, size_t size)
{
    const enum inflow_kind kind = inflow_recognise(data, size);
    size_t length = size;
    if (kind == INFLOW_GZIP)
        length = gzip_length(path);
    else if (kind == INFLOW_ZSTD)
        length = zstd_length(data, size);
    fuzz_claim(length == SIZE_MAX || source->spool.size == length, "all %zu bytes are there, not %zu", length, source->spool.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct prompt_source source;
    struct prompts_options options = prompts_defaults();
    struct error e;
    fuzz_begin(data, size);
    fuzz_memory_bound(16, 16 << 20); /* the spool keeps 4 MiB in memory, and grows by doubling */
    const char *path = fuzz_put("p", data, size);
    error_clear(&e);
    if (prompts_open(&source, path, &options, &e) == STATUS_OK) {
        check_length(&source, path, data, size);
        if (source.spool.size < MOST)
            prompts_oracle(&source);
        prompts_close(&source);
        fuzz_accepted();
    } else {
        fuzz_refused(&e);
    }
    return fuzz_end();
}

/* The text of the first member or frame, and what packs it again. */
static size_t unpack(const uint8_t *data, size_t size, uint8_t *text)
{
    z_stream z = {.next_in = (uint8_t *)(uintptr_t)data, .avail_in = (uInt)size, .next_out = text, .avail_out = MOST};
    if (inflow_recognise(data, size) == INFLOW_ZSTD) {
        const size_t frame = ZSTD_findFrameCompressedSize(data, size);
        const size_t got = ZSTD_isError(frame) ? frame : ZSTD_decompress(text, MOST, data, frame);
        return ZSTD_isError(got) ? 0 : got;
    }
    if (inflateInit2(&z, 31) != Z_OK)
        return 0;
    (void)inflate(&z, Z_FINISH);
    inflateEnd(&z);
    return MOST - z.avail_out;
}

static size_t pack(const uint8_t *text, size_t length, uint8_t *data, size_t max, bool zstd)
{
    if (zstd) {
        const size_t got = ZSTD_compress(data, max, text, length, 1);
        return ZSTD_isError(got) ? 0 : got;
    }
    z_stream z = {.next_in = (uint8_t *)(uintptr_t)text, .avail_in = (uInt)length, .next_out = data, .avail_out = (uInt)max};
    if (deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return 0;
    const int result = deflate(&z, Z_FINISH);
    deflateEnd(&z);
    return result == Z_STREAM_END ? max - z.avail_out : 0;
}

/* Mutants whose checksums hold: the text is changed, or said many times over, or begins another member. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    static uint8_t text[MOST];
    struct mutate_random r = mutate_random(seed);
    if (size < 4 || mutate_one_in(&r, 2))
        return LLVMFuzzerMutate(data, size, max);
    size_t length = unpack(data, size, text), times = 1;
    const bool zstd = (inflow_recognise(data, size) == INFLOW_ZSTD) != mutate_one_in(&r, 16);
    if (!length)
        return LLVMFuzzerMutate(data, size, max);
    if (mutate_one_in(&r, 4))
        times = 1 + mutate_below(&r, MOST / length);
    else
        length = mutate_bytes(text, length, MOST, &r);
    for (size_t i = 1; i < times; i++)
        memcpy(text + i * length, text, length);
    const size_t kept = mutate_one_in(&r, 3) ? size : 0, packed = pack(text, times * length, data + kept, max - kept, zstd);
    return packed ? kept + packed : size;
}
