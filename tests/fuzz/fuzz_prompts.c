/* fuzz_prompts.c - files of prompts: text in any encoding, JSON in its forms, chats. As the program recognises them, and as each kind
 * that it can be told to take them for. */
#include "fuzz.h"
#include "mutate.h"
#include "prompts_oracle.h"

static const char *const words[] = {
    "messages", "conversations", "prompt", "text", "content", "instruction", "input", "output", "role", "from", "value", "type",
    "input_text", "output_text", "image", "user", "human", "assistant", "gpt", "system", "developer", "tool", "function", "model",
    "<|user|>", "\\ud800", "\\u0000", "\\udc00\\ud800", "\xef\xbb\xbf", "\xff", "\xe9", "\xed\xa0\x80", "\r\n", ""};

static enum status try(const uint8_t *data, size_t size, enum recognise_wish wish, struct error *e)
{
    struct prompt_source source;
    struct prompts_options options = prompts_defaults();
    options.wish = wish;
    options.vocabulary = 1000;
    options.index_limit = 4; /* so that a few prompts are more than it holds */
    error_clear(e);
    const enum status s = prompts_open_bytes(&source, (const char *)data, size, "input", &options, e);
    if (s == STATUS_OK)
        prompts_oracle(&source);
    if (s == STATUS_OK)
        prompts_close(&source);
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error e;
    fuzz_begin(data, size);
    fuzz_memory_bound(16, 1 << 20); /* with the window of a scan */
    for (int wish = RECOGNISE_AS_TEXT; wish <= RECOGNISE_AS_TOKENS; wish++)
        (void)!try(data, size, (enum recognise_wish)wish, &e);
    if (try(data, size, RECOGNISE_AUTO, &e) == STATUS_OK)
        fuzz_accepted();
    else
        fuzz_refused(&e);
    return fuzz_end();
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct mutate_random r = mutate_random(seed);
    if (mutate_one_in(&r, 3))
        return LLVMFuzzerMutate(data, size, max);
    return mutate_json(data, size, max, words, sizeof words / sizeof *words, &r);
}
