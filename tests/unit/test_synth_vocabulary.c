/* test_synth_vocabulary.c - synth's vocabulary, read back by the tokenizer: any text decodes to itself. */
#include <stdlib.h>
#include <string.h>

#include "base/mapping.h"
#include "base/memory.h"
#include "base/random.h"
#include "commands/synth_vocabulary.h"
#include "formats/model_file.h"
#include "tap.h"
#include "text/tokenizer.h"

static struct error e;
static struct tokenizer *tokenizer;

static void need(enum status s)
{
    if (s != STATUS_OK)
        bail("%s", e.sentence);
}

/* A vocabulary of `count` tokens by way of a file. */
static void open_vocabulary(size_t count)
{
    struct synth_vocabulary v;
    struct gguf_writer *w;
    struct model_file *f;
    char path[4096];
    snprintf(path, sizeof path, "%s/vocabulary.gguf", tap_folder());
    need(synth_vocabulary_init(&v, count, &e));
    need(gguf_writer_open(&w, path, &e));
    gguf_writer_key_text(w, "general.architecture", "phi3");
    synth_vocabulary_write(&v, w);
    need(gguf_writer_start(w, &e));
    need(gguf_writer_commit(w, &e));
    size_t stops = 0;
    for (size_t i = 0; i < count; i++)
        stops += v.stop[i] && strchr(".!?", v.text[i][0]) && !v.text[i][1];
    is_uint(stops, 3, "%zu tokens: the ends of sentences are known", count);
    synth_vocabulary_free(&v);
    tokenizer_close(tokenizer);
    need(model_file_open(&f, path, &e));
    need(tokenizer_open(&tokenizer, f, &e));
    model_file_close(f);
    is_uint(tokenizer_vocabulary_size(tokenizer), count, "%zu tokens: all of them are read", count);
}

/* Number of tokens of text[length]; *same: whether they decode to the text, with SentencePiece's space in front. */
static size_t encode(const char *text, size_t length, bool *same)
{
    struct token_list ids = {0};
    size_t at = 0, count;
    bool equal = true;
    need(tokenizer_encode(tokenizer, text, length, TOKENIZER_PLAIN, &ids, NULL, &e));
    for (size_t i = 0; i < ids.count; i++) {
        char *piece;
        size_t size;
        need(tokenizer_piece(tokenizer, ids.ids[i], &piece, &size, &e));
        for (size_t k = 0; k < size; k++, at++)
            equal &= at == 0 ? piece[k] == ' ' : at <= length && piece[k] == text[at - 1];
        memory_free(piece);
    }
    *same = equal && at == (length ? length + 1 : 0);
    count = ids.count;
    token_list_free(&ids);
    return count;
}

static size_t put_character(uint32_t c, char *out)
{
    size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned lead[] = {0, 0xC0, 0xE0, 0xF0};
    out[0] = (char)(lead[more] | c >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        out[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3F));
    return more + 1;
}

static void texts(double least)
{
    struct mapping prompts;
    char *path = tap_source("data/demo-prompts.txt");
    bool same, all = true;
    need(mapping_open(&prompts, path, &e));
    size_t tokens = encode((const char *)prompts.bytes, prompts.size, &same);
    double each = (double)prompts.size / (double)tokens;
    ok(same, "the demo's prompts decode to themselves");
    ok(each >= least, "%.2f bytes a token, at least %.1f", each, least);
    free(path);
    mapping_close(&prompts);
    /* U+2581 itself is the one character that SentencePiece can't tell from a space. */
    static const char other[] = "  Gr\xC3\xBC\xC3\x9F" "e,\t\xE4\xB8\xAD\xE6\x96\x87 \xF0\x9F\x98\x80\r\n\x01 zz__Zz ";
    encode(other, sizeof other - 1, &same);
    ok(same, "other letters and white space too");
    struct random_stream r = random_open(3, 0, 0, 0);
    for (int i = 0; i < 200; i++) {
        char bytes[200];
        size_t length = 0;
        while (length < 190) {
            static const uint32_t planes[] = {0x80, 0x800, 0xD800, 0x110000};
            uint32_t character = (uint32_t)random_below(&r, planes[random_below(&r, 4)]);
            if (character != 0x2581 && character >> 11 != 0xD800 >> 11)
                length += put_character(character, bytes + length);
        }
        encode(bytes, length, &same);
        all &= same;
    }
    ok(all, "and random characters of all planes");
}

int main(void)
{
    open_vocabulary(2048);
    texts(2.5);
    open_vocabulary(SYNTH_VOCABULARY_LEAST);
    texts(1.4);
    open_vocabulary(32064);
    texts(2.5);
    tokenizer_close(tokenizer);
    return tap_done();
}
