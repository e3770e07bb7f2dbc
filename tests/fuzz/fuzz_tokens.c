/* fuzz_tokens.c - lines of token ids. Those that were accepted are counted and summed again, by a loop of our own. */
#include <string.h>

#include "fuzz.h"
#include "mutate.h"
#include "prompts_oracle.h"

#define VOCABULARY 32064

/* Lines with anything but white space on them: what a file of ids must have as many prompts as. */
static size_t lines_with_ids(const uint8_t *data, size_t size)
{
    size_t lines = 0;
    for (size_t at = 0; at < size; at++) {
        bool blank = true;
        for (; at < size && data[at] != '\n'; at++)
            blank = blank && strchr(" \t\r\v\f", data[at]) && data[at];
        lines += !blank;
    }
    return lines;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct prompt_source source;
    struct error e;
    fuzz_begin(data, size);
    fuzz_memory_bound(16, 1 << 20);
    error_clear(&e);
    if (prompts_open_tokens(&source, (const char *)data, size, PROMPTS_ALL, VOCABULARY, "input", &e) != STATUS_OK) {
        fuzz_refused(&e);
        return fuzz_end();
    }
    const bool marked = size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0;
    fuzz_claim(source.count == lines_with_ids(data + (marked ? 3 : 0), size - (marked ? 3 : 0)), "each line is a prompt");
    prompts_oracle(&source);
    prompts_close(&source);
    fuzz_accepted();
    return fuzz_end();
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    static const char *const ids[] = {"0", "1", "32063", "32064", "-1", "2147483647", "2147483648", "4294967295", "9223372036854775807",
                                      "18446744073709551616", "00000000000000000000007", "+5", "1e3", "0x10", "1.0", " ", "\t", "\r\n", "\n\n", ""};
    struct mutate_random r = mutate_random(seed);
    if (!size || mutate_one_in(&r, 4))
        return LLVMFuzzerMutate(data, size, max);
    size_t at = mutate_below(&r, size), end = at;
    while (end < size && data[end] >= '0' && data[end] <= '9')
        end++;
    const char *id = ids[mutate_below(&r, sizeof ids / sizeof *ids)];
    return mutate_replace(data, size, max, at, end - at, id, strlen(id));
}
