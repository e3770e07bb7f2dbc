/* prompts_oracle.c - see prompts_oracle.h. */
#include "prompts_oracle.h"

#include <string.h>
#include <xxhash.h>

#include "base/memory.h"
#include "fuzz.h"

#define READ 400 /* prompts that are read one by one; more would take long and show nothing new */

static const char template[] = "{% for m in messages %}{{'<|' + m['role'] + '|>\n' + m['content'] + '<|end|>\n'}}{% endfor %}<|assistant|>";

/* The prompt's hash: of its text as it stands and in a chat's form, or of its ids. */
static uint64_t read_one(struct prompts_reader *reader, size_t i, const struct chat *chat)
{
    struct text_buffer text = {0};
    struct token_list ids = {0};
    struct error e;
    uint64_t hash = 0;
    error_clear(&e);
    if (reader->source->kind == PROMPTS_TOKENS) {
        fuzz_claim(prompts_read_tokens(reader, i, &ids, &e) == STATUS_OK, "ids that were counted are read: %s", e.sentence);
        for (size_t k = 0; k < ids.count; k++)
            fuzz_claim(ids.ids[k] >= 0 && (size_t)ids.ids[k] < reader->source->options.vocabulary, "ids are in the vocabulary");
        hash = XXH3_64bits(ids.ids, ids.count * sizeof *ids.ids);
    } else {
        fuzz_claim(prompts_read(reader, i, NULL, false, &text, &e) == STATUS_OK, "a prompt that was counted is read: %s", e.sentence);
        hash = XXH3_64bits(text.bytes ? text.bytes : "", text.count);
        fuzz_claim(!chat || prompts_read(reader, i, chat, true, &text, &e) == STATUS_OK, "and put into a form: %s", e.sentence);
    }
    (void)!prompts_blame(reader, &e);
    text_buffer_free(&text);
    token_list_free(&ids);
    return hash;
}

static void read_copy(const struct prompt_source *source, const uint64_t *hash, size_t count)
{
    struct prompt_source copy;
    struct error e;
    char *bytes, *all = NULL;
    size_t size;
    fuzz_claim(prompts_pack(source, &bytes, &size, &e) == STATUS_OK && prompts_unpack(&copy, bytes, size, &e) == STATUS_OK,
               "a source is sent: %s", e.sentence);
    memory_free(bytes);
    if (memory_uninitialised(&all, source->spool.size, 1, "all", &e) != STATUS_OK ||
        spool_read(&source->spool, 0, all, source->spool.size, &e) != STATUS_OK)
        fuzz_claim(false, "its bytes are read: %s", e.sentence);
    copy.spool = spool_over(all, source->spool.size);
    struct prompts_reader reader = prompts_reader_begin(&copy);
    fuzz_claim(copy.count == source->count, "a copy has as many prompts");
    for (size_t i = 0; i < count; i++)
        fuzz_claim(read_one(&reader, i, NULL) == hash[i], "prompt %zu of a copy is the same", i);
    prompts_reader_close(&reader);
    prompts_close(&copy);
    memory_free(all);
}

void prompts_oracle(const struct prompt_source *source)
{
    static uint64_t hash[READ];
    const size_t count = source->count < READ ? source->count : READ;
    struct chat chat;
    struct error e;
    const bool known = chat_recognise(&chat, template, sizeof template - 1, &e) == STATUS_OK;
    struct prompts_reader reader = prompts_reader_begin(source);
    fuzz_claim(source->count > 0, "a source that is opened has prompts");
    fuzz_claim(source->counts.broken + source->counts.missing <= source->options.broken_limit, "faults are within the limit");
    for (size_t i = 0; i < count; i++)
        hash[i] = read_one(&reader, i, known ? &chat : NULL);
    for (size_t i = count; i-- > 0;)
        fuzz_claim(read_one(&reader, i, NULL) == hash[i], "prompt %zu is the same when it is asked for again", i);
    prompts_reader_close(&reader);
    read_copy(source, hash, count);
}
