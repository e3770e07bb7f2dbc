/* test_tokenizer_memory.c - every allocation of opening and encoding fails once.
 *
 * Each time the fault is told as such, the list of ids is as it was, and nothing
 * is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "failing_memory.h"
#include "tap.h"
#include "text/prompts.h"
#include "text/tokenizer.h"

static const char text[] = "<|user|>It's 1234 \xED\xA0\x80 \xFF gr\xC3\xB6\xC3\x9F" "er  <tool> x\n";

/* Opens and encodes with `left` allocations to go; what came of it. */
static enum status once(const struct model_file *file, long left, struct token_list *ids, struct error *e)
{
    struct tokenizer *tokenizer = NULL;
    failing_memory_left = left;
    enum status status = tokenizer_open(&tokenizer, file, e);
    if (status == STATUS_OK)
        status = tokenizer_encode(tokenizer, text, sizeof text - 1, TOKENIZER_PARSE_SPECIAL, ids, NULL, e);
    failing_memory_left = -1;
    tokenizer_close(tokenizer);
    return status;
}

static void tokenizers(const char *name)
{
    struct model_file *file = NULL;
    struct error e;
    char *path = tap_source(name);
    if (model_file_open(&file, path, &e) != STATUS_OK)
        bail("%s: %s", name, e.sentence);
    long failed = 0, odd = 0, leaked = 0;
    enum status status = STATUS_FAILED;
    for (long left = 0; status == STATUS_FAILED; left++) {
        struct token_list ids = {0};
        const long before = failing_memory_held;
        error_clear(&e);
        status = once(file, left, &ids, &e);
        failed += status == STATUS_FAILED;
        odd += status == STATUS_FAILED && (ids.count != 0 || e.sentence[0] == '\0');
        token_list_free(&ids);
        leaked += failing_memory_held - before;
    }
    is_int(status, STATUS_OK, "%s: it opens and encodes in the end", name);
    ok(failed > 20, "%s: %ld failures on the way, each told as one", name, failed);
    is_int(odd, 0, "%s: none leaves ids behind or comes without words", name);
    is_int(leaked, 0, "%s: none keeps memory", name);
    model_file_close(file);
    free(path);
}

static void sources(void)
{
    char lines[4000];
    struct error e;
    long failed = 0, held = failing_memory_held;
    enum status status = STATUS_FAILED;
    memset(lines, '7', sizeof lines);
    for (size_t i = 1; i < sizeof lines; i += 2)
        lines[i] = '\n';
    for (long left = 0; status == STATUS_FAILED; left++) {
        struct prompt_source source = {0};
        failing_memory_left = left;
        status = prompts_open_tokens(&source, lines, sizeof lines, PROMPTS_ALL, 8, "lines", &e);
        failing_memory_left = -1;
        failed += status == STATUS_FAILED;
        prompts_close(&source);
    }
    ok(status == STATUS_OK && failed > 3, "an index of prompts fails %ld times and then is there", failed);
    is_int(failing_memory_held, held, "and nothing is kept");
}

/* Reads conversations from a file, puts them into a chat format, sends their index. */
static enum status converse(const char *path, struct error *e)
{
    struct prompts_options options = prompts_defaults();
    struct prompt_source source, other = {0};
    struct chat chat;
    struct text_buffer said = {0};
    char *packed = NULL;
    size_t size = 0;
    options.limit = 3;
    enum status status = prompts_open(&source, path, &options, e);
    if (status != STATUS_OK)
        return status;
    struct prompts_reader reader = prompts_reader_begin(&source);
    status = chat_recognise(&chat, "<|im_start|>", 12, e);
    for (size_t i = 0; i < source.count && status == STATUS_OK; i++)
        status = prompts_read(&reader, i, &chat, true, &said, e);
    if (status == STATUS_OK)
        status = prompts_pack(&source, &packed, &size, e);
    if (status == STATUS_OK)
        status = prompts_unpack(&other, packed, size, e);
    memory_free(packed);
    text_buffer_free(&said);
    prompts_reader_close(&reader);
    prompts_close(&other);
    prompts_close(&source);
    return status;
}

static void conversations(void)
{
    struct error e;
    char *path = tap_source("tests/golden/chat.jsonl");
    long failed = 0, held = failing_memory_held;
    enum status status = STATUS_FAILED;
    for (long left = 0; status == STATUS_FAILED; left++) {
        failing_memory_left = left;
        status = converse(path, &e);
        failing_memory_left = -1;
        failed += status == STATUS_FAILED;
    }
    ok(status == STATUS_OK && failed > 8, "conversations fail %ld times and then are read", failed);
    is_int(failing_memory_held, held, "and nothing is kept");
    free(path);
}

int main(void)
{
    tokenizers("tests/golden/tokenizer-spm.gguf");
    tokenizers("tests/golden/tokenizer-bpe.gguf");
    sources();
    conversations();
    return tap_done();
}
